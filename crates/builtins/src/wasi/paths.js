'use strict';
// Paths of WASI: they are relative to the descriptor of a directory and cannot leave it. As `deps/uvwasi/src/path_resolver.c`.

const fs = require('fs');
const { E, numberOf } = require('internal/wasi/numbers');

const MAX_LINKS = 32;

// Removes `.`, `..` and empty parts. A slash at the end stays.
function normalize(path) {
  const isAbsolute = path[0] === '/';
  const parts = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length === 0 || parts.at(-1) === '..') {
      if (!isAbsolute) parts.push('..');
    } else {
      parts.pop();
    }
  }
  const joined = (isAbsolute ? '/' : '') + parts.join('/') || '.';
  return path.endsWith('/') && !joined.endsWith('/') ? `${joined}/` : joined;
}

const isHere = (path) => path === '.' || path === './';
const isAbove = (path) => path === '..' || path.startsWith('../');

function isInside(path, root) {
  if (root[0] === '/') return path.startsWith(root);
  if (isHere(root)) return !isAbove(path);
  if (!path.startsWith(root)) return false;
  return !isAbove(path.slice(root.length).replace(/^\//, ''));
}

// Converts a path that is relative to a directory to a path of the host. Returns `{ path }` or `{ error }`. `name` is the path of the directory
// in the WebAssembly module, `real` its path on the host.
function resolve({ name, real }, path, followsLinks) {
  if (path[0] === '/') return { error: E.NOTCAPABLE };
  const root = normalize(name);
  let input = path;
  for (let links = 0; ; links++) {
    if (links >= MAX_LINKS) return { error: E.LOOP };
    if (input === '' || input.includes('\0')) return { error: E.INVAL };
    const inner = normalize(input[0] === '/' ? input : `${root}/${input}`);
    if (!isInside(inner, root)) return { error: E.NOTCAPABLE };
    const rest = isHere(root) ? inner : inner.slice(root.length);
    const host = rest === '' || rest === '/' ? real : `${real}/${rest.replace(/^\//, '')}`;
    if (!followsLinks) return { path: host };
    let target;
    try {
      target = fs.readlinkSync(host);
    } catch (error) {
      const number = numberOf(error);
      return number === E.INVAL || number === E.NOENT ? { path: host } : { error: number };
    }
    // The target of a link is relative to the directory that contains the link.
    const parent = isHere(root) ? inner : inner.slice(root.length).replace(/^\//, '');
    input = target[0] === '/' ? target : `${parent}/../${target}`;
  }
}

module.exports = { normalize, resolve };
