// 'open' is emitted before the program listens for it, and never again.
'use strict';
const { EventEmitter } = require('events');

class Database extends EventEmitter {
  constructor() {
    super();
    process.nextTick(() => this.emit('open'));
  }
}

async function main() {
  const database = new Database();
  await new Promise((resolve) => { setTimeout(resolve, 10); });
  database.on('open', () => console.log('never printed'));
}
main();
