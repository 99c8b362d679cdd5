'use strict';
// Async tracking interface for modules that call callbacks. It does nothing until `async_hooks` is loaded and fills
// it in.

const tracking = module.exports = {
  on: false,
  // Whether a hook is enabled.
  isHooked: () => false,
  // (type, callback, resource): returns a function to be called once, in the current async context.
  request: undefined,
  // The same for a function that is called many times; its `ended()` marks the last call.
  handle: undefined,
  // (promise, call): runs `call` in the async scope of the promise if the promise has an async id.
  asPromise: undefined,
  // (id, call, ...args): resources created by the call get that trigger id.
  withTrigger: undefined,
  // Like `withTrigger`, with the async id of `handle` as the trigger id. Calls directly if the handle is not tracked.
  triggeredBy(handle, call, ...args) {
    const id = tracking.on ? handle?.getAsyncId?.() ?? -1 : -1;
    return id < 0 ? call(...args) : tracking.withTrigger(id, call, ...args);
  },
};
