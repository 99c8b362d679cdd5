// Messages of argument errors as the public functions throw them.
'use strict';
const util = require('util');

class Foo {}
const values = [
  undefined, null, true, 0, -0, NaN, Infinity, -1.5, 4294967297, 12345678901234, 5n, 99999999999999999999n, -99999999999n, '', 'text', "it's",
  'a long text of more than twenty-eight characters', 'x'.repeat(28), "q'".repeat(20), Symbol('s'), [], [1], {}, { a: 1 }, new Foo(), Object.create(null),
  Object.create({ constructor: null }), () => {}, function named() {}, class K {}, new Date(0), /x/, new Map(), async () => {}, Foo,
];
const calls = {
  promisify: (value) => util.promisify(value),
  callbackify: (value) => util.callbackify(value),
  inheritsA: (value) => util.inherits(value, class {}),
  inheritsB: (value) => util.inherits(class {}, value),
  strip: (value) => util.stripVTControlCharacters(value),
  errorName: (value) => util.getSystemErrorName(value),
  deprecate: (value) => util.deprecate(() => {}, 'm', value),
  styleFormat: (value) => util.styleText(value, 'text', { validateStream: false }),
  styleText: (value) => util.styleText('red', value, { validateStream: false }),
  parseArgs: (value) => util.parseArgs({ args: value }),
  parseArgsStrict: (value) => util.parseArgs({ args: [], strict: value }),
  parseArgsType: (value) => util.parseArgs({ args: [], options: { x: { type: value } } }),
  parseArgsShort: (value) => util.parseArgs({ args: [], options: { x: { type: 'string', short: value } } }),
  mime: (value) => new util.MIMEType(value instanceof Date ? 'date' : value),
  defaultOptions: (value) => { util.inspect.defaultOptions = value; },
};
for (const name of Object.keys(calls)) {
  for (const value of values) {
    let text;
    try {
      const result = calls[name](value);
      text = typeof result === 'string' ? result : typeof result;
    } catch (error) {
      text = error.code === undefined ? error.name : `${error.name} ${error.code} ${error.message}`;
      if (error.code?.startsWith('ERR_')) {
        text += ` | ${error} | ${error.stack.split('\n')[0] === `${error.name} [${error.code}]: ${error.message}`.split('\n')[0]} ${Object.keys(error)}`;
      }
    }
    console.log(`${name}: ${text}`);
  }
}
