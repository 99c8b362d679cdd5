// Many contexts, one after the other, of which one is held by a function alone.
const vm = require('vm');
for (let i = 0; i < 200; i++) vm.runInNewContext('var x = i; function f() { return x } globalThis.g = () => f()', { i });
for (let i = 0; i < 600; i++) {
  const context = vm.createContext({ i });
  vm.runInContext('var x = i; function f() { return x } globalThis.g = () => f(); class A {} this.a = new A()', context);
}
console.log('fine');
const kept = vm.runInNewContext('const own = { n: 0 }; (function () { return ++own.n + extra })', { extra: 10 });
global.gc?.();
for (let i = 0; i < 200; i++) vm.runInNewContext('1');
console.log(kept(), kept());
