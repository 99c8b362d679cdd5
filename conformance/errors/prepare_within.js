// Stacks that are asked for while one is prepared are the usual ones.
const first = (text) => String(text).split('\n')[0];
Error.prepareStackTrace = (error) => `prepared: ${first(error.stack)}`;
console.log(new Error('one').stack);
let calls = 0;
Error.prepareStackTrace = (error, trace) => {
  calls++;
  return [first(new TypeError('within').stack), first(error.stack), Array.isArray(trace)];
};
console.log(new Error('two').stack, calls);
Error.prepareStackTrace = () => { throw new RangeError(`thrown: ${first(new Error('inner').stack)}`); };
try {
  console.log(new Error('three').stack);
} catch (error) {
  Error.prepareStackTrace = undefined;
  console.log(error.message);
}
console.log(first(new Error('four').stack));
