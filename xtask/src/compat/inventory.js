'use strict';
// Prints as JSON what this runtime offers: its globals, the members of its builtin modules, and its flags. `cargo xtask compat` runs it
// on Node and on phasor.

const { builtinModules } = require('module');

/** Own properties that every function may have. */
const OF_FUNCTIONS = ['length', 'name', 'arguments', 'caller', 'prototype'];

/** Modules that `require` finds only with their scheme. */
const WITH_SCHEME = ['node:sea', 'node:sqlite', 'node:test', 'node:test/reporters', 'phasor:loop'];

const isPublic = (name) => !name.startsWith('_') && !/^\d+$/.test(name) && name !== 'constructor' && name !== 'builtinModules';

/** The members of a prototype. Its getters are not called: most throw without an instance. */
function addPrototype(members, path, prototype) {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const isMethod = typeof Object.getOwnPropertyDescriptor(prototype, name).value === 'function';
    if (isPublic(name)) members[`${path}.prototype.${name}`] = isMethod ? 'function' : 'property';
  }
}

/** The members of a namespace and of what it contains, down to `depth`: `{ 'Server.prototype.listen': 'function' }`. */
function addMembers(members, path, namespace, depth, seen) {
  if (seen.has(namespace)) return members;
  seen.add(namespace);
  for (const name of Object.getOwnPropertyNames(namespace)) {
    if (!isPublic(name) || (typeof namespace === 'function' && OF_FUNCTIONS.includes(name))) continue;
    let value;
    try {
      // Reading a member may run a lazy getter, which may throw.
      value = namespace[name];
    } catch {
      continue;
    }
    members[path + name] = value === null ? 'null' : typeof value;
    if (depth === 0 || value === null || (typeof value !== 'object' && typeof value !== 'function') || Array.isArray(value)) continue;
    if (typeof value === 'function' && value.prototype && !seen.has(value)) addPrototype(members, path + name, value.prototype);
    addMembers(members, `${path}${name}.`, value, depth - 1, seen);
  }
  return members;
}

function modules() {
  const found = {};
  const names = builtinModules.filter((name) => !name.startsWith('_') && !name.startsWith('node:'));
  for (const name of [...names, ...WITH_SCHEME]) {
    try {
      // The members of objects in `process` depend on the machine: `process.env`, `process.config`.
      found[name] = addMembers({}, '', require(name), name === 'process' ? 0 : 1, new Set([globalThis, process.env]));
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND' && error.code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error;
    }
  }
  return found;
}

// Reading deprecated members emits warnings.
process.removeAllListeners('warning');
process.on('warning', () => {});
const globals = addMembers({}, '', globalThis, 1, new Set([process, console]));
const flags = [...process.allowedNodeEnvironmentFlags].sort();
console.log(JSON.stringify({ version: process.version, globals, modules: modules(), flags }));
