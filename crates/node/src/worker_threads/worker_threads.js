'use strict';
// `worker_threads` without threads: what of it concerns ports alone. `Worker` and what talks to one are not here.

const { BroadcastChannel, MessageChannel, MessagePort, receiveMessageOnPort } = require('internal/messaging');
const { kUncloneable, kUntransferable } = require('internal/clone_symbols');

const environment = new Map();

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

module.exports = {
  isInternalThread: false,
  isMainThread: true,
  MessagePort,
  MessageChannel,
  markAsUncloneable,
  markAsUntransferable,
  isMarkedAsUntransferable,
  receiveMessageOnPort,
  resourceLimits: {},
  threadId: 0,
  threadName: '',
  SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'),
  parentPort: null,
  workerData: null,
  BroadcastChannel,
  setEnvironmentData,
  getEnvironmentData,
};
