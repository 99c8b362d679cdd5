'use strict';
// The context of a reaction is its promise's own: a prototype that is a proxy is not asked for it.
const { AsyncLocalStorage } = require('async_hooks');

const storage = new AsyncLocalStorage();
const asked = [];
const prototype = new Proxy(Promise.prototype, {
  get(target, name, receiver) {
    asked.push(String(name));
    return Reflect.get(target, name, receiver);
  },
});

const first = Promise.resolve();
// Made outside of any context: the promise itself keeps none.
const outside = first.then(() => console.log('outside', storage.getStore()));
Object.setPrototypeOf(outside, prototype);

storage.run('store', () => {
  const inside = first.then(() => console.log('inside', storage.getStore()));
  Object.setPrototypeOf(inside, prototype);
  inside.then(() => {
    console.log('after', storage.getStore());
    console.log('asked as the language does', asked.includes('then'), asked.includes('constructor'));
    console.log('asked for the context', asked.includes('Symbol(made in)'));
  });
});
