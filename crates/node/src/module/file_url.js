'use strict';
// Paths as `file:` URLs and back, and joining a relative specifier to one. Small on purpose: a start with an ES module
// must not have to load all of `url` for it.

const plain = /^[\w\-./@+,:!$&'()*=;]*$/;

const encodeOne = (text) => {
  try {
    return text === '~' ? '%7E' : encodeURIComponent(text);
  } catch {
    return '%EF%BF%BD';
  }
};

// What a URL's path does not hold as it is.
const unsafe = /[\0-\x20"#<>?`{}^|~[\]\x7F%\\]|[\u{80}-\u{10FFFF}]/gu;
// The same, for a text that may have escapes already.
const unescaped = /[\0-\x20"<>`{}^\x7F]|[\u{80}-\u{10FFFF}]/gu;

function toUrl(path) {
  return `file://${plain.test(path) ? path : path.replace(unsafe, encodeOne)}`;
}

// Splits a specifier before its query or hash.
function split(text) {
  const at = text.search(/[?#]/);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

function toPath(url) {
  const [path] = split(url.slice(7));
  if (!path.includes('%')) return path;
  if (/%2f/i.test(path)) {
    const { ERR_INVALID_FILE_URL_PATH } = require('internal/errors');
    throw new ERR_INVALID_FILE_URL_PATH('must not include encoded / characters', url);
  }
  return decodeURIComponent(path);
}

// As a URL's path: dots are followed, an end with a slash is kept.
function walk(path) {
  const out = [];
  const parts = path.split('/');
  const last = parts[parts.length - 1];
  for (const part of parts) {
    if (part === '..' || /^(?:\.|%2e){2}$/i.test(part)) out.pop();
    else if (part !== '' && part !== '.' && !/^%2e$/i.test(part)) out.push(part);
  }
  const slash = out.length > 0 && (last === '' || last === '.' || last === '..') ? '/' : '';
  return `/${out.join('/')}${slash}`;
}

// A specifier that begins with `./`, `../` or `/`, or is a `file:` URL, as a URL.
function joinUrl(specifier, base) {
  // As all URLs: these are left out.
  const [path, rest] = split(specifier.replace(/[\t\n\r]|[\0-\x20]+$/g, ''));
  const escaped = path.replace(unescaped, encodeOne).replaceAll('\\', '/');
  if (escaped.startsWith('file:')) return `file://${walk(escaped.slice(5).replace(/^\/\/(?:localhost(?=\/))?/, ''))}${rest}`;
  if (escaped.startsWith('/')) return `file://${walk(escaped)}${rest}`;
  const [from] = split(base.slice(7));
  return `file://${walk(`${from.slice(0, from.lastIndexOf('/') + 1)}${escaped}`)}${rest}`;
}

module.exports = { toUrl, toPath, joinUrl, split };
