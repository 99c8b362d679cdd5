'use strict';
// Streams that scripts step by themselves: `_handle.writeSync`, whose results are in `_writeState`.
const zlib = require('zlib');

function stepped(stream, input, flag) {
  const parts = [];
  let offset = 0;
  let left = input.length;
  for (;;) {
    stream._handle.writeSync(flag, input, offset, left, stream._outBuffer, 0, stream._chunkSize);
    const [room, rest] = stream._writeState;
    parts.push(Buffer.from(stream._outBuffer.subarray(0, stream._chunkSize - room)));
    offset += left - rest;
    left = rest;
    if (room !== 0) break;
  }
  stream._handle.close();
  return parts;
}

const text = Buffer.from('abcdefgh'.repeat(1000));
const parts = stepped(zlib.createInflate({ chunkSize: 1024 }), zlib.deflateSync(text), zlib.constants.Z_FINISH);
console.log(parts.length, parts.map((part) => part.length).join(), Buffer.concat(parts).equals(text));
const packed = Buffer.concat(stepped(zlib.createGzip({ chunkSize: 64 }), text, zlib.constants.Z_FINISH));
console.log(zlib.gunzipSync(packed).equals(text));
const brotli = Buffer.concat(stepped(zlib.createBrotliDecompress(), zlib.brotliCompressSync(text), zlib.constants.BROTLI_OPERATION_FINISH));
console.log(brotli.equals(text));
const wrong = zlib.createInflate();
wrong.on('error', (error) => console.log(error.code, error.errno, error.message));
wrong._handle.writeSync(zlib.constants.Z_FINISH, Buffer.from('nonsense'), 0, 8, wrong._outBuffer, 0, wrong._chunkSize);
console.log(wrong._writeState.length, wrong._outBuffer.length, wrong.destroyed);
