'use strict';
// `inspector`, of a program that has none: it can be required and asked, and what would inspect refuses, as a Node that was
// built without it does.

const EventEmitter = require('events');
const { ERR_INSPECTOR_NOT_ACTIVE, ERR_INSPECTOR_NOT_AVAILABLE, ERR_INSPECTOR_NOT_CONNECTED } = require('internal/errors');

function refuse() {
  throw new ERR_INSPECTOR_NOT_AVAILABLE();
}

class Session extends EventEmitter {
  connect() { refuse(); }

  connectToMainThread() { refuse(); }

  post() { throw new ERR_INSPECTOR_NOT_CONNECTED(); }

  disconnect() {}
}

module.exports = {
  open() { refuse(); },
  close() {},
  url() {},
  waitForDebugger() { throw new ERR_INSPECTOR_NOT_ACTIVE(); },
  console: require('console'),
  Session,
};
