'use strict';
// What the callbacks of fs are given: how many arguments, which errors, and what a description of a file is made of.
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { inspect } = require('node:util');

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'callbacks-'));
const none = path.join(root, 'none');
const file = path.join(root, 'file');
fs.writeFileSync(file, 'hello');
const fd = fs.openSync(file, 'r+');
const plain = (text) => text?.replaceAll(root, 'ROOT');

const calls = [
  ['access', file], ['access', none], ['access', none, fs.constants.R_OK], ['stat', none], ['stat', Buffer.from(none)],
  ['lstat', none, { bigint: true }], ['fstat', 99999], ['open', none], ['open', none, 'r'], ['close', 99999],
  ['unlink', none], ['rename', none, file], ['link', Buffer.from(none), `${none}2`], ['symlink', none, `${none}/x`],
  ['copyFile', none, file], ['mkdir', `${none}/x`], ['mkdir', `${file}/x/y`, { recursive: true }], ['rmdir', none],
  ['readdir', none], ['readlink', file], ['truncate', none], ['ftruncate', 99999], ['chmod', none, 0o600],
  ['utimes', none, 1, 1], ['realpath', none], ['opendir', none], ['readFile', none], ['writeFile', `${none}/x`, 'x'],
  ['read', 99999, Buffer.alloc(4), 0, 4, 0], ['read', fd, Buffer.alloc(4), 0, 4, 0], ['write', 99999, 'x'],
  ['write', fd, 'hello', 0], ['fsync', fd], ['chmod', file, 0o600], ['readdir', root], ['exists', none], ['close', fd],
];

function shown(error) {
  if (!(error instanceof Error)) return inspect(error);
  const { message, code, errno, syscall, path, dest, stack } = error;
  return [Object.keys(error).join(), plain(message), code, errno, syscall, plain(path), plain(dest),
          stack === `Error: ${message}`].map((part) => inspect(part)).join(' ');
}

function next() {
  const call = calls.shift();
  if (call === undefined) {
    stats();
    return;
  }
  const [name, ...args] = call;
  fs[name](...args, (...given) => {
    console.log(name, given.length, shown(given[0]), ...given.slice(1).map((value) => typeof value));
    next();
  });
}

function stats() {
  for (const [name, options] of [['stat'], ['lstat', {}], ['stat', { bigint: true }], ['stat', { bigint: false }]]) {
    const now = fs[`${name}Sync`](file, options);
    fs[name](file, options ?? ((error, found) => look(name, now, found)), (error, found) => look(name, now, found));
  }
  process.once('exit', () => fs.rmSync(root, { recursive: true }));
}

const results = [];
function look(name, now, found) {
  const lines = [name, found.constructor.name, found instanceof fs.Stats, Object.keys(found).join()];
  const same = Object.keys(found).every((key) => found[key] === now[key]);
  const { enumerable, writable, configurable } = Object.getOwnPropertyDescriptor(found, 'size');
  lines.push(same, found.size, typeof found.ino, enumerable, writable, configurable);
  lines.push(found.isFile(), found.isDirectory(), found.mtime instanceof Date, Object.keys(found).length);
  lines.push(found.mtime.getTime() === Math.round(Number(found.mtimeMs)), Object.keys({ ...found }).length);
  results.push(lines.join(' '));
  if (results.length === 4) for (const line of results.sort()) console.log(line);
}

for (const args of [[], [file], [file, {}], [1, () => {}], ['a\0b', () => {}], [file, {}, 1]]) {
  try {
    fs.stat(...args);
  } catch (error) {
    console.log(error.name, error.code, plain(error.message));
  }
}
next();
