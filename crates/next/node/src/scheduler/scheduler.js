'use strict';
// The inner scheduler of Node: ticks, microtasks, immediates, timers, rejections.

module.exports = native;
