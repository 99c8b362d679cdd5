'use strict';
// Named channels for diagnostics. Publishing to a channel without subscribers is a no-op call: the channel switches
// its prototype with the first and the last subscriber.

const process = require('process');
const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { validateFunction } = require('internal/validators');

// Weak references to channels by name; `busy` keeps those with subscribers alive.
const channels = new SafeMap();
const busy = new SafeMap();
let finalizers;

function existingChannel(name) {
  return channels.get(name)?.deref();
}

function enlist(channel) {
  finalizers ??= new SafeFinalizationRegistry((name) => {
    if (existingChannel(name) === undefined) channels.delete(name);
  });
  finalizers.register(channel, channel.name);
  channels.set(channel.name, new SafeWeakRef(channel));
}

function hold(channel, change) {
  const count = (busy.get(channel) ?? 0) + change;
  if (count > 0) busy.set(channel, count);
  else busy.delete(channel);
}

function uncaughtByTick(error) {
  process.nextTick(() => {
    throw error;
  });
}

function activate(channel) {
  Object.setPrototypeOf(channel, ActiveChannel.prototype);
  channel._subscribers = [];
  channel._stores = new SafeMap();
}

function deactivateIfIdle(channel) {
  if (channel._subscribers.length > 0 || channel._stores.size > 0) return;
  Object.setPrototypeOf(channel, Channel.prototype);
  channel._subscribers = undefined;
  channel._stores = undefined;
}

class ActiveChannel {
  subscribe(subscription) {
    validateFunction(subscription, 'subscription');
    // Copy on write: a running publish continues with the old list.
    this._subscribers = [...this._subscribers, subscription];
    hold(this, 1);
  }

  unsubscribe(subscription) {
    const at = this._subscribers.indexOf(subscription);
    if (at === -1) return false;
    this._subscribers = this._subscribers.toSpliced(at, 1);
    hold(this, -1);
    deactivateIfIdle(this);
    return true;
  }

  bindStore(store, transform) {
    if (!this._stores.has(store)) hold(this, 1);
    this._stores.set(store, transform);
  }

  unbindStore(store) {
    if (!this._stores.delete(store)) return false;
    hold(this, -1);
    deactivateIfIdle(this);
    return true;
  }

  get hasSubscribers() {
    return true;
  }

  publish(data) {
    const subscribers = this._subscribers;
    for (let i = 0; i < (subscribers?.length ?? 0); i++) {
      try {
        const onMessage = subscribers[i];
        onMessage(data, this.name);
      } catch (error) {
        uncaughtByTick(error);
      }
    }
  }

  runStores(data, fn, thisArg, ...args) {
    let run = () => {
      this.publish(data);
      return Reflect.apply(fn, thisArg, args);
    };
    for (const [store, transform] of this._stores) run = inStore(store, data, run, transform);
    return run();
  }
}

function inStore(store, data, next, transform = (given) => given) {
  return () => {
    let context;
    try {
      context = transform(data);
    } catch (error) {
      uncaughtByTick(error);
      return next();
    }
    return store.run(context, next);
  };
}

class Channel {
  constructor(name) {
    this._subscribers = undefined;
    this._stores = undefined;
    this.name = name;
    enlist(this);
  }

  static [Symbol.hasInstance](instance) {
    const prototype = Object.getPrototypeOf(instance);
    return prototype === Channel.prototype || prototype === ActiveChannel.prototype;
  }

  subscribe(subscription) {
    activate(this);
    this.subscribe(subscription);
  }

  unsubscribe() {
    return false;
  }

  bindStore(store, transform) {
    activate(this);
    this.bindStore(store, transform);
  }

  unbindStore() {
    return false;
  }

  get hasSubscribers() {
    return false;
  }

  publish() {}

  runStores(data, fn, thisArg, ...args) {
    return Reflect.apply(fn, thisArg, args);
  }
}

function channel(name) {
  const existing = existingChannel(name);
  if (existing) return existing;
  if (typeof name !== 'string' && typeof name !== 'symbol') {
    throw new ERR_INVALID_ARG_TYPE('channel', ['string', 'symbol'], name);
  }
  return new Channel(name);
}

function subscribe(name, subscription) {
  return channel(name).subscribe(subscription);
}

function unsubscribe(name, subscription) {
  return channel(name).unsubscribe(subscription);
}

function hasSubscribers(name) {
  return existingChannel(name)?.hasSubscribers ?? false;
}

const stages = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

function stageOf(nameOrChannels, stage) {
  if (typeof nameOrChannels === 'string') return channel(`tracing:${nameOrChannels}:${stage}`);
  if (typeof nameOrChannels === 'object' && nameOrChannels !== null) {
    const given = nameOrChannels[stage];
    if (!(given instanceof Channel)) {
      throw new ERR_INVALID_ARG_TYPE(`nameOrChannels.${stage}`, ['Channel'], given);
    }
    return given;
  }
  throw new ERR_INVALID_ARG_TYPE('nameOrChannels', ['string', 'object', 'TracingChannel'], nameOrChannels);
}

class TracingChannel {
  constructor(nameOrChannels) {
    for (const stage of stages) {
      Object.defineProperty(this, stage, { __proto__: null, value: stageOf(nameOrChannels, stage) });
    }
  }

  get hasSubscribers() {
    return ArrayPrototypeSome(stages, (stage) => this[stage]?.hasSubscribers);
  }

  subscribe(handlers) {
    for (const stage of stages) {
      if (handlers[stage]) this[stage]?.subscribe(handlers[stage]);
    }
  }

  unsubscribe(handlers) {
    let done = true;
    for (const stage of stages) {
      if (handlers[stage] && !this[stage]?.unsubscribe(handlers[stage])) done = false;
    }
    return done;
  }

  traceSync(fn, context = {}, thisArg, ...args) {
    if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
    return this.start.runStores(context, () => {
      try {
        const result = Reflect.apply(fn, thisArg, args);
        context.result = result;
        return result;
      } catch (error) {
        this.#failed(context, error);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }

  tracePromise(fn, context = {}, thisArg, ...args) {
    if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
    const settled = () => {
      this.asyncStart.publish(context);
      this.asyncEnd.publish(context);
    };
    return this.start.runStores(context, () => {
      try {
        let promise = Reflect.apply(fn, thisArg, args);
        if (!(promise instanceof Promise)) promise = Promise.resolve(promise);
        return promise.then((result) => {
          context.result = result;
          settled();
          return result;
        }, (error) => {
          this.#failed(context, error);
          settled();
          return Promise.reject(error);
        });
      } catch (error) {
        this.#failed(context, error);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }

  traceCallback(fn, position = -1, context = {}, thisArg, ...args) {
    if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
    const callback = args.at(position);
    validateFunction(callback, 'callback');
    const channel = this;
    args.splice(position, 1, function(error, result) {
      if (error) channel.#failed(context, error);
      else context.result = result;
      channel.asyncStart.runStores(context, () => {
        try {
          return Reflect.apply(callback, this, arguments);
        } finally {
          channel.asyncEnd.publish(context);
        }
      });
    });
    return this.start.runStores(context, () => {
      try {
        return Reflect.apply(fn, thisArg, args);
      } catch (error) {
        this.#failed(context, error);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }

  #failed(context, error) {
    context.error = error;
    this.error.publish(context);
  }
}

function tracingChannel(nameOrChannels) {
  return new TracingChannel(nameOrChannels);
}

Object.assign(require('internal/channels').makers, { channel, tracingChannel });

module.exports = { channel, hasSubscribers, subscribe, tracingChannel, unsubscribe, Channel };
