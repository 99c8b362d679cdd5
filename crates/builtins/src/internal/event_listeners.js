'use strict';
// The listeners of an EventTarget: a linked list for each event type, and weak listeners.

// A list of at least this length has an index, so that adding thousands of listeners does not take quadratic time.
const kIndexedFrom = 32;

// Linked list of the listeners of one event type, in the order in which they were added.
class Chain {
  constructor() {
    this.size = 0;
    this.next = undefined;
    this.last = this;
    this.resists = false;
    // From the listener function or object to its entry. Entries of one function for capture and bubbling are linked by
    // `twin`.
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

// One entry of the linked list. Removal keeps the entry's own `next`, so that a dispatch that is at this entry can go
// on.
class Listener {
  constructor(chain, listener, options) {
    this.next = undefined;
    this.chain = chain;
    this.previous = chain.last;
    this.previous.next = this;
    chain.last = this;
    this.twin = undefined;
    // Objects that keep alive the 'abort' listeners on the signals of the `signal` option.
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
    // Plain listeners have no `once` or event object to handle: dispatch only calls them.
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
    if (this.weak) weakRegistry.unregister(this);
  }
}

// Removes weak listeners from their list after their function has been collected.
let weakRegistry;

// A weak listener lives as long as its owner: the owner (a WeakMap key) holds the strong reference.
let owners;
function keepAliveWith(owner, listener) {
  owners ??= new SafeWeakMap();
  const kept = owners.get(owner);
  if (kept === undefined) owners.set(owner, [listener]);
  else kept.push(listener);
}

// `handleEvent` is looked up at each event, and awaited as in `lib/internal/event_target.js: Listener`: what it throws
// becomes a rejection and is reported one microtask later.
function handleEventOf(listener) {
  return async (...args) => {
    if (listener.handleEvent) await Reflect.apply(listener.handleEvent, listener, args);
  };
}

module.exports = { Chain };
