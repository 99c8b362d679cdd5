'use strict';
// The listeners of an EventTarget: a chain for each type of event.

// From this many listeners on, a chain finds one by an index: who adds thousands must not wait for a walk with each.
const kIndexedFrom = 32;

// The listeners of one event type, in the order they were added.
class Chain {
  constructor() {
    this.size = 0;
    this.next = undefined;
    this.last = this;
    this.resists = false;
    // By what was given; those of one function for both phases hang on each other.
    this.index = undefined;
  }

  find(listener, capture) {
    let each = this.next;
    if (this.index !== undefined) {
      for (each = this.index.get(listener); each !== undefined; each = each.twin) {
        if (each.capture === capture) return each;
      }
      return undefined;
    }
    while (each !== undefined && !each.isFor(listener, capture)) each = each.next;
    return each;
  }

  add(listener, options) {
    const added = new Listener(this, listener, options);
    this.size++;
    this.resists ||= added.resists;
    if (this.index !== undefined) {
      this.note(added, listener);
    } else if (this.size >= kIndexedFrom) {
      this.index = new WeakMap();
      for (let each = this.next; each !== undefined; each = each.next) {
        const given = each.given();
        if (given !== undefined) this.note(each, given);
      }
    }
    return added;
  }

  note(added, given) {
    added.twin = this.index.get(given);
    this.index.set(given, added);
  }

  forget(removed) {
    const given = removed.given();
    if (this.index === undefined || given === undefined) return;
    const first = this.index.get(given);
    if (first !== removed) {
      if (first?.twin === removed) first.twin = removed.twin;
    } else if (removed.twin === undefined) {
      this.index.delete(given);
    } else {
      this.index.set(given, removed.twin);
    }
  }
}

// A listener in the chain of its event type. Removing one leaves its own `next` in place, so that a dispatch
// standing on it walks on.
class Listener {
  constructor(chain, listener, options) {
    this.next = undefined;
    this.chain = chain;
    this.previous = chain.last;
    this.previous.next = this;
    chain.last = this;
    this.twin = undefined;
    // What its `signal` option hangs on.
    this.ties = undefined;
    this.once = options.once ?? false;
    this.capture = options.capture ?? false;
    this.passive = options.passive ?? false;
    this.nodeStyle = options.nodeStyle ?? false;
    this.resists = options.resists ?? false;
    this.removed = false;
    this.weak = options.weak !== undefined;
    if (this.weak) {
      this.ref = new WeakRef(listener);
      keepWith(options.weak, listener);
      weakOnes ??= new FinalizationRegistry((gone) => gone.remove());
      weakOnes.register(listener, this, this);
      this.callback = undefined;
    } else {
      this.ref = undefined;
      this.callback = typeof listener === 'function' ? listener : handleEventOf(listener);
    }
    this.listener = this.weak ? undefined : listener;
    // All there is to do for it is to call it.
    this.isPlain = this.nodeStyle && !this.once && typeof this.callback === 'function';
  }

  given() {
    return this.weak ? this.ref.deref() : this.listener;
  }

  isFor(listener, capture) {
    return this.capture === capture && this.given() === listener;
  }

  remove() {
    if (this.removed) return;
    this.removed = true;
    const { chain } = this;
    this.previous.next = this.next;
    if (this.next !== undefined) this.next.previous = this.previous;
    else chain.last = this.previous;
    chain.size--;
    chain.forget(this);
    if (this.weak) weakOnes.unregister(this);
  }
}

// Takes those whose function is gone out of their chains.
let weakOnes;

// What a weak listener hangs on lives as long as this owner does.
let owners;
function keepWith(owner, listener) {
  owners ??= new WeakMap();
  const kept = owners.get(owner);
  if (kept === undefined) owners.set(owner, [listener]);
  else kept.push(listener);
}

// The method is looked up at each event; as Node's it is awaited, so what it throws comes one microtask later.
function handleEventOf(listener) {
  return async (...args) => {
    if (listener.handleEvent) await Reflect.apply(listener.handleEvent, listener, args);
  };
}

module.exports = { Chain };
