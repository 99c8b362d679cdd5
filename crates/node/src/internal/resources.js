'use strict';
// What keeps the process alive besides timers and immediates, by the names of process.getActiveResourcesInfo(). A module
// that starts requests or opens handles adds a function that lists those of it that are under way, and for handles another
// that gives what users know them as.

const process = require('process');

const requests = [];
const handles = [];
const owners = [];

// As Node calls the handle of a descriptor; nothing for files, which have none.
function wrapOf(fd) {
  switch (native.kindOf(fd)) {
    case 'TTY': return 'TTYWrap';
    case 'PIPE': return 'PipeWrap';
    case 'TCP': return 'TCPSocketWrap';
    default: return undefined;
  }
}

const isMade = (name) => Object.getOwnPropertyDescriptor(process, name).get?.made !== false;

// Standard output and error have handles as soon as they are used, if they are no files; the console uses both.
function standard() {
  const { printed } = require('internal/console').state;
  return ['stdout', 'stderr'].filter((name, at) => (printed || isMade(name)) && wrapOf(at + 1) !== undefined);
}

// Without those whose stream has a handle of the loop, which is among the others.
function standardWraps() {
  const wraps = standard().map((name) => [name, wrapOf(name === 'stdout' ? 1 : 2)]);
  return wraps.filter(([name, wrap]) => wrap === 'TTYWrap' || !isMade(name)).map(([, wrap]) => wrap);
}

module.exports = {
  kindOf: native.kindOf,
  wrapOf,
  addRequests(list) { requests.push(list); },
  addHandles(list, ofWhom) {
    handles.push(list);
    owners.push(ofWhom);
  },
  // Requests are no objects here: each is one that has the name alone.
  requests: () => requests.flatMap((list) => list()).map((name) => new ({ [name]: class {} }[name])()),
  list: () => [...requests.flatMap((list) => list()), ...standardWraps(), ...handles.flatMap((list) => list())],
  // The standard streams may be among the others.
  owners: () => [...new Set([...standard().map((name) => process[name]), ...owners.flatMap((list) => list())])],
};
