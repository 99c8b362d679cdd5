'use strict';
// `cluster.Worker`, common part. Primary and worker each add their own `disconnect` and `destroy`.

const EventEmitter = require('events');

function Worker(options) {
  if (!(this instanceof Worker)) return new Worker(options);
  EventEmitter.call(this);
  const { id, process, state } = options !== null && typeof options === 'object' ? options : {};
  this.exitedAfterDisconnect = undefined;
  this.state = state || 'none';
  this.id = id | 0;
  if (!process) return;
  this.process = process;
  process.on('error', (...args) => this.emit('error', ...args));
  process.on('message', (message, handle) => this.emit('message', message, handle));
}
Object.setPrototypeOf(Worker.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Worker, EventEmitter);

const isNone = (value) => value === null || value === undefined;

Object.assign(Worker.prototype, {
  kill(...args) { this.destroy(...args); },
  send(...args) { return this.process.send(...args); },
  isDead() { return !isNone(this.process.exitCode) || !isNone(this.process.signalCode); },
  isConnected() { return this.process.connected; },
});

module.exports = Worker;
