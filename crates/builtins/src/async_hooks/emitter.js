'use strict';
// `EventEmitterAsyncResource`: an emitter whose listeners run in the async context of its creation.

const EventEmitter = require('events');
const { ERR_INVALID_THIS } = require('internal/errors');
const { validateString } = require('internal/validators');
const { AsyncResource } = require('async_hooks');

class EventEmitterReferencingAsyncResource extends AsyncResource {
  #emitter;

  constructor(emitter, type, options) {
    super(type, options);
    this.#emitter = emitter;
  }

  get eventEmitter() {
    if (!(#emitter in this)) throw new ERR_INVALID_THIS('EventEmitterReferencingAsyncResource');
    return this.#emitter;
  }
}

let resourceOf;

class EventEmitterAsyncResource extends EventEmitter {
  #resource;

  static {
    resourceOf = (value) => {
      if (typeof value !== 'object' || value === null || !(#resource in value)) {
        throw new ERR_INVALID_THIS('EventEmitterAsyncResource');
      }
      return value.#resource;
    };
  }

  constructor(options = undefined) {
    let name;
    if (typeof options === 'string') {
      name = options;
      options = undefined;
    } else {
      if (new.target === EventEmitterAsyncResource) validateString(options?.name, 'options.name');
      name = options?.name || new.target.name;
    }
    super(options);
    this.#resource = new EventEmitterReferencingAsyncResource(this, name, options);
  }

  emit(event, ...args) {
    return resourceOf(this).runInAsyncScope(super.emit, this, event, ...args);
  }

  emitDestroy() {
    resourceOf(this).emitDestroy();
  }

  get asyncId() {
    return resourceOf(this).asyncId();
  }

  get triggerAsyncId() {
    return resourceOf(this).triggerAsyncId();
  }

  get asyncResource() {
    return resourceOf(this);
  }
}

module.exports = { EventEmitterAsyncResource };
