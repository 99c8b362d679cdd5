'use strict';
// `v8.promiseHooks`: promise life cycle hooks without async ids.

const process = require('process');
const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { isAsyncFunction } = require('internal/util/types');
const { setPromiseHook } = require('internal/async_hooks');

// In the order of the native event numbers.
const names = ['init', 'before', 'after', 'settled'];
let registered = names.map(() => []);

// An exception in a hook must not reach the code that created the promise.
function runHooks(moment, promise, parent) {
  for (const hook of registered[moment]) {
    try {
      if (moment === 0) hook(promise, parent);
      else hook(promise);
    } catch (error) {
      process.nextTick(() => { throw error; });
    }
  }
}

function change(moment, hooks) {
  registered = registered.with(moment, hooks);
  setPromiseHook(registered.some((one) => one.length > 0) ? runHooks : undefined);
}

function add(moment, hook) {
  if (typeof hook !== 'function' || isAsyncFunction(hook)) {
    throw new ERR_INVALID_ARG_TYPE(`${names[moment]}Hook`, 'Function', hook);
  }
  // A wrapper, because one function may be registered several times.
  const entry = moment === 0 ? (promise, parent) => hook(promise, parent) : (promise) => hook(promise);
  change(moment, [...registered[moment], entry]);
  return () => change(moment, registered[moment].filter((one) => one !== entry));
}

function createHook({ init, before, after, settled } = {}) {
  const stops = [init, before, after, settled].map((hook, moment) => (hook ? add(moment, hook) : undefined));
  return () => { for (const stop of stops) stop?.(); };
}

module.exports = {
  createHook,
  onInit: (hook) => add(0, hook),
  onBefore: (hook) => add(1, hook),
  onAfter: (hook) => add(2, hook),
  onSettled: (hook) => add(3, hook),
};
