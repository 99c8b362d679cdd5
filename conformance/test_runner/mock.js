'use strict';
// Functions of `mock`: what they remember, and what they stand for.

const { mock } = require('node:test');
const { log } = console;
const tried = (run) => {
  try {
    log(run());
  } catch (error) {
    log(error.code, error.message);
  }
};

const sum = mock.fn((a, b) => a + b);
log(sum(1, 2), sum.length, sum.mock.callCount());
const [{ arguments: given, error, result, target, this: self, stack }] = sum.mock.calls;
log(given, error, result, target, self, stack instanceof Error);
sum.mock.mockImplementation(() => 'other');
sum.mock.mockImplementationOnce(() => 'once');
sum.mock.mockImplementationOnce(() => 'third', 3);
log(sum(), sum(), sum(), sum());
sum.mock.restore();
log(sum(2, 2), sum.mock.callCount());
sum.mock.resetCalls();
log(sum.mock.callCount());

const failing = mock.fn(() => { throw new Error('no'); });
tried(() => failing());
log(failing.mock.calls[0].error.message, failing.mock.calls[0].result);
const twice = mock.fn(() => 'first', () => 'mocked', { times: 2 });
log(twice(), twice(), twice());
log(mock.fn()(1));

class Made { constructor(value) { this.value = value; } }
const Maker = mock.fn(Made);
log(new Maker(5), Maker.mock.calls[0].target === Made, Maker.mock.calls[0].this);

const object = { base: 2, add(n) { return this.base + n; }, get half() { return this.base / 2; }, set half(n) { this.base = n * 2; } };
mock.method(object, 'add');
log(object.add(3), object.add.mock.calls[0].arguments, object.add.mock.calls[0].this === object);
object.add.mock.mockImplementation(function(n) { return this.base * n; });
log(object.add(3));
const half = mock.getter(object, 'half', () => 'a half');
log(object.half, half.mock.callCount());
const setter = mock.setter(object, 'half', function(n) { this.base = n; });
object.half = 9;
log(object.base, setter.mock.calls[0].arguments);
mock.restoreAll();
log(object.half, object.add(1), 'mock' in object.add);
const child = Object.create({ inherited: () => 'above' });
mock.method(child, 'inherited', () => 'here');
log(child.inherited(), Object.hasOwn(child, 'inherited'));
mock.reset();
log(child.inherited());

tried(() => mock.fn(5));
tried(() => mock.method(object, 'base'));
tried(() => mock.method(object, 'nowhere'));
tried(() => mock.method(5, 'x'));
tried(() => mock.fn(() => {}, () => {}, { times: 0 }));
tried(() => mock.fn().mock.mockImplementation(5));
