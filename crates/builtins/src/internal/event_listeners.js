'use strict';
// The listeners of an EventTarget: a linked list for each event type, and weak listeners.

// A list of at least this length has an index. Without it, adding thousands of listeners takes quadratic time.
const kIndexedFrom = 32;

// The linked list of the listeners of one event type, in the order in which they were added.
class Chain {
  constructor() {
    this.size = 0;
    this.next = undefined;
    this.last = this;
    this.resists = false;
    // Map from the listener function or object to its entry. If a function listens both for capture and for bubbling, `twin` links its entries.
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
      this.index = new SafeWeakMap();
      for (let each = this.next; each !== undefined; each = each.next) {
        const liveListener = each.liveListener();
        if (liveListener !== undefined) this.note(each, liveListener);
      }
    }
    return added;
  }

  note(added, liveListener) {
    added.twin = this.index.get(liveListener);
    this.index.set(liveListener, added);
  }

  forget(removed) {
    const liveListener = removed.liveListener();
    if (this.index === undefined || liveListener === undefined) return;
    const first = this.index.get(liveListener);
    if (first !== removed) {
      if (first?.twin === removed) first.twin = removed.twin;
    } else if (removed.twin === undefined) {
      this.index.delete(liveListener);
    } else {
      this.index.set(liveListener, removed.twin);
    }
  }
}

// An entry of the linked list. A removed entry keeps its `next`, so that a dispatch that is at the entry can continue.
class Listener {
  constructor(chain, listener, options) {
    this.next = undefined;
    this.chain = chain;
    this.previous = chain.last;
    this.previous.next = this;
    chain.last = this;
    this.twin = undefined;
    // References that keep alive the 'abort' listeners of this entry, for the option `signal`.
    this.ties = undefined;
    this.once = options.once ?? false;
    this.capture = options.capture ?? false;
    this.passive = options.passive ?? false;
    this.nodeStyle = options.nodeStyle ?? false;
    this.resists = options.resists ?? false;
    this.removed = false;
    this.weak = options.weak !== undefined;
    if (this.weak) {
      this.ref = new SafeWeakRef(listener);
      keepAliveWith(options.weak, listener);
      weakRegistry ??= new SafeFinalizationRegistry((gone) => gone.remove());
      weakRegistry.register(listener, this, this);
      this.callback = undefined;
    } else {
      this.ref = undefined;
      this.callback = typeof listener === 'function' ? listener : handleEventOf(listener);
    }
    this.listener = this.weak ? undefined : listener;
    // A plain listener needs neither the removal for `once` nor an event object: dispatch only calls it.
    this.isPlain = this.nodeStyle && !this.once && typeof this.callback === 'function';
  }

  liveListener() {
    return this.weak ? this.ref.deref() : this.listener;
  }

  isFor(listener, capture) {
    return this.capture === capture && this.liveListener() === listener;
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
    if (this.weak) weakRegistry.unregister(this);
  }
}

// Removes weak listeners from their list after their functions have been collected.
let weakRegistry;

// Each owner of weak listeners has strong references to them, so that they live as long as the owner.
let owners;
function keepAliveWith(owner, listener) {
  owners ??= new SafeWeakMap();
  const kept = owners.get(owner);
  if (kept === undefined) owners.set(owner, [listener]);
  else kept.push(listener);
}

// `handleEvent` is looked up at each event, and its result is awaited: an exception becomes a rejection, which is reported one microtask later
// (`lib/internal/event_target.js: Listener`).
function handleEventOf(listener) {
  return async (...args) => {
    if (listener.handleEvent) await Reflect.apply(listener.handleEvent, listener, args);
  };
}

module.exports = { Chain };
