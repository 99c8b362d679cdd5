// A global object that inherits from a proxy, as a window does from what is named in its document: a variable is there if the proxy has it.
const vm = require('vm');
const window = vm.createContext(vm.constants.DONT_CONTEXTIFY);
const named = { there: 1, empty: undefined };
Object.setPrototypeOf(window, Object.create(new Proxy(named, { has: (target, key) => key in target, get: (target, key) => target[key] })));
for (const text of [
  'missing', 'typeof missing', 'there', 'typeof there', 'empty', 'typeof empty', '(0, eval)("missing")', 'new Function("return missing")()',
  'missing()', 'missing.x', 'missing++', '`${missing}`', 'globalThis.missing', '"missing" in globalThis', 'there = 2; there', 'var empty = 3; empty',
]) {
  try {
    console.log(text, vm.runInContext(text, window));
  } catch (error) {
    console.log(text, error.name, error.message);
  }
}
