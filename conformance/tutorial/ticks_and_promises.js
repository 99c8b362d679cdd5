// Ticks that promises add, and promises that ticks add: each queue is emptied before the other one gets its turn.
process.nextTick(() => {
  console.log('tick 1');
  Promise.resolve().then(() => {
    console.log('promise of tick 1');
    process.nextTick(() => console.log('tick of that promise'));
  });
  process.nextTick(() => console.log('tick of tick 1'));
});
Promise.resolve().then(() => {
  console.log('promise 1');
  process.nextTick(() => {
    console.log('tick of promise 1');
    Promise.resolve().then(() => console.log('promise of that tick'));
  });
  queueMicrotask(() => console.log('microtask of promise 1'));
}).then(() => console.log('promise 2'));
process.nextTick(() => console.log('tick 2'));
queueMicrotask(() => console.log('microtask'));
(async () => {
  console.log('async function begins');
  await null;
  console.log('after await');
  await new Promise((resolve) => process.nextTick(resolve));
  console.log('after await of a tick');
})();
console.log('main done');
