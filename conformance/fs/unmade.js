// The file was read, but no text can be made of it: the callback hears of it, and so does who waits for the promise.
const fs = require('fs');
const os = require('os');
const path = require('path');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'phasor-unmade-'));
const file = path.join(dir, 'file');
fs.writeFileSync(file, 'some text');

const told = (way) => (error, value) => console.log(way, error?.name, error?.code, error?.message, String(value));
const now = (way, ...args) => {
  try {
    told(way)(null, fs.readFileSync(...args));
  } catch (error) {
    told(way)(error);
  }
};

async function all(...args) {
  now('sync', ...args);
  await new Promise((resolve) => fs.readFile(...args, (...results) => resolve(told('callback')(...results))));
  await fs.promises.readFile(...args).then((value) => told('promise')(null, value), told('promise'));
  const handle = await fs.promises.open(file);
  await handle.readFile(...args.slice(1)).then((value) => told('handle')(null, value), told('handle'));
  await handle.close();
}

(async () => {
  // No encoding of text, though paths can be had in it.
  await all(file, 'buffer');
  await all(file, { encoding: 'buffer' });

  const { toString } = Buffer.prototype;
  Buffer.prototype.toString = function(encoding) {
    if (encoding === 'hex') throw new Error('no digits today');
    return toString.call(this, encoding);
  };
  await all(file, 'hex');
  Buffer.prototype.toString = toString;

  // What buffers inherit from is not to be had from the property.
  const { prototype } = Buffer;
  Buffer.prototype = undefined;
  await fs.promises.readFile(file).then((buffer) => console.log(Object.getPrototypeOf(buffer) === prototype));
  Buffer.prototype = prototype;

  // Numbers that are no descriptors are no paths either.
  for (const number of [1.5, NaN, Infinity, 2 ** 31, 2 ** 40]) {
    now('sync', number);
    now('sync', number, 'utf8');
  }
  fs.rmSync(dir, { recursive: true });
})();
