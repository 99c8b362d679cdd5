'use strict';
// Patterns with `..`, `.`, classes of one letter, slashes at the end, and what is found behind links.
const fs = require('fs');
const { tmpdir } = require('os');
const { join } = require('path');

process.removeAllListeners('warning');
// A pattern with `..` reaches the parent, which must be empty but for this folder.
const parent = fs.mkdtempSync(join(tmpdir(), 'glob-'));
const folder = join(parent, 'folder');
fs.mkdirSync(join(folder, 'd/e/f'), { recursive: true });
for (const name of ['d/c', 'd/k', 'd/e/k', 'd/e/f/k']) fs.writeFileSync(join(folder, name), '');
fs.symlinkSync('e', join(folder, 'd/l'));
fs.symlinkSync('nowhere', join(folder, 'd/m'));

const patterns = [
  '**/c/../k', '**/[c]/../k', 'd/c/../k', 'd/[c]/../k', '**/[l]/../k', 'd/[l]/../k', 'd/l/../k', '**/l/../k', '**/[m]/../k',
  'd/[m]/../k', '**/e/../k', '**/[e]/../[k]', '**/[c]/..', '**/[l]/../*', '**/../k', '**/[l]/k', 'd/[l]/k', 'd/*/k', '**/l/k',
  '**/[c]/../../d', '*/[l]/../k', '*/l/k', 'd/l/k', './d/l/k', '**/d/l/k', 'd/**/l/k', '*/[l]/k', 'd/l/*', '*/l/*', '**/l/*',
  './**/l/k', '*/l/f/k', '**/l/f/k', '**/l/**', 'd/l/**', '*/l/**', 'd/l*/k', '**/l*/k', '**/l/f', 'd/l/', '*/l/', '**/l/',
  '**/[l]', 'd/?/k', '[d]/l/k', 'd/[le]/k', 'd/m/..', 'x/../d', 'd/./l/k', 'd/.', '*/.', '**/.', './d/..', 'd/e/..', 'd/e/../..',
  'd/e/../../d/k', 'd//k', 'd/', '.', './',
];
(async () => {
  for (const pattern of patterns) {
    const found = fs.globSync(pattern, { cwd: folder }).sort();
    const entries = [];
    for await (const entry of fs.promises.glob(pattern, { cwd: folder, withFileTypes: true })) entries.push(entry.name);
    console.log(pattern, JSON.stringify(found), entries.length === found.length);
  }
  fs.rmSync(parent, { recursive: true });
})();
