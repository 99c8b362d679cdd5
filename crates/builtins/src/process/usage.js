'use strict';
// Resource usage: memory, CPU time, system resources.

const { validateNumber, validateObject } = require('internal/validators');

function cpuUsage(previous) { return since(native.usage(), previous); }
function threadCpuUsage(previous) { return since(native.threadUsage(), previous); }

function since([user, system], previous) {
  if (!previous) return { user, system };
  validateObject(previous, 'prevValue');
  for (const key of ['user', 'system']) {
    validateNumber(previous[key], `prevValue.${key}`);
    if (!(previous[key] >= 0 && previous[key] <= Number.MAX_SAFE_INTEGER)) {
      const { ERR_INVALID_ARG_VALUE } = require('internal/errors');
      throw new ERR_INVALID_ARG_VALUE.RangeError(`prevValue.${key}`, previous[key]);
    }
  }
  return { user: user - previous.user, system: system - previous.system };
}

function resourceUsage() {
  const [user, system, maxRSS, minor, major, reads, writes, voluntary, involuntary] = native.usage();
  return {
    userCPUTime: user,
    systemCPUTime: system,
    maxRSS,
    sharedMemorySize: 0,
    unsharedDataSize: 0,
    unsharedStackSize: 0,
    minorPageFault: minor,
    majorPageFault: major,
    swappedOut: 0,
    fsRead: reads,
    fsWrite: writes,
    ipcSent: 0,
    ipcReceived: 0,
    signalsCount: 0,
    voluntaryContextSwitches: voluntary,
    involuntaryContextSwitches: involuntary,
  };
}

function memoryUsage() {
  const [heapTotal, heapUsed, external] = native.heap();
  return { rss: native.rss(), heapTotal, heapUsed, external, arrayBuffers: 0 };
}
memoryUsage.rss = native.rss;

module.exports = { cpuUsage, threadCpuUsage, resourceUsage, memoryUsage };
