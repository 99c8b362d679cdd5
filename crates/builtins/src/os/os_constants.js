'use strict';
// `os.constants`: signals, errno, priorities and dlopen flags.

const { dlopen, errno, signals } = native.constants();

const freeze = (numbers) => Object.freeze(Object.assign({ __proto__: null }, numbers));

module.exports = Object.assign({ __proto__: null }, {
  UV_UDP_REUSEADDR: 4,
  dlopen: Object.assign({ __proto__: null }, dlopen),
  errno: Object.assign({ __proto__: null }, errno),
  signals: freeze(signals),
  priority: Object.assign({ __proto__: null }, {
    PRIORITY_LOW: 19,
    PRIORITY_BELOW_NORMAL: 10,
    PRIORITY_NORMAL: 0,
    PRIORITY_ABOVE_NORMAL: -7,
    PRIORITY_HIGH: -14,
    PRIORITY_HIGHEST: -20,
  }),
});
