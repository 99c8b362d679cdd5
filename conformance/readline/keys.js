'use strict';
// What bytes of a terminal mean as keys.
const { PassThrough } = require('stream');
const readline = require('readline');

const show = (text, key) => console.log(JSON.stringify(text), JSON.stringify(key));
const sequences = [
  'aB1. \t\r\n\b\x7f', '\x01\x1a\x00\x1b.', '\x1bf', '\x1b\x1bf', '\x1b[A\x1bOB\x1b[1;5C\x1b[5D', '\x1b[3~\x1b[3;5~\x1b[3$\x1b[3^',
  '\x1b[200~x\x1b[201~', '\x1b[[A\x1b[[5~\x1bO5P\x1b[Z', '\x1b[24;6~\x1b[15;8~', '\x1b[999~\x1b[1;2Q', '\x1b[;5~', '\u00e9\u{1f600}', '\x1b\u{1f600}',
  '\x1b[1234', '\x1b\r\x1b\n\x1b\t\x1b ', '\x1bOa\x1b[a\x1bO0A', '\x1b[?25h',
];
for (const sequence of sequences) {
  console.log('--', JSON.stringify(sequence));
  const input = new PassThrough();
  readline.emitKeypressEvents(input);
  input.on('keypress', show);
  input.write(sequence);
}

setTimeout(() => {
  console.log('-- in pieces');
  const input = new PassThrough();
  readline.emitKeypressEvents(input);
  input.on('keypress', show);
  for (const byte of Buffer.from('\x1b[1;5A\u20ac')) input.write(Buffer.of(byte));
  setImmediate(() => {
    console.log('-- an escape alone');
    input.write('\x1b');
    setTimeout(() => {
      input.removeAllListeners('keypress');
      input.write('unheard');
      input.once('keypress', show);
      input.write('h');
    }, 600);
  });
}, 600);
