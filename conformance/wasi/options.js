// What the options of WASI must be, and the order in which an instance is checked.
const { WASI } = require('wasi');
const t = (run) => {
  try {
    console.log(run());
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
};
t(() => new WASI());
t(() => new WASI(5));
for (const version of ['x', 1, 'preview1', 'unstable']) t(() => Object.keys(new WASI({ version }).getImportObject()));
for (const [name, value] of [['args', 5], ['env', 5], ['preopens', 5], ['stdin', 'a'], ['stdout', -1], ['stderr', 1.5], ['returnOnExit', 5]]) {
  t(() => new WASI({ version: 'preview1', [name]: value }));
}
t(() => new WASI({ version: 'preview1', preopens: { '/a': '/no/such' } }));
t(() => new WASI({ version: 'preview1', preopens: { '/a': __filename } }));
const wasi = new WASI({ version: 'preview1' });
console.log(wasi, wasi.getImportObject().wasi_snapshot_preview1 === wasi.wasiImport);
t(() => wasi.start());
t(() => wasi.start({}));
const memory = new WebAssembly.Memory({ initial: 1 });
const _start = () => 5;
const _initialize = () => 6;
for (const exports of [{ memory, _start, _initialize }, { memory, _start }, { memory, _initialize }, { memory }, { memory, _start: 5 }, { memory: {}, _start },
  { memory, _initialize: 5 }, 5, undefined]) {
  t(() => new WASI({ version: 'preview1' }).start({ exports }));
  t(() => new WASI({ version: 'preview1' }).initialize({ exports }));
}
const used = new WASI({ version: 'preview1' });
t(() => used.wasiImport.args_get(0, 0));
t(() => used.initialize({ exports: { memory } }));
t(() => used.start({ exports: { memory, _start } }));
for (const returnOnExit of [undefined, true]) {
  const one = new WASI({ version: 'preview1', returnOnExit });
  t(() => one.start({ exports: { memory, _start() { one.wasiImport.proc_exit(7); } } }));
}
t(() => new WASI({ version: 'preview1' }).start({ exports: { memory, _start() { throw new RangeError('mine'); } } }));
