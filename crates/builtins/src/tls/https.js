'use strict';
// `https` without TLS: agents can be created, requests fail with a connection error, and listening throws.

const process = require('process');
const http = require('http');
const tls = require('tls');
const { URL, urlToHttpOptions } = require('url');
const { ERR_NO_CRYPTO } = require('internal/errors');

function Agent(options) {
  if (!(this instanceof Agent)) return new Agent(options);
  http.Agent.call(this, options);
  this.defaultPort = 443;
  this.protocol = 'https:';
  this.maxCachedSessions = this.options.maxCachedSessions ?? 100;
}
Object.setPrototypeOf(Agent.prototype, http.Agent.prototype);
Object.setPrototypeOf(Agent, http.Agent);
Agent.prototype.createConnection = function createConnection(options, done) {
  process.nextTick(done, new ERR_NO_CRYPTO());
};

function request(...words) {
  const options = {};
  if (typeof words[0] === 'string') Object.assign(options, urlToHttpOptions(new URL(words.shift())));
  else if (words[0] instanceof URL) Object.assign(options, urlToHttpOptions(words.shift()));
  if (words[0] && typeof words[0] !== 'function') Object.assign(options, words.shift());
  options._defaultAgent = module.exports.globalAgent;
  return new http.ClientRequest(options, ...words);
}

function get(...words) {
  const made = request(...words);
  made.end();
  return made;
}

module.exports = {
  Agent,
  globalAgent: new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }),
  Server: tls.Server,
  createServer: tls.createServer,
  get,
  request,
};
