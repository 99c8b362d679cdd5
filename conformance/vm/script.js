// Scripts: values, scopes, places of errors, options.
const vm = require('vm');
const head = (error) => error.stack.split('\n').filter((line) => !/^ {4}at .*(?:node:|conformance)/.test(line));
const show = (run) => {
  try {
    console.log(run());
  } catch (error) {
    console.log(error instanceof Error ? head(error) : error);
  }
};
console.log(vm.constants);
for (const code of ['var 5;', 'let a = 1; let a = 2', '}', 'foo bar', '\n\n  x = {\n', '"use strict"; with (a) {}']) {
  show(() => new vm.Script(code, { filename: 't.js', lineOffset: 3 }));
}
show(() => new vm.Script('var 5;'));
show(() => new vm.Script('var 5;', { displayErrors: false }));
show(() => vm.runInThisContext('throw new Error("x")'));
show(() => vm.runInThisContext('\n function f() { throw new Error("x") }; f()',
  { filename: '/no/such/z.js', lineOffset: 10, columnOffset: 5 }));
show(() => vm.runInThisContext('a.b.c', { columnOffset: 5 }));
show(() => vm.runInThisContext('throw 5'));
show(() => vm.runInThisContext('a.b.c', { displayErrors: false }));
show(() => vm.runInThisContext('throw new Error(1)\n//# sourceURL=foo.js'));
const script = new vm.Script('1 + 1');
console.log(script, script.runInThisContext(), script.cachedDataRejected, Object.keys(script));
console.log(new vm.Script('1\n//# sourceMappingURL=foo.map').sourceMapURL, new vm.Script('1\n//# sourceURL=foo.js').sourceURL);
console.log(vm.runInThisContext('var vx = 1; let ly = 2; vx + ly'), globalThis.vx, vm.runInThisContext('ly'), typeof ly, typeof vx);
show(() => vm.runInThisContext('let ly = 2'));
const twice = new vm.Script('let tw = 1');
twice.runInThisContext();
show(() => twice.runInThisContext());
console.log(vm.runInThisContext('if (true) { 5 }'), vm.runInThisContext('this === globalThis'));
console.log(vm.runInThisContext('(function () { return this })() === globalThis'));
console.log(vm.runInThisContext('"use strict"; (function () { return this })()'));
console.log(vm.runInThisContext('#!shebang\n7'), vm.runInThisContext('undeclared = 3'), globalThis.undeclared);
console.log(vm.runInThisContext('function hoisted() { return 9 }; typeof hoisted'), hoisted());
