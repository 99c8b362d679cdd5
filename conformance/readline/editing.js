'use strict';
// A line on a terminal: what is written for each key, and what the line is then.
const { PassThrough, Writable } = require('stream');
const readline = require('readline');

function terminal(columns, options) {
  const input = new PassThrough();
  input.setRawMode = (mode) => { input.isRaw = mode; };
  const output = new Writable({ write(chunk, encoding, done) { output.text += chunk; done(); } });
  output.text = '';
  output.columns = columns;
  const rl = readline.createInterface({ input, output, terminal: true, ...options });
  rl.on('line', (line) => console.log('line', JSON.stringify(line)));
  rl.on('history', (history) => console.log('history', JSON.stringify(history)));
  return { rl, input, output };
}

function press(at, ...keys) {
  for (const key of keys) {
    at.rl.write(null, key);
    console.log(JSON.stringify(key), JSON.stringify(at.rl.line), at.rl.cursor, JSON.stringify(at.output.text));
    at.output.text = '';
  }
}

const ctrl = (name) => ({ ctrl: true, name });
const meta = (name) => ({ meta: true, name });
const key = (name) => ({ name });

console.log('-- moving and deleting');
const at = terminal(20);
at.rl.prompt();
at.rl.write('the quick  brown, \u{1f98a} fox');
press(at, ctrl('a'), ctrl('e'), ctrl('b'), ctrl('f'), ctrl('left'), ctrl('left'), meta('b'), meta('b'), meta('f'), ctrl('right'));
press(at, key('home'), key('right'), key('delete'), key('backspace'), ctrl('d'), ctrl('h'), meta('d'), ctrl('delete'), key('end'));
press(at, key('left'), key('left'), key('left'), key('left'), key('backspace'), ctrl('w'), meta('backspace'), ctrl('backspace'));
press(at, { name: 'x', sequence: '\x1f' }, { name: 'x', sequence: '\x1f' }, { name: 'x', sequence: '\x1e' });

console.log('-- the kill ring');
press(at, ctrl('u'), ctrl('k'), ctrl('y'), { ctrl: true, shift: true, name: 'backspace' });
at.rl.write('other text');
press(at, ctrl('u'), ctrl('y'), meta('y'), meta('y'), key('left'), meta('y'), { ctrl: true, shift: true, name: 'delete' });
press(at, ctrl('l'), key('escape'), key('return'), key('enter'), ctrl('e'));

console.log('-- history');
for (const line of ['alpha', 'beta', 'alpine', 'alpine', '  ', '']) at.rl.write(`${line}\n`);
press(at, key('up'), key('up'), key('up'), key('up'), key('down'), key('down'), key('down'), key('down'), key('down'));
at.rl.write('al');
press(at, key('up'), key('up'), key('up'), key('up'), key('down'), key('left'), key('up'), ctrl('p'), ctrl('n'));
at.rl.close();
console.log(at.input.isRaw, at.rl.closed);
const few = terminal(20, { history: ['c', 'b', 'a'], historySize: 3, removeHistoryDuplicates: true });
few.rl.write('b\nd\n');
console.log(few.rl.history);

console.log('-- rows');
const narrow = terminal(10, { prompt: 'p> ', tabSize: 4 });
narrow.rl.prompt();
narrow.rl.write('0123456789');
press(narrow, key('home'), key('end'));
narrow.rl.write('\u4e2d\u6587');
press(narrow, key('left'), ctrl('u'));
for (const text of ['a\tb', 'a\nb', '\u4e2d', '\x1b[31mred\x1b[0m', '0123456789']) console.log(narrow.rl._getDisplayPos(text), narrow.rl.getCursorPos());
narrow.output.text = '';
narrow.output.columns = 30;
narrow.output.emit('resize');
console.log(JSON.stringify(narrow.output.text));

console.log('-- completion');
const table = (line) => [['command', 'comma', '', 'complete', 'x'.repeat(9)].filter((one) => one === '' || one.startsWith(line)), line];
const done = terminal(30, { completer: table });
done.input.write('c');
done.input.write('\t');
done.input.write('\t');
done.input.write('m\t');
done.input.write('\t');
setImmediate(() => {
  console.log(JSON.stringify(done.rl.line), JSON.stringify(done.output.text));
  const bad = terminal(30, { completer: (line, callback) => callback(new Error('no completions')) });
  bad.input.write('\t');
  setImmediate(() => {
    console.log(JSON.stringify(bad.output.text.split('\n')[0]));
    console.log('-- ending');
    const ending = terminal(30);
    ending.rl.on('SIGINT', () => console.log('SIGINT'));
    ending.rl.on('SIGTSTP', () => console.log('SIGTSTP'));
    ending.rl.on('close', () => console.log('close'));
    press(ending, ctrl('c'), ctrl('z'), ctrl('d'));
    const { promises } = readline;
    const input = new PassThrough();
    const asked = promises.createInterface({ input, output: ending.output, terminal: true });
    asked.question('? ').catch((error) => console.log(error.name, error.code, error.message));
    asked.write(null, ctrl('c'));
  });
});
