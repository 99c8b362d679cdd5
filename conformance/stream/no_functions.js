'use strict';
// What is no function in the place of a method or a callback of a stream is told of by its name.
const { PassThrough, Readable, Transform, Writable, pipeline } = require('stream');

process.on('uncaughtException', (error) => console.log('uncaught', error.name, error.message));

const cases = {
  write() {
    const writable = new Writable();
    writable._write = 5;
    writable.write(Buffer.from('a'));
  },
  read() {
    const readable = new Readable();
    readable._read = 5;
    readable.on('error', (error) => console.log('read', 'error', error.message));
    readable.read();
  },
  transform() {
    const transform = new Transform();
    transform._transform = null;
    transform.write('a');
  },
  push() {
    const through = new PassThrough();
    through.push = null;
    through.write('a');
  },
  emit() {
    const through = new PassThrough();
    through.on('data', () => {});
    through.emit = null;
    through.write('a');
  },
  'emit of what is read'() {
    const readable = new Readable({ read() {} });
    readable.push('a');
    readable.emit = null;
    readable.read();
  },
  'emit of a pause'() {
    const readable = new Readable({ read() {} });
    readable.emit = null;
    readable.pause();
  },
  'passing on'() { new PassThrough()._transform('a', 'utf8'); },
  'called back'() { new PassThrough()._write('a', 'utf8'); },
  'called back an error'() {
    const transform = new Transform({ transform(chunk, encoding, callback) { callback(new Error('own')); } });
    transform._write('a', 'utf8');
  },
  pipe() { Readable.from(['a']).pipe(new Readable({ read() {} })); },
  pipeline() {
    pipeline(Readable.from(['a']), new Readable({ read() {} }), (error) => console.log('pipeline', error?.message));
  },
  'pipeline from a list'() {
    pipeline(['a'], new Readable({ read() {} }), (error) => console.log('pipeline', error?.message));
  },
  // What is thrown inside of a method is its own.
  own() {
    const writable = new Writable({ write() { undefined.x; } });
    writable.write(Buffer.from('a'));
  },
};

const names = Object.keys(cases);
(function next() {
  const name = names.shift();
  if (name === undefined) return;
  try {
    cases[name]();
  } catch (error) {
    console.log(name, error.name, error.message);
  }
  setTimeout(next, 1);
})();
