'use strict';
// Runtime options for a worker, normalized to `--name` or `--name=value`.

const short = { '-r': '--require', '-C': '--conditions', '--loader': '--experimental-loader' };
const withValue = new SafeSet([
  '--conditions', '--disable-warning', '--dns-result-order', '--import', '--input-type', '--require', '--redirect-warnings',
  '--max-http-header-size', '--unhandled-rejections', '--experimental-loader', '--network-family-autoselection-attempt-timeout',
]);
const switches = new SafeSet([
  '--deprecation', '--enable-source-maps', '--experimental-strip-types', '--experimental-transform-types',
  '--network-family-autoselection', '--pending-deprecation', '--preserve-symlinks', '--preserve-symlinks-main',
  '--throw-deprecation', '--trace-deprecation', '--trace-exit', '--trace-sigint', '--trace-sync-io', '--trace-uncaught',
  '--trace-warnings', '--warnings', '--insecure-http-parser', '--verify-base-objects', '--inspect', '--frozen-intrinsics',
  '--experimental-vm-modules', '--experimental-wasm-modules', '--experimental-import-meta-resolve', '--experimental-worker',
  '--experimental-require-module', '--experimental-detect-module', '--experimental-websocket', '--experimental-eventsource',
  '--experimental-global-navigator', '--experimental-webstorage', '--force-context-aware', '--addons', '--entry-url',
]);

// Parses arguments up to the first that is not an option, or all words of NODE_OPTIONS if `ofEnvironment` is set (`src/node_options-inl.h:
// OptionsParser::Parse`). In the result `fault` is the message for the first invalid option, `unknown` lists the options that a worker does not
// support, and `count` is the number of parsed arguments.
function read(given, ofEnvironment = false) {
  const flags = [];
  const unknown = [];
  let fault;
  let at = 0;
  for (; at < given.length && fault === undefined; at++) {
    const text = given[at];
    if (text === '-' || !text.startsWith('-')) {
      if (ofEnvironment) continue;
      break;
    }
    if (text === '--' && !ofEnvironment) break;
    const end = text.indexOf('=');
    let name = (end === -1 ? text : text.slice(0, end)).replaceAll('_', '-');
    name = short[name] ?? name;
    const plain = name.replace(/^--no-/, '--');
    if (withValue.has(name)) {
      let value = text.slice(end + 1);
      if (end === -1) value = given[at + 1]?.startsWith('-') ? undefined : given[++at];
      if (value === undefined || (end !== -1 && value === '')) fault = `${text} requires an argument`;
      else if (name === '--max-http-header-size' && !/^\d+$/.test(value)) unknown.push(text);
      else flags.push(`${name}=${value}`);
    } else if (switches.has(plain)) {
      flags.push(end === -1 ? name : `${name}${text.slice(end)}`);
    } else if (withValue.has(plain)) {
      fault = `${text} is an invalid negation because it is not a boolean option`;
    } else {
      unknown.push(text);
    }
  }
  return { flags, unknown, fault: fault ?? faultOf(flags), count: at };
}

const values = {
  '--unhandled-rejections': [
    ['none', 'strict', 'throw', 'warn', 'warn-with-error-code'], 'invalid value for --unhandled-rejections',
  ],
  '--input-type': [
    ['commonjs', 'commonjs-typescript', 'module', 'module-typescript'],
    '--input-type must be "module","commonjs", "module-typescript" or "commonjs-typescript"',
  ],
};

// The message for a wrong value (`src/node_options.cc: EnvironmentOptions::CheckOptions`).
function faultOf(flags) {
  for (const name of Object.keys(values)) {
    const last = flags.findLast((flag) => flag.startsWith(`${name}=`));
    const [allowed, message] = values[name];
    if (last !== undefined && !allowed.includes(last.slice(name.length + 1))) return message;
  }
  return undefined;
}

// Splits NODE_OPTIONS at spaces; double quotes group, and a backslash in them escapes (`src/node_options.cc: ParseNodeOptionsEnvVar`).
function split(text) {
  const words = [];
  let word;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    let letter = text[at];
    if (letter === '\\' && quoted) {
      if (++at === text.length) return { fault: 'invalid value for NODE_OPTIONS (invalid escape)' };
      letter = text[at];
    } else if (letter === ' ' && !quoted) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    } else if (letter === '"') {
      quoted = !quoted;
      continue;
    }
    word = (word ?? '') + letter;
  }
  if (quoted) return { fault: 'invalid value for NODE_OPTIONS (unterminated string)' };
  if (word !== undefined) words.push(word);
  return { words };
}

const variables = {
  NODE_PENDING_DEPRECATION: '--pending-deprecation',
  NODE_PRESERVE_SYMLINKS: '--preserve-symlinks',
  NODE_PRESERVE_SYMLINKS_MAIN: '--preserve-symlinks-main',
};

// Options that environment variables turn on.
function switchesOf(env) {
  return Object.keys(variables).filter((name) => env[name] === '1').map((name) => variables[name]);
}

module.exports = { read, split, switchesOf };
