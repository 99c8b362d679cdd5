'use strict';
// Names of pipes that are too long are cut off; what is wrong with others.
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'names-'));
process.chdir(folder);
process.on('exit', () => fs.rmSync(folder, { recursive: true }));

const told = (what) => (error) => {
  const { address, code, errno, message, port, syscall } = error;
  console.log(what, JSON.stringify({ code, errno, syscall, address: address?.length, port }));
  console.log(JSON.stringify(message.replace(/x{20,}/, (name) => `${name.length} of x`)));
};

async function listen(name, what) {
  const server = net.createServer((socket) => socket.end(what));
  return new Promise((resolve) => {
    server.on('error', (error) => {
      told(`listen ${what}`)(error);
      resolve(null);
    });
    server.listen(name, () => {
      console.log(`listening ${what}`, server.address() === name, fs.readdirSync('.').map((file) => file.length));
      resolve(server);
    });
  });
}

async function connect(name, what) {
  await new Promise((resolve) => {
    const socket = net.connect(name);
    socket.on('connect', () => console.log(`connected ${what}`));
    socket.on('data', (data) => console.log('data', String(data)));
    socket.on('error', told(`connect ${what}`));
    socket.on('close', (hadError) => resolve(console.log('close', hadError)));
  });
}

(async () => {
  for (const length of [107, 108, 109, 200]) {
    const name = 'x'.repeat(length);
    const server = await listen(name, `${length}`);
    await connect(name, `${length}`);
    await connect(`${name}y`, `${length} and one`);
    await listen(`${name}y`, `${length} and one`).then((other) => other?.close());
    await new Promise((resolve) => server.close(resolve));
    console.log(fs.readdirSync('.').map((file) => file.length));
    await connect(name, 'nobody');
  }
  const abstract = `\0names-${process.pid}-`.padEnd(120, 'y');
  const server = await listen(abstract, 'abstract');
  await connect(`${abstract}y`, 'abstract');
  server.close();
  await listen('a\0b', 'with a NUL');
  await connect('a\0b', 'with a NUL');
  await listen('none/a', 'without a folder');
  await connect('none/a', 'without a folder');
})();

// A name that is in no folder has no rights that could be set.
try {
  require('net').createServer().listen({ path: '\0of-no-folder', readableAll: true });
} catch (error) {
  console.log(error.code, error.message);
}
