'use strict';
// Watchers: what they tell, and that they end.
const fs = require('fs');
const os = require('os');
const path = require('path');
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'phasor-watch-'));
process.on('exit', () => fs.rmSync(root, { recursive: true, force: true }));

const watcher = fs.watch(root);
console.log(watcher.constructor.name, watcher.ref() === watcher, watcher.unref() === watcher, watcher.ref() === watcher);
watcher.once('change', (type, name) => {
  console.log(type, name);
  watcher.close();
  watcher.close();
  console.log('closed');
});
watcher.on('close', () => {
  console.log('close event');
  aborted();
});
setImmediate(() => fs.writeFileSync(path.join(root, 'new'), ''));

function aborted() {
  const controller = new AbortController();
  const second = fs.watch(root, { signal: controller.signal, encoding: 'buffer' }, (type, name) => {
    console.log(type, name);
    controller.abort();
  });
  second.on('close', () => {
    console.log('aborted');
    promised();
  });
  fs.renameSync(path.join(root, 'new'), path.join(root, 'newer'));
}

async function promised() {
  const controller = new AbortController();
  setImmediate(() => fs.unlinkSync(path.join(root, 'newer')));
  try {
    for await (const event of fs.promises.watch(root, { signal: controller.signal })) {
      console.log(event.eventType, event.filename);
      controller.abort();
    }
  } catch (error) {
    console.log(error.name, error.code);
  }
  polled();
}

function polled() {
  const file = path.join(root, 'polled');
  fs.writeFileSync(file, 'one');
  const poller = fs.watchFile(file, { interval: 20 }, (now, before) => {
    console.log(now.size, before.size, now instanceof fs.Stats);
    fs.unwatchFile(file);
  });
  console.log(poller.constructor.name);
  setTimeout(() => fs.writeFileSync(file, 'longer'), 60);
}
