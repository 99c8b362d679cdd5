// Functions of a text.
const vm = require('vm');
const head = (error) => error.stack.split('\n').filter((line) => !/^ {4}at .*(?:node:|conformance)/.test(line));
const show = (run) => {
  try {
    console.log(run());
  } catch (error) {
    console.log(head(error), error.code);
  }
};
const add = vm.compileFunction('return a + b + (typeof c)', ['a', 'b'], { filename: 'f.js' });
console.log(add, add(1, 2), add.name === '', add.length, add.toString());
show(() => vm.compileFunction('return x + y', [], { contextExtensions: [{ x: 1 }, { y: 2 }] })());
show(() => vm.compileFunction('"use strict"; return [x, this]', [], { contextExtensions: [{ x: 1 }] })());
show(() => vm.compileFunction('return a b'));
show(() => vm.compileFunction('});(function(){'));
show(() => vm.compileFunction('"}"; `}`; return /}/.test("}")')());
show(() => vm.compileFunction('return new.target')());
show(() => vm.compileFunction('throw new Error("u")', [], { filename: 'q.js' })());
show(() => vm.compileFunction('throw new Error("u")', [], { filename: 'q.js', lineOffset: 5, columnOffset: 7 })());
show(() => vm.compileFunction('\n\nthrow new Error("u")', [], { filename: 'q.js', lineOffset: 1 })());
show(() => vm.compileFunction('// only a comment')());
const produced = vm.compileFunction('return 1', [], { produceCachedData: true });
console.log(produced.cachedDataProduced, Buffer.isBuffer(produced.cachedData));
const consumed = vm.compileFunction('return 1', [], { cachedData: produced.cachedData });
console.log(consumed.cachedDataRejected, consumed());
for (const wrong of [
  () => vm.compileFunction(1), () => vm.compileFunction('1', 1), () => vm.compileFunction('1', [1]),
  () => vm.compileFunction('1', [], { contextExtensions: 1 }), () => vm.compileFunction('1', [], { contextExtensions: [1] }),
  () => vm.compileFunction('1', [], { parsingContext: {} }), () => vm.compileFunction('1', [], null),
  () => vm.compileFunction('1', [], { produceCachedData: 1 }), () => vm.compileFunction('1', [], { columnOffset: 0.5 }),
]) show(wrong);
