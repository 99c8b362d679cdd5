// An error has a stack of its own from the first, before its message, however it was made.
const { types, inspect } = require('util');
const vm = require('vm');
const keys = (name, error) => console.log(name, Reflect.ownKeys(error), Object.hasOwn(error, 'stack'), Object.keys(error), typeof error.stack);
const thrown = (call) => {
  try {
    return call();
  } catch (error) {
    return error;
  }
};

keys('made', new Error('a'));
keys('without a message', new Error());
keys('with a cause', new TypeError('a', { cause: 1 }));
keys('of many', new AggregateError([1], 'a'));
keys('by the engine', thrown(() => null.x));
keys('by a parser', thrown(() => JSON.parse('{')));
keys('by a compiler', thrown(() => new Function('a b')));
keys('by the stack', thrown(function again() { again(); }));
keys('by the system', thrown(() => require('fs').readFileSync('/is/not/there')));
keys('of a realm', vm.runInNewContext('new RangeError("a")'));
keys('cloned', structuredClone(new Error('a')));
class Own extends Error {
  constructor(message) {
    super(message);
    this.name = 'Own';
  }
}
keys('of a class', new Own('a'));

const text = (error) => JSON.stringify(error, Object.getOwnPropertyNames(error)).replace(/\\n[^"]*/, '');
console.log(text(new Error('told')), JSON.stringify(new Error('not told')), { ...new Error('not told') });
const { get, set, enumerable, configurable } = Object.getOwnPropertyDescriptor(new Error('a'), 'stack');
console.log(typeof get, typeof set, enumerable, configurable, get === Object.getOwnPropertyDescriptor(new TypeError(), 'stack').get);

const changed = new Error('a');
changed.stack = 'other';
console.log(changed.stack, Reflect.ownKeys(changed), delete changed.stack, Object.hasOwn(changed, 'stack'));
const heir = Object.create(new Error('inherited'));
console.log(heir.stack.split('\n')[0], types.isNativeError(heir), Object.hasOwn(heir, 'stack'));
const frozen = Object.freeze(new Error('frozen'));
console.log(frozen.stack.split('\n')[0], frozen.stack === frozen.stack, inspect(frozen).split('\n')[0]);
const object = {};
Error.captureStackTrace(object);
console.log(Reflect.ownKeys(object), Object.keys(object));

// Set, where it cannot be defined, and by those that are no errors.
const strictly = (name, call) => console.log(name, thrown(call));
strictly('frozen', () => { 'use strict'; frozen.stack = 1; return [frozen.stack, Object.isFrozen(frozen)]; });
strictly('sealed', () => { 'use strict'; const error = Object.seal(new Error('a')); error.stack = { a: 1 }; return error.stack; });
strictly('not extensible', () => { 'use strict'; const error = Object.preventExtensions(new Error('a')); error.stack = 'b'; return error.stack; });
const child = Object.create(new Error('inherited'));
strictly('inherited', () => { 'use strict'; child.stack = 'set'; return [child.stack, Object.getPrototypeOf(child).stack, Object.hasOwn(child, 'stack')]; });
const behind = new Error('behind');
const proxy = new Proxy(behind, {});
const untouched = new Proxy(Object.create(new Error('inherited')), { getPrototypeOf() { throw new Error('asked'); } });
strictly('of a proxy', () => [proxy.stack, new Proxy(Object.create(behind), {}).stack, untouched.stack]);
strictly('set by a proxy', () => { 'use strict'; proxy.stack = 'set'; return [proxy.stack, behind.stack.split('\n')[0]]; });
strictly('others', () => { const other = {}; set.call(other, 1); return [other, get.call(other), get.call(5), get.call(undefined)]; });

require('fs').promises.readFile('/is/not/there').catch((error) => {
  keys('rejected', error);
  // Whatever becomes of the prototype's, errors have theirs.
  const head = (error) => error.stack.split('\n')[0];
  const all = () => console.log(head(new Error('x')), head(thrown(() => null.x)), head(new Own('y')), Object.hasOwn(new Error('x'), 'stack'));
  Object.defineProperty(Error.prototype, 'stack', { configurable: true, get() { return 'mine'; } });
  console.log(Object.create(Error.prototype).stack);
  all();
  delete Error.prototype.stack;
  console.log(Object.create(Error.prototype).stack);
  all();
  Error.prototype.stack = 'value';
  all();
  console.log(head(vm.runInNewContext('delete Error.prototype.stack; new Error("of a realm")')));
});

// Nobody else has one, and what makes stacks can be asked to.
console.log('stack' in Error.prototype, 'stack' in TypeError.prototype, Object.create(Error.prototype).stack);
console.log(require('vm').runInNewContext("['stack' in Error.prototype, Object.hasOwn(new TypeError('x'), 'stack')]").join());
const { prepareStackTrace } = Error;
console.log(prepareStackTrace.name, prepareStackTrace.length, Object.keys(Error).includes('prepareStackTrace'));
console.log(prepareStackTrace(new RangeError('said'), []), prepareStackTrace(new RangeError('said'), ['here', 'there']));
Error.prepareStackTrace = (error, sites) => prepareStackTrace(error, sites.slice(0, 1)).replace(/\(.*[/\\]/, '(');
console.log((function named() { return new Error('by another').stack; })());
Error.prepareStackTrace = prepareStackTrace;
console.log(new Error('as before').stack.split('\n')[0]);
