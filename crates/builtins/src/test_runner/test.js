'use strict';
// The module `node:test`: the public functions. The tree of tests is in `internal/test_runner/tree`.

const { parseArguments } = require('internal/test_runner/given');
const { addHook, addItem, current, root } = require('internal/test_runner/tree');
const { MockTracker } = require('internal/test_runner/mock');

function makeMaker(kind, name) {
  const make = (more) => (title, options, fn) => addItem(current() ?? root(), kind, parseArguments(title, options, fn, more)).toPromise();
  const maker = make();
  Object.defineProperty(maker, 'name', { __proto__: null, value: name, configurable: true });
  for (const word of ['skip', 'todo', 'only']) maker[word] = make({ [word]: true });
  return maker;
}

const test = makeMaker('test', 'test');
const suite = makeMaker('suite', 'suite');

const hook = (kind) => ({ [kind](fn, options) { addHook(current() ?? root(), kind, fn, options); } })[kind];

let mock;
let counting;

module.exports = Object.assign(test, {
  after: hook('after'),
  afterEach: hook('afterEach'),
  before: hook('before'),
  beforeEach: hook('beforeEach'),
  describe: suite,
  it: test,
  suite,
  test,
});
Object.defineProperties(module.exports, {
  mock: { __proto__: null, configurable: true, enumerable: true, get: () => (mock ??= new MockTracker()) },
  assert: {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get: () => (counting ??= { register: require('internal/test_runner/context').registerAssertion }),
  },
});
