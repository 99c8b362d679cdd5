'use strict';
// `inspector/promises`: sessions whose `post` returns a promise.

const inspector = require('inspector');
const { promisify } = require('util');

const post = promisify(inspector.Session.prototype.post);

class Session extends inspector.Session {
  post(...words) { return Reflect.apply(post, this, words); }
}

module.exports = { ...inspector, Session };
