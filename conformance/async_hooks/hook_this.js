// `this` of a hook's functions is the hook.
'use strict';
const { createHook, AsyncResource } = require('node:async_hooks');
const seen = [];
const hook = createHook({
  init(id, type) {
    seen.push(type, this === hook);
    this.disable();
  },
}).enable();
new AsyncResource('first');
new AsyncResource('second');
console.log(seen);
