// What the arguments must be, and what is kept as bytes.
const vm = require('vm');
const show = (run) => {
  try {
    console.log('fine', run());
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
};
for (const options of [5, null, { filename: 1 }, { lineOffset: '1' }, { columnOffset: 1.5 }, { cachedData: '1' },
  { produceCachedData: 1 }, { importModuleDynamically: '1' }]) show(() => new vm.Script('1', options));
for (const options of [null, { timeout: 0 }, { timeout: '1' }, { timeout: -1 }, { displayErrors: 1 }, { breakOnSigint: 1 }, 'name.js']) {
  show(() => vm.runInThisContext('1', options));
}
show(() => vm.Script('1'));
for (const value of [1, undefined, null, 'text', {}, [], globalThis]) show(() => vm.isContext(value));
show(() => new vm.Script({ toString: () => '6 * 7' }).runInThisContext());
show(() => vm.runInThisContext(Symbol('x')));
const script = new vm.Script('(function () { return "was kept" })');
const data = script.createCachedData();
console.log(Buffer.isBuffer(data), data.length > 0);
const again = new vm.Script('(function () { return "was kept" })', { cachedData: data });
console.log(again.cachedDataRejected, again.runInThisContext()(), String(again.runInThisContext()));
console.log(new vm.Script('(function () { return "it is another one" })', { cachedData: data }).cachedDataRejected);
const produced = new vm.Script('1', { produceCachedData: true });
console.log(produced.cachedDataProduced, produced.cachedData.length > 0);
const none = (error) => console.log(error.name, error.code, error.message);
vm.runInThisContext('import("fs")', 'none.js').catch(none);
vm.runInThisContext('import("fs")', { filename: 'flag.js', importModuleDynamically() {} }).catch(none);
const loader = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
vm.runInThisContext('import("fs")', { filename: 'main.js', importModuleDynamically: loader })
  .then((fs) => console.log(typeof fs.readFileSync));
vm.runInThisContext('import("./nothing.mjs")', { filename: '/no/such/y.js', importModuleDynamically: loader }).catch((error) => {
  console.log(error.code);
});
