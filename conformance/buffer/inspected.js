'use strict';
// How the classes of buffer, url and text are printed.
const util = require('util');
console.log(Buffer.from('abc'), Buffer.alloc(0), Buffer.alloc(60, 1));
console.log(Object.assign(Buffer.from('ab'), { extra: 1 }), [Buffer.from('x')], { b: Buffer.from('y') });
console.log(new URL('http://user:pw@a.com:8/b?c=d&e=f#g'));
console.log({ u: new URL('file:///x') }, [[[[new URL('a:b')]]]]);
console.log(new URLSearchParams('a=1&b=2'), new URLSearchParams(), { p: new URLSearchParams('x=y') });
console.log(new URLSearchParams('a=1&b=2').entries(), new URLSearchParams('a=1').keys(), new URLSearchParams('a=1').values());
console.log(new TextEncoder(), new TextDecoder('latin1', { fatal: true }));
console.log(new Blob(['abc'], { type: 'a/b' }), new File(['abc'], 'name', { lastModified: 5 }));
console.log(require('url').parse('http://a.com/b?c=d'));
console.log(util.inspect(Buffer.from('abc'), { depth: -1 }), util.inspect(new URL('a:b'), { depth: -1 }));
console.log(Buffer, require('string_decoder').StringDecoder);
console.log(util.TextDecoder === TextDecoder, util.TextEncoder === TextEncoder);
console.log(require('querystring').parse('a=1&b=2&a=3'));
require('buffer').INSPECT_MAX_BYTES = 2;
console.log(Buffer.from('abcdef'), Buffer.from('abc'));
console.log(require('path').parse('/a/b.c'), require('os').constants.priority);
