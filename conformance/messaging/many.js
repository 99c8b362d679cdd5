// Thousands of channels of one name that close at once, and thousands of immediates that are made and cleared.
const channels = Array.from({ length: 20000 }, () => new BroadcastChannel('many'));
const last = channels.pop();
let heard = 0;
last.onmessage = ({ data }) => {
  heard += data;
  for (const channel of channels) channel.close();
  last.close();
};
channels[0].postMessage(7);

let ran = 0;
for (let i = 0; i < 200000; i++) clearImmediate(setImmediate(() => ran++));
const kept = [];
for (let i = 0; i < 20000; i++) {
  const immediate = setImmediate((n) => kept.push(n), i);
  if (i % 10) clearImmediate(immediate);
}
setImmediate(() => {
  console.log(ran, kept.length, kept.slice(0, 3), kept.at(-1));
  const before = setImmediate(() => kept.push('no'));
  for (let i = 0; i < 5000; i++) clearImmediate(setImmediate(() => kept.push('no')));
  clearImmediate(before);
  setImmediate(() => console.log(kept.length));
});
process.on('exit', () => console.log(heard));

// The main thread may wait.
console.log(Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5));
console.log(Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 5));
