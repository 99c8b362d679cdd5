'use strict';
// Taking entries of a FinalizationRegistry back: by token, of one registry, however many there are.
const tries = (change) => { try { return change(); } catch (error) { return error.name; } };

const gone = [];
const first = new FinalizationRegistry((held) => gone.push(held));
const second = new FinalizationRegistry((held) => gone.push(held));

const targets = Array.from({ length: 20_000 }, (_, i) => ({ i }));
const shared = {};
for (const target of targets) {
  first.register(target, target.i, target);
  second.register(target, target.i, shared);
}
console.log(targets.filter((target) => second.unregister(target)).length);
console.log(targets.filter((target, i) => i % 2 === 0 && first.unregister(target)).length);
console.log(targets.filter((target) => first.unregister(target)).length);
console.log(first.unregister(shared), second.unregister(shared), second.unregister(shared));

// Several entries of one token, in several registries and for several targets.
const token = {};
for (const registry of [first, second]) {
  registry.register(targets[0], 'a', token);
  registry.register(targets[0], 'b', token);
  registry.register(targets[1], 'c', token);
}
console.log(first.unregister(token), first.unregister(token), second.unregister(token), second.unregister(token));

// What is held may be what another entry waits for.
let chain = {};
for (let i = 0; i < 1000; i++) {
  const target = { chain };
  first.register(chain, target, token);
  chain = target;
}
chain = undefined;
console.log(first.unregister(token), first.unregister(token));

// A registry as its own token, and what cannot be one.
console.log(first.register(targets[2], 'own token', first), first.unregister(first), first.unregister(first));
for (const wrong of [undefined, null, 1, 'text', Symbol.for('registered')]) {
  console.log(tries(() => first.unregister(wrong)), tries(() => first.register(targets[0], 1, wrong)),
    tries(() => first.register(wrong, 1, token)));
}
const { register, unregister } = FinalizationRegistry.prototype;
for (const other of [{}, new WeakMap(), undefined, Object.create(first)]) {
  console.log(tries(() => unregister.call(other, token)), tries(() => register.call(other, targets[0], 1, token)));
}
const symbol = Symbol('token');
console.log(first.register(targets[3], 'by symbol', symbol), first.unregister(symbol), first.unregister(symbol));
console.log(tries(() => first.register(targets[4], targets[4], token)), first.unregister(token));

// Registries that go with their entries.
for (let i = 0; i < 100; i++) {
  const passing = new FinalizationRegistry(() => {});
  for (const target of targets.slice(0, 20)) passing.register(target, passing, shared);
}
console.log(second.unregister(shared), gone);
