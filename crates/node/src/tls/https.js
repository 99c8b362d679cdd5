'use strict';
// `https`, of a program without TLS: agents can be made and handed about, as packages do when they are loaded; what would
// connect or listen refuses.

const http = require('http');
const tls = require('tls');

function Agent(options) {
  if (!(this instanceof Agent)) return new Agent(options);
  http.Agent.call(this, options);
  this.defaultPort = 443;
  this.protocol = 'https:';
  this.maxCachedSessions = this.options.maxCachedSessions ?? 100;
}
Object.setPrototypeOf(Agent.prototype, http.Agent.prototype);
Object.setPrototypeOf(Agent, http.Agent);
Agent.prototype.createConnection = function createConnection() { return tls.connect(); };

function request() { return tls.connect(); }

function get() { return tls.connect(); }

module.exports = {
  Agent,
  globalAgent: new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }),
  Server: tls.Server,
  createServer: tls.createServer,
  get,
  request,
};
