'use strict';
// Whether anybody asks who is running, for modules that have callbacks called: nothing is tracked until `async_hooks` is
// loaded, which fills this in.

const tracking = module.exports = {
  on: false,
  // (type, callback, resource): a function that is called once, in the context of now.
  request: undefined,
  // The same for one that is called many times; its `ended()` says that it will not be any more.
  handle: undefined,
  // (promise, call): calls as the promise's reaction would be, if hooks know it.
  asPromise: undefined,
  // (id, call, ...args): what the call starts is triggered by that id.
  withTrigger: undefined,
  // The same for a handle, if it is tracked.
  triggeredBy(handle, call, ...args) {
    const id = tracking.on ? handle?.getAsyncId?.() ?? -1 : -1;
    return id < 0 ? call(...args) : tracking.withTrigger(id, call, ...args);
  },
};
