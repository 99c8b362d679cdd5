// The answer of write() is ignored: all that is written stays in memory until the slow side has taken it.
'use strict';
const { Writable } = require('stream');

class SlowStorage extends Writable {
  _write(chunk, encoding, callback) {
    setTimeout(callback, 1);
  }
}

const storage = new SlowStorage();
const chunk = Buffer.alloc(256 * 1024);
function exportRows() {
  for (let row = 0; row < 100; row++) storage.write(chunk);
  storage.end();
}
exportRows();
