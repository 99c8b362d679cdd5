'use strict';
// Channels on which the runtime itself publishes. They have no subscribers until `diagnostics_channel` is loaded and sets `makers`; until
// then a check costs one property read.

const makers = { channel: undefined, tracingChannel: undefined };
const channels = { __proto__: null };
const tracings = { __proto__: null };

// The channel of a name, if it has subscribers.
function heard(name) {
  if (makers.channel === undefined) return undefined;
  const channel = (channels[name] ??= makers.channel(name));
  return channel.hasSubscribers ? channel : undefined;
}

// The tracing channel of a name, if it has subscribers.
function traced(name) {
  if (makers.tracingChannel === undefined) return undefined;
  const tracing = (tracings[name] ??= makers.tracingChannel(name));
  return tracing.hasSubscribers ? tracing : undefined;
}

module.exports = { heard, makers, traced };
