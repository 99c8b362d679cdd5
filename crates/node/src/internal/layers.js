'use strict';
// The prototypes that natives go past, with what they had when they were made: see layers.rs. Natives tell by the memory of a
// prototype whether a program has changed it, so that what was there has to live.

const kept = [];

module.exports = function keepLayer(prototype) {
  kept.push(prototype, Object.getOwnPropertyDescriptors(prototype));
  native.keepLayer(prototype);
};
