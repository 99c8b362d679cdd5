'use strict';
// What keeps the process alive besides timers and immediates, by the names of process.getActiveResourcesInfo(). A module
// that starts requests or opens handles adds a function that lists those of it that are under way.

const process = require('process');

const requests = [];
const handles = [];

// As Node calls the handle of a descriptor; nothing for files, which have none.
function wrapOf(fd) {
  switch (native.kindOf(fd)) {
    case 'TTY': return 'TTYWrap';
    case 'PIPE': return 'PipeWrap';
    case 'TCP': return 'TCPSocketWrap';
    default: return undefined;
  }
}

// Standard output and error have handles as soon as they are used; the console uses both.
function standard() {
  const { printed } = require('internal/console').state;
  const isMade = (name) => Object.getOwnPropertyDescriptor(process, name).get?.made !== false;
  return ['stdout', 'stderr'].map((name, at) => (printed || isMade(name) ? wrapOf(at + 1) : undefined))
    .filter((name) => name !== undefined);
}

module.exports = {
  kindOf: native.kindOf,
  wrapOf,
  addRequests(list) { requests.push(list); },
  addHandles(list) { handles.push(list); },
  list: () => [...requests.flatMap((list) => list()), ...standard(), ...handles.flatMap((list) => list())],
};
