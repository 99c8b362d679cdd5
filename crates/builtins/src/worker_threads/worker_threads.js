'use strict';
// The `worker_threads` module. `Worker` is loaded on first access.

const messaging = require('internal/messaging');
const { BroadcastChannel, MessageChannel, MessagePort, receiveMessageOnPort } = messaging;
const { kUncloneable, kUntransferable } = require('internal/clone_symbols');
const environment = require('internal/worker/environment');

const about = native.about() ?? undefined;
const isInternalThread = about !== undefined && require('internal/worker/main').isOfHooks();

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

function mark(object, symbol) {
  if (isObject(object)) Object.defineProperty(object, symbol, { __proto__: null, value: true });
}

function markAsUntransferable(object) {
  mark(object, kUntransferable);
}

function isMarkedAsUntransferable(object) {
  return isObject(object) && Object.hasOwn(object, kUntransferable);
}

function markAsUncloneable(object) {
  require('internal/clone').parts.marked = true;
  mark(object, kUncloneable);
}

function setEnvironmentData(key, value) {
  if (value === undefined) environment.delete(key);
  else environment.set(key, value);
}

function getEnvironmentData(key) {
  return environment.get(key);
}

function postMessageToThread(threadId, value, transferList, timeout) {
  return require('internal/worker/threads').send(threadId, value, transferList, timeout);
}

const limitsOf = ([maxYoungGenerationSizeMb, maxOldGenerationSizeMb, codeRangeSizeMb, stackSizeMb]) =>
  ({ maxYoungGenerationSizeMb, maxOldGenerationSizeMb, codeRangeSizeMb, stackSizeMb });

module.exports = {
  isInternalThread,
  isMainThread: about === undefined,
  MessagePort,
  MessageChannel,
  markAsUncloneable,
  markAsUntransferable,
  isMarkedAsUntransferable,
  receiveMessageOnPort,
  resourceLimits: about === undefined ? {} : limitsOf(about.limits),
  postMessageToThread,
  threadId: about?.threadId ?? 0,
  threadName: about?.name ?? '',
  SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'),
  get Worker() {
    const { Worker } = require('internal/worker');
    this.Worker = Worker;
    return Worker;
  },
  set Worker(value) {
    Object.defineProperty(this, 'Worker', { __proto__: null, value, writable: true, configurable: true, enumerable: true });
  },
  parentPort: about === undefined || isInternalThread ? null : messaging.portOf(about.public),
  workerData: about === undefined || isInternalThread ? null : require('internal/worker/main').workerData(),
  BroadcastChannel,
  setEnvironmentData,
  getEnvironmentData,
};
