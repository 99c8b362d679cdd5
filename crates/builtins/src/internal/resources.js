'use strict';
// The resources of process.getActiveResourcesInfo(), _getActiveRequests() and _getActiveHandles(), except timers and immediates. A module that starts
// requests or opens handles registers a function that lists the names of its active requests or handles. For handles it registers a second function,
// which returns the public objects that own them.

const process = require('process');

const requests = [];
const handles = [];
const owners = [];

// Node's class name for the handle of a standard stream; undefined for a file, which has no handle.
function wrapOf(fd) {
  switch (native.kindOf(fd)) {
    case 'TTY': return 'TTYWrap';
    case 'PIPE': return 'PipeWrap';
    case 'TCP': return 'TCPSocketWrap';
    default: return undefined;
  }
}

const isMade = (name) => Object.getOwnPropertyDescriptor(process, name).get?.made !== false;

// The names of 'stdout' and 'stderr', if they have been used and are not files. The console uses both.
function standard() {
  const { printed } = require('internal/console').state;
  return ['stdout', 'stderr'].filter((name, at) => (printed || isMade(name)) && wrapOf(at + 1) !== undefined);
}

// Class names of the handles of standard streams. If the stream itself registers its handle in `handles`, its name is not repeated here.
function standardWraps() {
  const wraps = standard().map((name) => [name, wrapOf(name === 'stdout' ? 1 : 2)]);
  return wraps.filter(([name, wrap]) => wrap === 'TTYWrap' || !isMade(name)).map(([, wrap]) => wrap);
}

// The objects of the program that own the functions which natives call, for `internal/why`. A module whose objects are made often registers a
// function instead, which lists pairs of a function and its owner.
const ownersByFunction = new SafeWeakMap();
const ownerLists = [];
// The script of a worker.
const scripts = new SafeWeakMap();

module.exports = {
  setOwner(callback, owner) { ownersByFunction.set(callback, owner); },
  setScript(worker, script) { scripts.set(worker, script); },
  scriptOf: (worker) => scripts.get(worker),
  addOwners(list) { ownerLists.push(list); },
  // A function may call another one, which has the owner.
  ownerOf(callback) {
    const owner = ownersByFunction.get(callback);
    return typeof owner === 'function' ? ownersByFunction.get(owner) : owner;
  },
  lateOwners: () => ownerLists.flatMap((list) => list()),
  // A standard stream of the process, if it has been made.
  standardStream: (name) => (isMade(name) ? process[name] : undefined),
  kindOf: native.kindOf,
  wrapOf,
  addRequests(list) { requests.push(list); },
  addHandles(list, ofWhom) {
    handles.push(list);
    owners.push(ofWhom);
  },
  // A request has no JavaScript object: return an empty object whose class has the name of the request.
  requests: () => requests.flatMap((list) => list()).map((name) => new ({ [name]: class {} }[name])()),
  list: () => [...requests.flatMap((list) => list()), ...standardWraps(), ...handles.flatMap((list) => list())],
  // A Set, because a standard stream may be among `owners` as well.
  owners: () => [...new SafeSet([...standard().map((name) => process[name]), ...owners.flatMap((list) => list())])],
};
