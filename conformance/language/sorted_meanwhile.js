'use strict';
// What `sort` has sorted is what the array has then, whatever the function that compares has made of it meanwhile.
const say = (name, make) => {
  try { console.log(name, make()); } catch (error) { console.log(name, 'throws', error.name); }
};
const sorted = (array, meanwhile) => {
  let calls = 0;
  return array.sort((a, b) => { meanwhile(array, calls++); return a - b; });
};
say('emptied', () => sorted([1, 2, 3, 5, 4], (array) => { array.length = 0; }));
say('emptied once', () => sorted([5, 4, 3, 2, 1], (array, calls) => { if (calls === 0) array.length = 0; }));
say('filled', () => sorted([1, 2, 3], (array) => { array.fill(9); }));
say('grown', () => sorted([3, 2, 1], (array, calls) => { if (calls === 0) array.push(9, 8); }));
say('deleted', () => sorted([1, 2, 3], (array) => { delete array[1]; }));
say('with holes', () => sorted([5, , 4, undefined, 3], (array) => { array[1] = 'filled'; array.pop(); }));
say('frozen', () => sorted([1, 2, 3], (array) => { Object.freeze(array); }));
say('frozen before', () => Object.freeze([1, 2, 3]).sort());
say('frozen, of one', () => Object.freeze([1]).sort());
say('a getter', () => sorted([1, 2], (array) => { Object.defineProperty(array, 0, { get: () => 7, configurable: true }); }));
say('by text', () => {
  const array = [{ toString() { array.length = 0; return 'a'; } }, { toString: () => 'b' }];
  return array.sort().map(String);
});
say('thrown', () => {
  const array = [1, 2, 3];
  try { array.sort(() => { array.length = 1; throw new Error('over'); }); } catch { return array; }
});
say('like an array', () => {
  const array = { length: 3, 0: 1, 1: 2, 2: 3 };
  return Array.prototype.sort.call(array, (a, b) => { delete array[0]; array.length = 9; return a - b; });
});
say('by a proxy', () => {
  const set = [];
  new Proxy([1, 2, 3], { set(target, key, value) { set.push(key); target[key] = value; return true; } }).sort();
  return set;
});
say('toSorted', () => {
  const array = [5, 4, 3, 2, 1];
  return [array.toSorted((a, b) => { array.length = 0; return a - b; }), array];
});
say('typed', () => sorted(new Uint8Array([3, 1, 2]), (array) => { array.fill(9); }));
say('typed and shrunk', () => {
  const buffer = new ArrayBuffer(8, { maxByteLength: 8 });
  const array = new Uint8Array(buffer);
  array.set([8, 7, 6, 5, 4, 3, 2, 1]);
  return array.sort((a, b) => { if (buffer.byteLength > 4) buffer.resize(4); return a - b; });
});
say('typed and gone', () => {
  const array = new Float64Array([2, 1]);
  array.sort((a, b) => { if (array.length) structuredClone(array.buffer, { transfer: [array.buffer] }); return a - b; });
  return array.length;
});
say('typed, thrown', () => new Int16Array([2, 1]).sort(() => { throw new TypeError('over'); }));
say('typed, no function', () => new Int16Array([2, 1]).sort(5));
say('typed, big', () => new BigInt64Array([2n, -1n, 0n]).sort((a, b) => (a < b ? 1 : -1)));
say('not typed', () => Uint8Array.prototype.sort.call([], () => 0));

const many = Array.from({ length: 2000 }, (_, at) => (at * 7919) % 2003);
console.log(sorted(many.slice(), (array, calls) => { if (calls % 100 === 0) array[calls % 2000] = -1; }).every((one, at, all) => at === 0 || all[at - 1] < one));
