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

// Each has a last match of its own.
{
  const { createContext, runInContext } = require('vm');
  const realms = ['q', 'r', 's'].map((letter) => {
    const realm = createContext({});
    runInContext(`/(${letter})/.exec("z${letter}y")`, realm);
    return realm;
  });
  /(a)(b)/.exec('xab');
  for (const realm of realms) console.log(runInContext('[RegExp.$1, RegExp.leftContext, RegExp.rightContext, RegExp.input].join()', realm));
  console.log(RegExp.$1, RegExp.$2, RegExp.lastMatch, RegExp.leftContext);
  runInContext('RegExp.input = "set"', realms[0]);
  console.log(runInContext('RegExp.input + RegExp.$1', realms[0]), RegExp.input);
}
