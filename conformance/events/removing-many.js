'use strict';
// Removing one listener among many: the last that is it, or stands for it, whatever kinds are in the list.
const EventEmitter = require('events');

const emitter = new EventEmitter().setMaxListeners(0);
const called = [];
const make = (name) => () => { called.push(name); };
const show = () => {
  called.length = 0;
  emitter.emit('x');
  console.log(called.join(' '), emitter.listenerCount('x'));
};

const [a, b, c] = ['a', 'b', 'c'].map(make);
emitter.on('x', a).on('x', b).once('x', a).on('x', c).on('x', b);
emitter.off('x', a);
show();
emitter.off('x', b);
show();
emitter.off('x', make('none'));
show();

// What stands for a listener by its property, however it comes by it.
const wrap = (listener, more) => Object.assign(make('wrapped'), { listener, ...more });
emitter.on('x', wrap(c)).on('x', wrap(c, { other: 1 })).on('x', make('d'));
emitter.off('x', c);
show();
emitter.off('x', c);
show();
emitter.off('x', c);
show();

let asked = 0;
const getter = Object.defineProperty(make('getter'), 'listener', { get() { asked++; return c; } });
class Listeners extends Function {}
Object.defineProperty(Listeners.prototype, 'listener', { value: a, writable: true });
const inherits = Object.setPrototypeOf(make('inherits'), Listeners.prototype);
emitter.on('x', getter).on('x', inherits).on('x', b);
emitter.off('x', c);
console.log(asked > 0);
show();
emitter.off('x', a);
show();

const proxy = new Proxy(make('proxy'), { get: (target, key) => (key === 'listener' ? c : target[key]) });
emitter.on('x', proxy).on('x', b).off('x', c);
show();
emitter.on('x', proxy).off('x', proxy);
show();

// A list that a program has made its own.
emitter.removeAllListeners();
emitter.on('x', a).on('x', b);
class Own extends Array {}
emitter._events.x = Own.from([a, b, c]);
emitter.off('x', b);
console.log(emitter._events.x.constructor.name, emitter.listenerCount('x'));
emitter._events.x = [a, null, c];
try {
  emitter.off('x', a);
} catch (error) {
  console.log(error.constructor.name);
}
console.log(emitter.listenerCount('x'));

// Many, from both ends and out of the middle.
emitter.removeAllListeners();
const many = Array.from({ length: 1000 }, (_, i) => () => { called.push(i); });
for (const [i, each] of many.entries()) i % 3 === 0 ? emitter.once('y', each) : emitter.on('y', each);
emitter.prependListener('y', a);
for (let i = 0; i < 1000; i++) if (i % 10 !== 7) emitter.off('y', many[(i * 7) % 1000]);
called.length = 0;
emitter.emit('y');
console.log(called.length, called.slice(0, 5), called.slice(-5), emitter.listenerCount('y'));
