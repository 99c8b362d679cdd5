'use strict';
// Registers prototypes with the prototype guards of native fast paths (crates/js/src/proto_guard.rs). A guard compares
// property slots with a snapshot, so the original property values must stay alive: they are kept here.

const kept = [];

module.exports = function keepLayer(prototype) {
  kept.push(prototype, Object.getOwnPropertyDescriptors(prototype));
  native.keepLayer(prototype);
};
