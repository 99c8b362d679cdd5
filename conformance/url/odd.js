// Odd values for querystring, string_decoder and the smaller functions of url and util.
const tell = (name, call) => {
  try {
    console.log(name, call());
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
};
const qs = require('querystring');
tell('bytes', () => qs.unescapeBuffer(Buffer.from('a%41')));
tell('array', () => qs.unescapeBuffer(new Uint8Array(2)));
tell('separator', () => qs.parse('a=1&b=2', Symbol('s')));
const { StringDecoder } = require('string_decoder');
for (const encoding of [Symbol('s'), Object.create(null), {}, [], 5, new String('hex'), ['hex'], null, '', 'HEX', 'nope']) {
  tell('decoder', () => new StringDecoder(encoding).encoding);
}
const { urlToHttpOptions } = require('url');
for (const value of [undefined, null, 5, 'http://a.b']) tell('options', () => urlToHttpOptions(value));
tell('options', () => urlToHttpOptions([]).hostname);
const util = require('util');
for (const value of [undefined, 'x', 0, 1, NaN, -1.5, -2]) tell('errno', () => util._errnoException(value, 'read').message);
