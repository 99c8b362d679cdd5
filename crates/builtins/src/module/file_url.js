'use strict';
// Conversion between paths and `file:` URLs, and joining of relative specifiers. Kept small, so that starting an ES
// module does not load all of `url`.

const plain = /^[\w\-./@+,:!$&'()*=;]*$/;

const encodeOne = (text) => {
  try {
    return text === '~' ? '%7E' : encodeURIComponent(text);
  } catch {
    return '%EF%BF%BD';
  }
};

// Characters that must be escaped in a URL path.
const unsafe = /[\0-\x20"#<>?`{}^|~[\]\x7F%\\]|[\u{80}-\u{10FFFF}]/gu;
// Characters that must be escaped in text that may contain percent-escapes already.
const unescaped = /[\0-\x20"<>`{}^\x7F]|[\u{80}-\u{10FFFF}]/gu;

function toUrl(path) {
  return `file://${plain.test(path) ? path : path.replace(unsafe, encodeOne)}`;
}

// Splits a specifier before its query or fragment.
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

// Normalizes dot segments like a URL path; keeps a trailing slash.
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

// Joins a specifier that starts with `./`, `../` or `/`, or is a `file:` URL, to a base URL.
function joinUrl(specifier, base) {
  // The URL parser removes tabs and newlines.
  const [path, rest] = split(specifier.replace(/[\t\n\r]|[\0-\x20]+$/g, ''));
  const escaped = path.replace(unescaped, encodeOne).replaceAll('\\', '/');
  if (escaped.startsWith('file:')) return `file://${walk(escaped.slice(5).replace(/^\/\/(?:localhost(?=\/))?/, ''))}${rest}`;
  if (escaped.startsWith('/')) return `file://${walk(escaped)}${rest}`;
  const [from] = split(base.slice(7));
  return `file://${walk(`${from.slice(0, from.lastIndexOf('/') + 1)}${escaped}`)}${rest}`;
}

module.exports = { toUrl, toPath, joinUrl, split };
