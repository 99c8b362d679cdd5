'use strict';
// An object that is its own token in a FinalizationRegistry goes as any other does.
const fs = require('fs');

const kLimitMs = 20_000;

// V8 has to be asked to look for garbage; where its flags are unknown, memory is used until somebody looks.
let collect = () => {
  for (let count = 0; count < 20; count++) new Array(10_000).fill({ count });
};
try {
  require('v8').setFlagsFromString('--expose-gc');
  collect = require('vm').runInNewContext('gc');
} catch {
  // Not V8.
}

async function until(isSo) {
  const began = Date.now();
  while (!isSo() && Date.now() - began < kLimitMs) {
    collect();
    await new Promise(setImmediate);
  }
  return isSo();
}

const gone = [];
const registry = new FinalizationRegistry((held) => gone.push(held));

function register() {
  const object = { name: 'an object' };
  registry.register(object, 'its own token', object);
  const symbol = Symbol('a symbol');
  registry.register({}, 'a symbol as token', symbol);
  registry.register({}, 'no token');
  class Kept {
    constructor() { registry.register(this, 'in a constructor', this); }
  }
  new Kept();
  const taken = {};
  registry.register(taken, 'taken back', taken);
  console.log(registry.unregister(taken), registry.unregister(taken), registry.unregister({}));
}

const kept = {};
const token = {};
registry.register(kept, 'kept', token);

const warnings = new Map();
process.removeAllListeners('warning').on('warning', ({ code, message, name }) => {
  const text = `${name} ${code} ${message.replace(/\d+/, 'N')}`;
  warnings.set(text, (warnings.get(text) ?? 0) + 1);
});

const descriptors = () => fs.readdirSync('/proc/self/fd').length;

(async () => {
  register();
  await until(() => gone.length === 4);
  console.log(gone.sort());
  console.log(registry.unregister(token), registry.unregister(token), kept);

  const before = descriptors();
  await (async () => {
    for (let count = 0; count < 3; count++) await fs.promises.open(__filename);
    for (let count = 0; count < 3; count++) await fs.promises.opendir(__dirname);
    for (let count = 0; count < 3; count++) await (await fs.promises.open(__filename)).close();
    // Whoever looks at a number while it has the handle still has it.
    const handle = await fs.promises.open(__filename);
    console.log(fs.fstatSync(handle.fd).isFile());
    await handle.close();
  })();
  await until(() => descriptors() === before && warnings.size === 3);
  console.log(descriptors() - before, new Map([...warnings].sort()));
})();
