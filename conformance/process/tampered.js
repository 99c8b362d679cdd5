'use strict';
// Node's own modules work on where a script has replaced methods of the language, and leave them replaced. (Without
// `push` or `splice` not even Node does.)
const EventEmitter = require('events');
const fs = require('fs');
const os = require('os');
const path = require('path');
const util = require('util');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tampered-'));
let files = 0;
const value = { a: [1, 2, { b: 'it\'s' }], d: new Date(0), r: /x/g, f() {}, n: null, long: 'x'.repeat(90), s: Symbol('s') };
const late = ['string_decoder', 'querystring', 'readline', 'dgram', 'dns', 'tty', 'v8', 'zlib', 'vm', 'cluster'];

const acts = {
  print: () => util.inspect(value) + util.format('%s %d %j %o', 'a', 1, [2], { c: 3 }),
  printError: () => util.inspect(new RangeError('out', { cause: new Error('in') })).length > 10,
  emit() {
    const told = [];
    const emitter = new EventEmitter();
    const listener = () => { told[told.length] = 'third'; };
    emitter.on('a', () => { told[told.length] = 'first'; });
    emitter.once('a', () => { told[told.length] = 'once'; });
    emitter.prependListener('a', () => { told[told.length] = 'before'; });
    emitter.on('a', listener);
    emitter.emit('a');
    emitter.off('a', listener);
    emitter.emit('a');
    return told;
  },
  refuse() {
    try {
      Buffer.alloc('x');
    } catch (error) {
      return `${error.code} ${error.message}`;
    }
  },
  load: () => typeof require(late[files % late.length]),
  file: () => require(`${folder}/m${files}.js`),
};

const tampers = [
  [Array.prototype, ['slice', 'concat', 'join', 'map', 'filter', 'forEach', 'indexOf', 'some', 'every', 'sort']],
  [String.prototype, ['slice', 'split', 'replace', 'includes', 'indexOf', 'startsWith', 'endsWith', 'charCodeAt', 'repeat', 'padStart']],
  [RegExp.prototype, ['exec', 'test', 'toString']],
  [Function.prototype, ['toString']],
  [Object.prototype, ['hasOwnProperty', 'propertyIsEnumerable', 'toString']],
  [Object, ['getPrototypeOf', 'getOwnPropertyNames', 'freeze']],
  [Number.prototype, ['toString']],
  [Math, ['min', 'max', 'floor']],
];

for (const [object, names] of tampers) {
  for (const name of names) {
    const original = object[name];
    for (const act in acts) {
      files++;
      fs.writeFileSync(`${folder}/m${files}.js`, `module.exports = ${files}`);
      let result;
      object[name] = null;
      try {
        result = acts[act]();
        if (object[name] !== null) result = 'came back';
      } catch (error) {
        result = error.message;
      }
      object[name] = original;
      console.log(name, act, result);
    }
  }
}
fs.rmSync(folder, { recursive: true });
