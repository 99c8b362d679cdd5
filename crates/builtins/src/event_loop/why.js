'use strict';
// What keeps the loop of this thread alive, for `phasor why` and `whyAlive()` of `phasor:loop`. The native list has what the loop counts; each
// item gets the words that a program's author knows: the server, the child's command, the listener.

const { waitingImmediates } = require('internal/scheduler/immediates');
const { waitingTimers } = require('internal/scheduler/timers');
const { originOf } = require('internal/scheduler/state');
const resources = require('internal/resources');


// Runs code that reads properties of objects of the program: a getter that throws must not end a report.
function tryTo(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

// Where the first function is defined that belongs to the program.
function callbackOf(functions) {
  for (const each of functions) {
    const site = typeof each === 'function' ? native.functionSite(each) : undefined;
    if (site !== undefined && !isInternal(site.file)) return withName(site);
  }
  return undefined;
}

const isInternal = (file) => file === '' || file.startsWith('node:') || file.startsWith('phasor:');

// The code of a module is in a function without a name.
function withName(site) {
  if (site.function === 'Object.<anonymous>') site.function = '';
  return site;
}

const framesOf = (frames) => frames.map(withName);

// The listeners of an emitter for these events.
function listenersOf(emitter, ...events) {
  return tryTo(() => events.flatMap((event) => emitter.listeners(event))) ?? [];
}

// The words of one entry, as properties of `item`.
const words = {
  tcpServer(item, server) {
    const isHttp = listenersOf(server, 'request').length > 0;
    const isTls = listenersOf(server, 'secureConnection').length > 0;
    if (isHttp) item.kind = isTls ? 'https server' : 'http server';
    else if (isTls) item.kind = 'tls server';
    const count = tryTo(() => server._connections);
    if (item.hasRef && typeof count === 'number') item.what += `, ${count} connection${count === 1 ? '' : 's'}`;
    item.remedy = 'server.close(), or server.unref()';
    return listenersOf(server, 'request', 'connection', 'secureConnection');
  },
  socket(item, socket, children) {
    const stdio = stdioNameOf(socket, children);
    if (stdio !== undefined) {
      [item.kind, item.remedy] = [stdio.kind, stdio.remedy];
      item.what = stdio.what;
    } else {
      const request = tryTo(() => socket._httpMessage);
      const { method, path, host } = tryTo(() => ({ method: request?.method, path: request?.path, host: request?.host })) ?? {};
      if (typeof path === 'string') item.what += `, request ${method} ${host ?? ''}${path}`;
      else if (request != null) item.what += ', answers a request';
      item.remedy = 'socket.destroy(), socket.end() on both sides, or socket.unref()';
    }
    return listenersOf(socket, 'data', 'readable', 'connect', 'end', 'close');
  },
  udp(item, socket) {
    item.remedy = 'socket.close(), or socket.unref()';
    return listenersOf(socket, 'message');
  },
  child(item, child) {
    const { spawnfile, spawnargs } = child;
    const command = isList(spawnargs) && spawnargs.length > 0 ? spawnargs.join(' ') : `${spawnfile}`;
    item.what += `: ${command}`;
    item.remedy = 'wait for it, child.kill(), or child.unref()';
    return listenersOf(child, 'exit', 'close');
  },
  port(item, port) {
    const worker = resources.ownerOf(port);
    if (worker !== undefined) {
      item.what = `of the worker with ${worker.threadId > 0 ? `threadId ${worker.threadId}` : 'an ended thread'}`;
      item.remedy = "remove the 'message' listeners of the worker, or worker.terminate()";
      return listenersOf(worker, 'message');
    }
    const { isMainThread, parentPort } = require('internal/worker/threads').self ?? {};
    if (!isMainThread && parentPort === port) item.what = 'parentPort';
    item.remedy = "port.close(), port.unref(), or remove its 'message' listeners";
    return tryTo(() => require('events').getEventListeners(port, 'message')) ?? [];
  },
  worker(item, worker) {
    const script = resources.scriptOf(worker);
    if (script !== undefined) item.what += `: ${script}`;
    item.remedy = 'worker.terminate(), or worker.unref()';
    return listenersOf(worker, 'exit', 'message');
  },
  watcher(item, watcher) {
    item.remedy = item.what.includes('checked every') ? 'fs.unwatchFile(path)' : 'watcher.close(), or watcher.unref()';
    return listenersOf(watcher, 'change');
  },
};

const isList = (value) => Array.isArray(value);

// Whether a socket is a standard stream, of this process or of a child.
function stdioNameOf(socket, children) {
  for (const name of ['stdin', 'stdout', 'stderr']) {
    if (resources.standardStream(name) !== socket) continue;
    const words = { stdin: 'standard input', stdout: 'standard output', stderr: 'standard error' }[name];
    return { kind: words, what: '', remedy: name === 'stdin' ? 'process.stdin.pause() or process.stdin.unref()' : 'wait for it' };
  }
  for (const child of children) {
    const at = tryTo(() => child.stdio.indexOf(socket)) ?? -1;
    if (at < 0) continue;
    const name = ['stdin', 'stdout', 'stderr'][at] ?? `descriptor ${at}`;
    return { kind: 'pipe of a child process', what: `${name} of pid ${child.pid}`, remedy: 'wait for the child, or destroy the stream' };
  }
  return undefined;
}

// The object of the program that owns an item, and its words.
function ownerOf({ kind, object, callback }) {
  if (kind === 'dns query') return [];
  if (object !== undefined) {
    const { kOwner } = require('internal/net/handles');
    const owner = object[kOwner] ?? undefined;
    if (owner === undefined) return [];
    switch (kind) {
      case 'tcp server':
      case 'unix socket server': return [owner, words.tcpServer];
      case 'tcp socket':
      case 'unix socket':
      case 'pipe': return [owner, words.socket];
      case 'udp socket': return [owner, words.udp];
      case 'child process': return [owner, words.child];
      default: return [];
    }
  }
  const owner = callback === undefined ? undefined : resources.ownerOf(callback);
  if (owner === undefined) return [];
  switch (kind) {
    case 'file watcher': return [owner, words.watcher];
    case 'message port': return [owner, words.port];
    case 'worker': return [owner, words.worker];
    default: return [];
  }
}

const REMEDIES = {
  'terminal': 'process.stdin.pause() or process.stdin.unref()',
  'tcp socket': 'close the connection',
  'dns query': 'wait for it',
};

// A request of a handle has a JavaScript object with what was asked for.
function requestWords(item, object) {
  if (item.kind === 'dns lookup' && typeof object.hostname === 'string') item.what = object.hostname;
  else if (item.kind === 'reverse dns lookup' && typeof object.host === 'string') item.what = `${object.host}:${object.port}`;
  else if (item.kind === 'connect request' && object.address !== undefined) {
    item.what = object.port === undefined ? `to ${object.address}` : `to ${object.address}:${object.port}`;
  }
  return [object.callback, object.oncomplete];
}

function entryOf(reason, children) {
  const { kind, object, callback, ...item } = reason;
  const entry = { kind, ...item };
  if (entry.stack !== undefined) framesOf(entry.stack);
  const [owner, name] = ownerOf(reason);
  if (owner !== undefined) addOwnerOrigin(entry, owner);
  let functions = [];
  if (name !== undefined) functions = tryTo(() => name(entry, owner, children)) ?? [];
  else if (kind === 'unix socket' && object !== undefined) ipcWords(entry, object);
  else if (kind.endsWith('request') || kind.endsWith('lookup')) {
    if (object !== undefined) functions = tryTo(() => requestWords(entry, object)) ?? [];
  }
  entry.remedy ??= REMEDIES[entry.kind] ?? (entry.hasRef ? '' : 'wait for it');
  if (!entry.hasRef) entry.remedy = 'wait for it';
  const site = callbackOf([...functions, callback]);
  if (site !== undefined) entry.callback = site;
  return entry;
}

// The pipe of an IPC channel has no stream.
function ipcWords(entry, handle) {
  const { kChannelHandle } = require('internal/child_process/channel');
  const isOwn = require('process')[kChannelHandle] === handle;
  entry.kind = 'ipc channel';
  entry.what = isOwn ? 'to the parent process' : 'to a child process';
  entry.remedy = isOwn ? "process.disconnect(), or remove the 'message' listeners of process" : 'child.disconnect(), or child.channel.unref()';
}

function addOrigin(entry, made) {
  const origin = originOf(made);
  if (origin === undefined) return;
  entry.ageMs = origin.ageMs;
  if (origin.stack !== 0) entry.stack = framesOf(native.stackFrames(origin.stack));
}

// A handle may be made later than its owner, by code of the runtime; and a connection is made by its server.
function addOwnerOrigin(entry, owner) {
  for (const maker of [owner, tryTo(() => owner._server), tryTo(() => owner.server)]) {
    if (creationLine(entry) !== undefined) return;
    const origin = maker != null && typeof maker === 'object' ? originOf(maker) : undefined;
    if (origin !== undefined && origin.stack !== 0) entry.stack = framesOf(native.stackFrames(origin.stack));
  }
}

function timerEntry({ timer, due, now }) {
  const { _idleTimeout: after, _repeat: repeat, _onTimeout: callback } = timer;
  const entry = { kind: repeat ? 'interval' : 'timeout', what: `of ${after} ms`, hasRef: true, deadlineMs: Math.max(0, due - now) };
  addOrigin(entry, timer);
  const site = callbackOf([callback]);
  if (site !== undefined) entry.callback = site;
  entry.remedy = repeat ? 'clearInterval(timer), or timer.unref()' : 'clearTimeout(timer), or timer.unref()';
  return entry;
}

function immediateEntry(immediate) {
  const entry = { kind: 'immediate', what: '', hasRef: true };
  addOrigin(entry, immediate);
  const site = callbackOf([immediate._onImmediate]);
  if (site !== undefined) entry.callback = site;
  entry.remedy = 'clearImmediate(immediate), or immediate.unref()';
  return entry;
}

// The line of the program that made it: the innermost one outside of the runtime and of packages, else outside of the runtime.
function creationLine({ stack = [] }) {
  const own = stack.filter(({ file }) => !isInternal(file));
  return own.find(({ file }) => !file.includes('/node_modules/')) ?? own[0];
}

// All entries, in the order: handles and requests as the loop lists them, timers by their time, immediates.
function entries() {
  const reasons = native.reasons();
  for (const [callback, owner] of resources.lateOwners()) resources.setOwner(callback, owner);
  const children = reasons.filter(({ kind, object }) => kind === 'child process' && object !== undefined)
    .map(({ object }) => object[require('internal/net/handles').kOwner]).filter((child) => child != null);
  const timers = waitingTimers().sort((a, b) => a.due - b.due);
  return [
    ...reasons.map((reason) => entryOf(reason, children)), ...timers.map(timerEntry), ...waitingImmediates().map(immediateEntry),
  ];
}

// For programs: what `phasor:loop` documents.
function whyAlive() {
  return entries().map(({ kind, what, hasRef, ageMs, deadlineMs, callback, remedy, stack }) => ({
    kind, what, hasRef, ageMs, deadlineMs, createdAt: creationLine({ stack }), callback, remedy,
  }));
}

module.exports = { entries, whyAlive };
