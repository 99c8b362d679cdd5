'use strict';
// What the runtime itself tells on named channels. Nobody can hear it before `diagnostics_channel` is loaded, which puts its makers
// here: until then a channel costs a look at one property.

const makers = { channel: undefined, tracingChannel: undefined };
const channels = { __proto__: null };
const tracings = { __proto__: null };

// The channel of a name, if somebody listens to it.
function heard(name) {
  if (makers.channel === undefined) return undefined;
  const channel = (channels[name] ??= makers.channel(name));
  return channel.hasSubscribers ? channel : undefined;
}

// The channels on which a work of some name is followed, if somebody listens to one of them.
function traced(name) {
  if (makers.tracingChannel === undefined) return undefined;
  const tracing = (tracings[name] ??= makers.tracingChannel(name));
  return tracing.hasSubscribers ? tracing : undefined;
}

module.exports = { heard, makers, traced };
