// The listener is there in time; and 'change' is emitted again after its listener was added.
'use strict';
const { EventEmitter } = require('events');

class Database extends EventEmitter {
  constructor() {
    super();
    process.nextTick(() => {
      this.emit('change', 0);
      this.emit('open');
    });
  }
}

async function main() {
  const database = new Database();
  database.on('open', () => console.log('open'));
  await new Promise((resolve) => { setTimeout(resolve, 10); });
  database.on('change', (what) => console.log(`change ${what}`));
  database.emit('change', 1);
  database.emit('resume');
  database.on('resume', () => {});
}
main();
