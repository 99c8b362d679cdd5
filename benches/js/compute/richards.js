'use strict';
// A simulated operating system, after Martin Richards' benchmark: tasks with priorities pass packets through queues, and a scheduler
// chooses who runs. Many small objects, virtual calls and lists.
const IDLE = 0, WORKER = 1, HANDLER_A = 2, HANDLER_B = 3, DEVICE_A = 4, DEVICE_B = 5;
const WORK = 0, DEVICE = 1;

class Packet {
  constructor(link, owner, kind) {
    this.link = link;
    this.owner = owner;
    this.kind = kind;
    this.datum = 0;
    this.data = [0, 0, 0, 0];
  }

  appendTo(list) {
    this.link = null;
    if (list === null) return this;
    let last = list;
    while (last.link !== null) last = last.link;
    last.link = this;
    return list;
  }
}

class Task {
  constructor(system, id, priority, queue) {
    this.system = system;
    this.id = id;
    this.priority = priority;
    this.queue = queue;
    this.isWaiting = queue === null;
    this.isHeld = false;
    this.link = system.tasks;
    system.tasks = this;
    system.byId[id] = this;
  }

  take() {
    const packet = this.queue;
    if (packet !== null) this.queue = packet.link;
    return packet;
  }

  add(packet, from) {
    const wasEmpty = this.queue === null;
    this.queue = packet.appendTo(this.queue);
    if (wasEmpty) this.isWaiting = false;
    return wasEmpty && this.priority > from.priority ? this : from;
  }

  wait() {
    this.isWaiting = true;
    return this;
  }
}

class Idle extends Task {
  constructor(system, count) {
    super(system, IDLE, 0, null);
    this.isWaiting = false;
    this.seed = 1;
    this.count = count;
  }

  run() {
    if (--this.count === 0) return this.system.hold(this);
    if ((this.seed & 1) === 0) {
      this.seed >>= 1;
      return this.system.release(DEVICE_A, this);
    }
    this.seed = (this.seed >> 1) ^ 0xd008;
    return this.system.release(DEVICE_B, this);
  }
}

class Worker extends Task {
  constructor(system, queue) {
    super(system, WORKER, 1000, queue);
    this.next = HANDLER_A;
    this.letter = 0;
  }

  run() {
    const packet = this.take();
    if (packet === null) return this.wait();
    this.next = this.next === HANDLER_A ? HANDLER_B : HANDLER_A;
    packet.owner = this.next;
    packet.datum = 0;
    for (let at = 0; at < packet.data.length; at++) {
      this.letter = this.letter % 26 + 1;
      packet.data[at] = 64 + this.letter;
    }
    return this.system.send(packet, this);
  }
}

class Handler extends Task {
  constructor(system, id, priority, queue) {
    super(system, id, priority, queue);
    this.work = null;
    this.devices = null;
  }

  run() {
    const packet = this.take();
    if (packet !== null) {
      if (packet.kind === WORK) this.work = packet.appendTo(this.work);
      else this.devices = packet.appendTo(this.devices);
    }
    if (this.work !== null) {
      const { work } = this;
      if (work.datum >= work.data.length) {
        this.work = work.link;
        return this.system.send(work, this);
      }
      if (this.devices !== null) {
        const device = this.devices;
        this.devices = device.link;
        device.datum = work.data[work.datum++];
        return this.system.send(device, this);
      }
    }
    return this.wait();
  }
}

class Device extends Task {
  constructor(system, id, priority) {
    super(system, id, priority, null);
    this.held = null;
  }

  run() {
    const packet = this.take();
    if (packet !== null) {
      this.held = packet;
      return this.system.hold(this);
    }
    const { held } = this;
    if (held === null) return this.wait();
    this.held = null;
    return this.system.send(held, this);
  }
}

class System {
  constructor() {
    this.tasks = null;
    this.byId = [];
    this.sent = 0;
    this.holds = 0;
  }

  run() {
    let task = this.tasks;
    while (task !== null) {
      if (task.isHeld || (task.isWaiting && task.queue === null)) task = task.link;
      else task = task.run();
    }
  }

  hold(task) {
    this.holds++;
    task.isHeld = true;
    return task.link;
  }

  release(id, from) {
    const task = this.byId[id];
    task.isHeld = false;
    return task.priority > from.priority ? task : from;
  }

  send(packet, from) {
    const to = this.byId[packet.owner];
    this.sent++;
    packet.owner = from.id;
    return to.add(packet, from);
  }
}

function simulate() {
  const system = new System();
  new Idle(system, 10000);
  new Worker(system, new Packet(new Packet(null, WORKER, WORK), WORKER, WORK));
  const packets = (owner) => new Packet(new Packet(new Packet(null, owner, DEVICE), owner, DEVICE), owner, DEVICE);
  new Handler(system, HANDLER_A, 2000, packets(DEVICE_A));
  new Handler(system, HANDLER_B, 3000, packets(DEVICE_B));
  new Device(system, DEVICE_A, 4000);
  new Device(system, DEVICE_B, 5000);
  system.run();
  return system;
}

const expected = simulate();
require('./harness.js')('richards', () => {
  const { sent, holds } = simulate();
  if (sent !== expected.sent || holds !== expected.holds || sent < 10000) throw new Error(`wrong result: ${sent} ${holds}`);
});
