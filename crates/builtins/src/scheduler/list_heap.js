'use strict';
// A binary heap of timer lists by expiry, then by id. Each list knows its position: `lib/internal/priority_queue.js`.

function isBefore(one, other) {
  return one.expiry < other.expiry || (one.expiry === other.expiry && one.id < other.id);
}

class ListHeap {
  #lists = [];

  first() {
    return this.#lists[0];
  }

  insert(list) {
    const lists = this.#lists;
    lists[lists.length] = list;
    list.priorityQueuePosition = lists.length - 1;
    this.#rise(lists.length - 1);
  }

  removeAt(position) {
    const lists = this.#lists;
    const last = lists.length - 1;
    const moved = lists[last];
    lists.length = last;
    if (position === last) return;
    lists[position] = moved;
    moved.priorityQueuePosition = position;
    if (position > 0 && isBefore(moved, lists[(position - 1) >> 1])) this.#rise(position);
    else this.sink(position);
  }

  // Moves a list down that has a later expiry now.
  sink(position) {
    const lists = this.#lists;
    const list = lists[position];
    const { length } = lists;
    for (;;) {
      let child = 2 * position + 1;
      if (child >= length) break;
      if (child + 1 < length && isBefore(lists[child + 1], lists[child])) child++;
      if (!isBefore(lists[child], list)) break;
      lists[position] = lists[child];
      lists[position].priorityQueuePosition = position;
      position = child;
    }
    lists[position] = list;
    list.priorityQueuePosition = position;
  }

  #rise(position) {
    const lists = this.#lists;
    const list = lists[position];
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (!isBefore(list, lists[parent])) break;
      lists[position] = lists[parent];
      lists[position].priorityQueuePosition = position;
      position = parent;
    }
    lists[position] = list;
    list.priorityQueuePosition = position;
  }
}

module.exports = { ListHeap };
