// Thousands of listeners on one target: none is added twice, all are called in order, and signals take theirs away.
const target = new EventTarget();
require('events').setMaxListeners(0, target);
const called = [];
const listeners = Array.from({ length: 5000 }, (_, i) => () => called.push(i));
for (const listener of listeners) target.addEventListener('x', listener);
for (const listener of listeners) target.addEventListener('x', listener);
for (const listener of listeners.slice(0, 100)) target.addEventListener('x', listener, true);
target.dispatchEvent(new Event('x'));
console.log(called.length, called.slice(0, 3), called.slice(-3));

called.length = 0;
listeners.forEach((listener, i) => i % 2 && target.removeEventListener('x', listener));
target.removeEventListener('x', listeners[3]);
target.removeEventListener('x', listeners[5], true);
target.dispatchEvent(new Event('x'));
console.log(called.length, called.slice(0, 3), called.slice(-3));

called.length = 0;
for (const listener of listeners) {
  target.removeEventListener('x', listener);
  target.removeEventListener('x', listener, { capture: true });
}
target.dispatchEvent(new Event('x'));
console.log(called.length);

const controllers = listeners.map((listener, i) => {
  const controller = new AbortController();
  target.addEventListener('y', listener, { signal: controller.signal, once: i % 3 === 0 });
  return controller;
});
controllers.forEach((controller, i) => i % 2 && controller.abort());
target.dispatchEvent(new Event('y'));
console.log(called.length, called.slice(0, 4), called.slice(-2));
called.length = 0;
target.dispatchEvent(new Event('y'));
console.log(called.length, called.slice(0, 4));
for (const controller of controllers) controller.abort();
called.length = 0;
target.dispatchEvent(new Event('y'));
console.log(called.length);

// The same listener with two signals: the first of them to abort takes it away.
const [one, two] = [new AbortController(), new AbortController()];
target.addEventListener('z', listeners[0], { signal: one.signal });
target.addEventListener('z', listeners[0], { signal: two.signal });
two.abort();
target.dispatchEvent(new Event('z'));
console.log(called.length);

// A listener that removes those after it, and adds one, while it is called.
const order = [];
const later = () => order.push('later');
const added = () => order.push('added');
const first = () => {
  order.push('first');
  target.removeEventListener('w', later);
  target.addEventListener('w', added);
};
target.addEventListener('w', first);
target.addEventListener('w', later);
target.dispatchEvent(new Event('w'));
target.dispatchEvent(new Event('w'));
console.log(order);
