'use strict';
// Writes the table of Node's flags that `crates/node/src/process/node_flags.rs` reads:
//
//     node --expose-internals --no-warnings xtask/src/node_flags.js > crates/node/src/process/node_flags.txt
//
// A line is a flag without its dashes, the kind of its value (bool, text, noop), and `env` if NODE_OPTIONS may have it. The
// flags of V8, which only the command line may have, are `v8`.

const { execFileSync } = require('child_process');
const { internalBinding } = require('internal/test/binding');
const { getCLIOptionsInfo, envSettings, types } = internalBinding('options');

const { options, aliases } = getCLIOptionsInfo();
const kinds = { [types.kBoolean]: 'bool', [types.kV8Option]: 'bool', [types.kNoOp]: 'noop' };
const lines = new Map();
for (const [name, { type, envVarSettings }] of options) {
  if (!name.startsWith('--')) continue;
  const env = envVarSettings === envSettings.kAllowedInEnvvar ? ' env' : '';
  lines.set(name.slice(2), `${kinds[type] ?? 'text'}${env}`);
}
for (const [alias, [target, ...more]] of aliases) {
  const name = alias.slice(2);
  if (!/^--[^= ]+$/.test(alias) || lines.has(name)) continue;
  // An alias that brings a value takes none.
  lines.set(name, more.length > 0 ? lines.get(target.slice(2)).replace('text', 'bool') : lines.get(target.slice(2)));
}
for (const [, name, type] of execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  .matchAll(/^ {2}--(\S+).*\n +type: (\w+)/gm)) {
  if (!lines.has(name)) lines.set(name, `${type === 'bool' ? 'bool' : 'text'} v8`);
}
for (const name of [...lines.keys()].sort()) console.log(`${name} ${lines.get(name)}`);
