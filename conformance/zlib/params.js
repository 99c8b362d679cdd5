'use strict';
// Other parameters while more is waiting to be written: each takes effect where it was asked for.
const zlib = require('zlib');

function run([make, undo], next) {
  const stream = zlib[make]();
  const parts = [];
  stream.on('data', (part) => parts.push(part));
  stream.on('end', () => {
    console.log(make, zlib[undo](Buffer.concat(parts)).toString());
    next();
  });
  stream.write('abc');
  stream.params(0, zlib.constants.Z_DEFAULT_STRATEGY, () => console.log(make, 'first'));
  stream.write('def');
  stream.params(9, zlib.constants.Z_HUFFMAN_ONLY, () => console.log(make, 'second'));
  stream.write('ghi');
  stream.params(9, zlib.constants.Z_FIXED, () => stream.end('jkl'));
  for (const [level, strategy] of [[10, 0], [-2, 0], [1, 5], ['x', 0]]) {
    try {
      stream.params(level, strategy, () => console.log('never'));
    } catch (error) {
      console.log(error.name, error.code, error.message);
    }
  }
}

const pairs = [['createDeflate', 'inflateSync'], ['createDeflateRaw', 'inflateRawSync'], ['createGzip', 'gunzipSync']];
(function next() {
  if (pairs.length > 0) run(pairs.shift(), next);
})();

for (const windowBits of ['', false, 0, null]) {
  try {
    zlib.createInflate({ windowBits });
    console.log('fits');
  } catch (error) {
    console.log(error.code, error.message);
  }
}
