'use strict';
// Runtime options for a worker, normalized to `--name` or `--name=value`.

const short = { '-r': '--require', '-C': '--conditions', '--loader': '--experimental-loader' };
const withValue = new Set([
  '--conditions', '--disable-warning', '--dns-result-order', '--import', '--input-type', '--require', '--redirect-warnings',
  '--stack-trace-limit',
  '--unhandled-rejections', '--experimental-loader', '--network-family-autoselection-attempt-timeout',
]);
const switches = new Set([
  '--deprecation', '--enable-source-maps', '--experimental-strip-types', '--experimental-transform-types',
  '--network-family-autoselection', '--pending-deprecation', '--preserve-symlinks', '--preserve-symlinks-main',
  '--throw-deprecation', '--trace-deprecation', '--trace-exit', '--trace-sigint', '--trace-sync-io', '--trace-uncaught',
  '--trace-warnings', '--warnings', '--insecure-http-parser', '--verify-base-objects', '--inspect', '--frozen-intrinsics',
  '--experimental-vm-modules', '--experimental-wasm-modules', '--experimental-import-meta-resolve', '--experimental-worker',
  '--experimental-require-module', '--experimental-detect-module', '--experimental-websocket', '--experimental-eventsource',
  '--experimental-global-navigator', '--experimental-webstorage', '--force-context-aware', '--addons', '--entry-url',
]);

function read(given) {
  const flags = [];
  const invalid = [];
  for (let at = 0; at < given.length; at++) {
    const text = String(given[at]);
    const end = text.indexOf('=');
    let name = (end === -1 ? text : text.slice(0, end)).replaceAll('_', '-');
    name = short[name] ?? name;
    const plain = name.replace(/^--no-/, '--');
    if (withValue.has(name)) {
      if (end !== -1) flags.push(`${name}=${text.slice(end + 1)}`);
      else if (at + 1 < given.length) flags.push(`${name}=${given[++at]}`);
      else invalid.push(`${text} requires an argument`);
    } else if (switches.has(plain)) {
      flags.push(end === -1 ? name : `${name}${text.slice(end)}`);
    } else {
      invalid.push(text);
    }
  }
  return { flags, invalid };
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

module.exports = { read, switchesOf };
