'use strict';
// A reference to what is before the beginning, found where there is much to read and to write.
const zlib = require('zlib');

const packed = Buffer.from('789ccb48cdc9c95728cf2fca4951c818658fb247d9a3ec51f6287b943dca1e6553cc0600e581810e', 'hex');
for (let at = 2; at < 12; at++) {
  for (const flip of [0x11, 0x42, 0x80, 0xff]) {
    const bad = Buffer.from(packed);
    bad[at] ^= flip;
    try {
      console.log(at, flip, zlib.inflateSync(bad).length);
    } catch (error) {
      console.log(at, flip, error.code, error.message);
    }
  }
}
