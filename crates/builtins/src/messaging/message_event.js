'use strict';
// `MessageEvent`.

const { Event } = require('internal/event_target');

function argument(message) {
  return new TypeError(`MessageEvent constructor: ${message}`);
}

const inspect = (value) => require('internal/util/inspect').inspect(value);

class MessageEvent extends Event {
  #data = null;
  #origin = '';
  #lastEventId = '';
  #source = null;
  #ports = [];

  constructor(type, init = {}) {
    if (arguments.length === 0) throw argument('1 argument required, but 0 found.');
    super(type, init);
    init ??= {};
    if (init.data !== undefined) this.#data = init.data;
    if (init.origin !== undefined) this.#origin = `${init.origin}`;
    if (init.lastEventId !== undefined) this.#lastEventId = `${init.lastEventId}`;
    const { source, ports } = init;
    if (source !== undefined && source !== null) {
      if (!(source instanceof require('internal/messaging').MessagePort)) {
        throw argument(`Expected eventInitDict.source ("${inspect(source)}") to be an instance of MessagePort.`);
      }
      this.#source = source;
    }
    if (ports !== undefined) {
      if (ports === null || typeof ports[Symbol.iterator] !== 'function') {
        throw argument(`eventInitDict.ports (${ports}) is not iterable.`);
      }
      this.#ports = [...ports];
      this.#ports.forEach((port, at) => {
        if (!(port instanceof require('internal/messaging').MessagePort)) {
          throw argument(`Expected eventInitDict.ports[${at}] ("${inspect(port)}") to be an instance of MessagePort.`);
        }
      });
    }
    Object.freeze(this.#ports);
  }

  get data() {
    return this.#data;
  }

  get origin() {
    return this.#origin;
  }

  get lastEventId() {
    return this.#lastEventId;
  }

  get source() {
    return this.#source;
  }

  get ports() {
    return this.#ports;
  }

  initMessageEvent(type, bubbles = false, cancelable = false, data = null, origin = '', lastEventId = '',
                   source = null, ports = []) {
    this.initEvent(type, bubbles, cancelable);
    this.#data = data;
    this.#origin = `${origin}`;
    this.#lastEventId = `${lastEventId}`;
    this.#source = source;
    this.#ports = Object.freeze([...ports]);
  }
}

for (const name of ['data', 'origin', 'lastEventId', 'source', 'ports', 'initMessageEvent']) {
  Object.defineProperty(MessageEvent.prototype, name, { __proto__: null, enumerable: true });
}
Object.defineProperty(MessageEvent.prototype, Symbol.toStringTag, {
  __proto__: null, configurable: true, value: 'MessageEvent',
});

module.exports = { MessageEvent };
