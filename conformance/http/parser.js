'use strict';
// The parser that scripts get: what it calls, with what, and in which order.
const { HTTPParser, methods } = require('_http_common');
const names = ['kOnMessageBegin', 'kOnHeaders', 'kOnHeadersComplete', 'kOnBody', 'kOnMessageComplete', 'kOnExecute'];
console.log(HTTPParser.name, HTTPParser.REQUEST, HTTPParser.RESPONSE, names.map((name) => HTTPParser[name]));
console.log(HTTPParser.kLenientNone, HTTPParser.kLenientAll);

const shown = (value) => {
  if (Buffer.isBuffer(value)) return `<${value}>`;
  if (!Array.isArray(value)) return value;
  return value.length > 8 ? [value.length, ...value.slice(0, 4), '...', ...value.slice(-2)] : value;
};
function parserOf(type, answer, ...rest) {
  const parser = new HTTPParser();
  console.log(parser.initialize(type, {}, ...rest));
  for (const name of names) {
    parser[HTTPParser[name]] = (...args) => {
      console.log('  ', name, args.map(shown));
      return name === 'kOnHeadersComplete' ? answer : undefined;
    };
  }
  return parser;
}
function feed(parser, ...texts) {
  for (const text of texts) {
    const result = parser.execute(Buffer.from(text, 'latin1'));
    console.log('  ->', result instanceof Error ? [result.message, result.code, result.reason, result.bytesParsed, Object.keys(result)] : result);
  }
}
function end(parser) {
  const result = parser.finish();
  console.log('  finish', result instanceof Error ? [result.message, result.code, result.reason, result.bytesParsed] : result);
}
const { REQUEST, RESPONSE } = HTTPParser;

console.log('request');
feed(parserOf(REQUEST), 'GET /a?b HTTP/1.1\r\nHost: c\r\nX-Y:  z \r\n\r\n');
console.log('two at once');
feed(parserOf(REQUEST), 'GET /1 HTTP/1.1\r\n\r\nPOST /2 HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc');
console.log('in parts');
feed(parserOf(REQUEST), 'PUT /', 'a HTTP/1.1\r\nTransfer-Enco', 'ding: chunked\r\n\r\n3\r\nab', 'c\r\n0\r\nT: u\r\n', '\r\n',
     'GET / HTTP/1.1\r\nA: b\r\n\r\n');
console.log('many headers');
for (const count of [31, 32, 33, 70]) feed(parserOf(REQUEST), `GET / HTTP/1.1\r\n${'A: b\r\n'.repeat(count)}\r\n`);
console.log('response');
feed(parserOf(RESPONSE), 'HTTP/1.1 200 Fine\r\nContent-Length: 4\r\n\r\npong');
console.log('until the end');
const open = parserOf(RESPONSE);
feed(open, 'HTTP/1.0 404 \r\n\r\nabc', 'def');
end(open);
console.log('without a body');
feed(parserOf(RESPONSE, 1), 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nHTTP/1.1 204 No\r\n\r\n');
console.log('upgrade');
feed(parserOf(REQUEST), 'GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nrest');
feed(parserOf(REQUEST, 2), 'CONNECT a:1 HTTP/1.1\r\n\r\nrest');
console.log('faults');
feed(parserOf(REQUEST), 'NOT A METHOD\r\n\r\n');
feed(parserOf(REQUEST, undefined, 40), `GET / HTTP/1.1\r\nLong: ${'a'.repeat(60)}\r\n\r\n`);
const half = parserOf(REQUEST);
feed(half, 'POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nab');
end(half);
feed(parserOf(REQUEST), 'GET / HTTP/1.1\r\nA: \x01\r\n\r\n');
feed(parserOf(REQUEST, undefined, 0, HTTPParser.kLenientAll), 'GET / HTTP/1.1\r\nA: \x01\r\n\r\n');
console.log('what throws');
const throwing = parserOf(REQUEST);
throwing[HTTPParser.kOnHeadersComplete] = () => { throw new RangeError('mine'); };
try { feed(throwing, 'GET / HTTP/1.1\r\n\r\n'); } catch (error) { console.log('  threw', error.message); }
throwing[HTTPParser.kOnHeadersComplete] = () => console.log('   head');
throwing.initialize(REQUEST, {});
feed(throwing, 'GET / HTTP/1.1\r\n\r\n');
console.log('nobody listens');
const quiet = new HTTPParser();
quiet.initialize(REQUEST, {});
feed(quiet, 'POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab');
try { ({ execute: quiet.execute }).execute(Buffer.from('')); } catch (error) { console.log(error.name); }
for (const name of ['remove', 'unconsume', 'free', 'close']) console.log(name, quiet[name]());
console.log(methods.length, methods.slice(0, 3));
