'use strict';
// Errors of the pool have the functions that wait for them in their stacks.

const { access, open, readFile } = require('fs/promises');

// Without the runtime's own lines, which have other numbers in Node.
const shown = ({ stack }) => stack.split('\n').filter((line) => !line.includes('node:')).join('\n').replaceAll(`${__dirname}/`, '');
const tell = async (run) => run().catch((error) => console.log(shown(error)));

async function inner() {
  await readFile('/nowhere/at all');
}

async function outer() {
  try {
    await inner();
  } finally {
    console.log('left');
  }
}

class Store {
  async load(path) {
    return await open(path);
  }
}

async function main() {
  await tell(outer);
  await tell(async () => { await access('/nowhere'); });
  await tell(async () => { await new Store().load('/nowhere'); });
  await tell(async () => { await Promise.all([access('/'), access('/nowhere')]); });
  await tell(async () => {
    const folder = await open('/');
    try {
      await folder.readFile();
    } finally {
      await folder.close();
    }
  });
  // Nobody waits.
  await tell(() => access('/nowhere'));
}

main();
