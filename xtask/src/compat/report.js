'use strict';
// Prints docs/node-compat.md. The arguments are four files: the inventory of Node, that of phasor, and the `--help` of each. A name that
// exists and behaves differently is invisible to the inventories; NOTES_ON_GLOBALS and NOTES_ON_MODULES describe those by hand.

const { readFileSync } = require('fs');

const [node, phasor] = process.argv.slice(2, 4).map((file) => JSON.parse(readFileSync(file, 'utf8')));
const [nodeHelp, phasorHelp] = process.argv.slice(4, 6).map((file) => readFileSync(file, 'utf8'));

/** The number of names that a cell lists before it says `and 5 more`. */
const SHOWN = 8;

/** Globals whose names are present but behave differently, with the text for the last column. */
const NOTES_ON_GLOBALS = {
  Intl: 'data of SpiderMonkey’s ICU ([decision 24](decisions/0024-engine-differences.md))',
};

/** The same for modules. */
const NOTES_ON_MODULES = {
  'crypto': 'no engines, no FIPS; ciphers and curves of RustCrypto ([decision 12](decisions/0012-use-rustcrypto.md))',
  'https': 'throws `ERR_NO_CRYPTO` when used ([decision 15](decisions/0015-fail-tls-on-use.md))',
  'http2': 'throws `ERR_NO_CRYPTO` when used, also without TLS',
  'inspector': 'a session knows no command',
  'inspector/promises': 'a session knows no command',
  'node:test': 'runs tests in the file; no `--test` runner',
  'tls': 'throws `ERR_NO_CRYPTO` when used ([decision 15](decisions/0015-fail-tls-on-use.md))',
  'v8': 'heap statistics are those of the JavaScript engine in use',
};

/** Members that only Node's own library uses. */
const isInternal = (name) => name.endsWith('.withoutStackTrace');

const code = (name) => '`' + name + '`';

/** Names with the members of an absent class or namespace left out: `WebSocket` stands for `WebSocket.prototype.send`. */
function outermost(names) {
  const all = new Set(names);
  return names.filter((name) => {
    const parts = name.split('.');
    return !parts.some((_, count) => count > 0 && all.has(parts.slice(0, count).join('.')));
  });
}

/** Names as a cell of a table. */
function listed(names) {
  const shown = outermost(names.filter((name) => !isInternal(name)));
  if (shown.length === 0) return '';
  const rest = shown.length > SHOWN ? ` and ${shown.length - SHOWN} more` : '';
  return shown.slice(0, SHOWN).map(code).join(', ') + rest;
}

/** Compares two inventories, which map names to types. */
function compared(theirs, ours) {
  const names = Object.keys(theirs).filter((name) => !isInternal(name));
  return {
    present: names.filter((name) => name in ours).length,
    total: names.length,
    absent: names.filter((name) => !(name in ours)),
    different: names.filter((name) => name in ours && theirs[name] !== ours[name]).map((name) => `${name} (${ours[name]})`),
  };
}

/** The part of the globals that belongs to one name, such as `Intl` with its members. */
function membersOf(globals, name) {
  return Object.fromEntries(Object.entries(globals).filter(([key]) => key === name || key.startsWith(`${name}.`)));
}

function row(name, theirs, ours, note) {
  if (ours === undefined) return `| ${code(name)} | absent |  |  |`;
  const { present, total, absent, different } = compared(theirs, ours);
  const differs = [listed(different), note].filter(Boolean).join('; ');
  return `| ${code(name)} | ${present === total ? 'all' : present} of ${total} | ${listed(absent)} | ${differs} |`;
}

function moduleRows() {
  return Object.keys(node.modules).sort().map((name) => row(name, node.modules[name], phasor.modules[name], NOTES_ON_MODULES[name]));
}

function globalRows() {
  const names = Object.keys(node.globals).filter((name) => !name.includes('.')).sort();
  const rows = [];
  const complete = [];
  for (const name of names) {
    const [theirs, ours] = [membersOf(node.globals, name), membersOf(phasor.globals, name)];
    if (Object.keys(ours).length === 0) {
      rows.push(row(name, theirs, undefined));
    } else if (compared(theirs, ours).absent.length > 0 || NOTES_ON_GLOBALS[name]) {
      rows.push(row(name, theirs, ours, NOTES_ON_GLOBALS[name]));
    } else {
      complete.push(name);
    }
  }
  return { rows, complete };
}

/** The options of a help text, long names only where there is one. */
function optionsOf(help) {
  const options = new Set();
  for (const line of help.split('Environment variables')[0].split('\n')) {
    const match = /^ {2}(-\S+?)(?:, (--[\w.-]+))?(?:[ =[]|$)/.exec(line);
    if (match && match[1] !== '-' && match[1] !== '--') options.add((match[2] ?? match[1]).replace(/=.*/, ''));
  }
  return options;
}

function flags() {
  const known = new Set([...phasor.flags, ...optionsOf(phasorHelp)]);
  const names = [...new Set([...node.flags, ...optionsOf(nodeHelp)])].sort();
  // A flag and its negation are one flag. A short name stands for a long one.
  const all = names.filter((name) => name.startsWith('--') && !(name.startsWith('--no-') && names.includes(name.replace('--no-', '--'))));
  const isKnown = (name) => known.has(name) || known.has(name.replace('--', '--no-'));
  const own = [...known].filter((name) => !names.includes(name));
  // Of a flag that is on by default, list `--no-x` without `--x`.
  const isCounterpart = (name) => !name.startsWith('--no-') && own.includes(name.replace('--', '--no-'));
  return { present: all.filter(isKnown), absent: all.filter((name) => !isKnown(name)), own: own.filter((name) => !isCounterpart(name)) };
}

/** Lines of at most 140 characters. */
function wrapped(names) {
  const lines = [''];
  for (const name of names.map(code)) {
    if (lines.at(-1).length + name.length > 138) lines.push('');
    lines[lines.length - 1] += (lines.at(-1) === '' ? '' : ', ') + name;
  }
  return lines.join(',\n');
}

const { rows, complete } = globalRows();
const { present, absent, own } = flags();
const ourGlobals = Object.keys(phasor.globals).filter((name) => !name.includes('.') && !(name in node.globals)).sort();
const ourModules = Object.keys(phasor.modules).filter((name) => !(name in node.modules)).sort();
process.stdout.write(`# What Phasor has of Node

Made by \`cargo xtask compat\` from the modules, globals and flags that Node ${node.version} and phasor report. Do not edit it: known differences
in behaviour are in \`xtask/src/compat/report.js\`.

- **present**: how many of Node's names exist, with the members of classes and namespaces. Names that begin with an underscore are left out.
- **absent**: the missing names. The members of a missing class count in the column before, and are not listed.
- **different**: names with another \`typeof\` than in Node, Phasor's in parentheses (\`property\`: an accessor where Node has a method), then
  other differences in behaviour, as far as known.

## Modules

| module | present | absent | different |
|---|---|---|---|
${moduleRows().join('\n')}
${ourModules.length === 0 ? '' : `\nOnly Phasor has: ${ourModules.map(code).join(', ')}.\n`}
## Globals

| global | present | absent | different |
|---|---|---|---|
${rows.join('\n')}

With all members: ${wrapped(complete)}.

Only Phasor has: ${ourGlobals.length === 0 ? 'none' : wrapped(ourGlobals)}.

## Flags

Of Node's ${present.length + absent.length} flags ${present.length} are present; a flag counts together with its negation. An absent flag is an error that names it on
the command line, and a warning in \`NODE_OPTIONS\`.

Present: ${wrapped(present)}.

Absent: ${wrapped(absent)}.

Not in the help of Node: ${own.length === 0 ? 'none' : wrapped(own)}.
`);
