// The same, but it waits for 'drain'.
'use strict';
const { Writable } = require('stream');

class SlowStorage extends Writable {
  _write(chunk, encoding, callback) {
    setTimeout(callback, 1);
  }
}

const storage = new SlowStorage();
const chunk = Buffer.alloc(256 * 1024);
let row = 0;
function exportRows() {
  while (row < 100) {
    row++;
    if (!storage.write(chunk)) {
      storage.once('drain', exportRows);
      return;
    }
  }
  storage.end();
}
exportRows();
