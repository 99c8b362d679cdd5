'use strict';
// `--run`: runs a script of the nearest package.json in the shell.

const process = require('process');
const fs = require('fs');
const { delimiter, dirname, join } = require('path');

// Searches upwards for the nearest non-empty package.json and collects all `node_modules/.bin`, except at the root
// (`src/node_task_runner.cc: FindPackageJson`).
function lookAround(from) {
  const found = { file: undefined, text: '', programs: '' };
  for (let folder = from; folder !== '/'; folder = dirname(folder)) {
    const programs = join(folder, 'node_modules/.bin');
    if (fs.statSync(programs, { throwIfNoEntry: false })?.isDirectory()) found.programs += programs + delimiter;
    if (found.text !== '') continue;
    found.file = join(folder, 'package.json');
    try {
      found.text = fs.readFileSync(found.file, 'utf8');
    } catch {
      // Continue in the parent folder.
    }
  }
  return found;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

// The error message for a missing package.json or script, if any.
function wrong(name, { file, text }) {
  if (text === '') return `Can't find package.json for directory ${process.cwd()}`;
  const all = parsed(text);
  if (all === undefined) return `Can't parse ${file}`;
  if (!isObject(all)) return `Root value unexpected not an object for ${file}\n`;
  const { scripts } = all;
  if (!isObject(scripts)) return `Can't find "scripts" field in ${file}`;
  if (typeof scripts[name] === 'string') return undefined;
  if (Object.hasOwn(scripts, name)) return `Script "${name}" is unexpectedly not a string for ${file}\n`;
  const known = Object.keys(scripts).filter((one) => typeof scripts[one] === 'string').map((one) => `\n  ${one}: ${scripts[one]}`);
  return `Missing script: "${name}" for ${file}\n\nAvailable scripts are:${known.join('')}`;
}

const quoted = (word) => (/^[^\t\n\r "#$&'()*;<>?\\`|~[\]]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function run(name, args) {
  const found = lookAround(process.cwd());
  const message = wrong(name, found);
  if (message !== undefined) {
    process._rawDebug('%s', message);
    process.exitCode = 1;
    return;
  }
  const command = [parsed(found.text).scripts[name], ...args.map(quoted)].join(' ');
  const env = {
    ...process.env,
    PATH: found.programs + (process.env.PATH ?? ''),
    NODE_RUN_SCRIPT_NAME: name,
    NODE_RUN_PACKAGE_JSON_PATH: found.file,
  };
  const { status, error } = require('child_process').spawnSync('/bin/sh', ['-c', command], {
    cwd: dirname(found.file), env, stdio: 'inherit',
  });
  if (error) process._rawDebug('Error: %s', error.message);
  // Node exits with 1 for every failure.
  process.exitCode = status > 0 ? 1 : 0;
}

module.exports = { run };
