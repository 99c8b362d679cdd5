'use strict';
// Whether anybody asks who is running, for modules that have callbacks called: nothing is tracked until `async_hooks` is
// loaded, which fills this in.

module.exports = {
  on: false,
  // (type, callback, resource): a function that is called once, in the context of now.
  request: undefined,
  // The same for one that is called many times; its `ended()` says that it will not be any more.
  handle: undefined,
};
