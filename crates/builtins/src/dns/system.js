'use strict';
// The system's configuration of name resolution: name servers and the hosts file, interpreted like c-ares.

const process = require('process');
const { isIP } = require('internal/net');

const kPort = 53;

function linesOf(path) {
  let text;
  try {
    text = require('fs').readFileSync(path, 'latin1');
  } catch {
    return [];
  }
  return text.split('\n').map((line) => line.replace(/[#;].*/, '').trim()).filter((line) => line !== '');
}

// Parses `address`, `address:port` or `[address]:port`, with an optional `%zone`.
function serverOf(text) {
  if (isIP(text) !== 0) return { address: text, port: kPort };
  const found = /^\[([^\]]+)\](?::(\d+))?(%.+)?$/.exec(text) ?? /^([^:]+):(\d+)()$/.exec(text);
  if (found === null) return undefined;
  const address = found[1] + (found[3] ?? '');
  return isIP(address) === 0 ? undefined : { address, port: (found[2] & 0xffff) || kPort };
}

// Returns the servers and options of `/etc/resolv.conf` and of the environment.
function configuration() {
  const servers = [];
  const options = { timeoutMs: 2000, isRotating: false, isTcp: false };
  const take = (list) => {
    for (const option of list) {
      const [key, value] = option.split(':');
      if ((key === 'timeout' || key === 'retrans') && value > 0) options.timeoutMs = value * 1000;
      else if (key === 'rotate') options.isRotating = true;
      else if (key === 'use-vc' || key === 'usevc') options.isTcp = true;
    }
  };
  for (const line of linesOf('/etc/resolv.conf')) {
    const [word, ...rest] = line.split(/\s+/);
    if (word === 'options') take(rest);
    const server = word === 'nameserver' && rest.length > 0 ? serverOf(rest[0]) : undefined;
    const isNew = ({ address, port }) => !servers.some((other) => other.address === address && other.port === port);
    if (server !== undefined && isNew(server)) servers.push(server);
  }
  take((process.env.RES_OPTIONS ?? '').split(/\s+/));
  if (servers.length === 0) servers.push({ address: '127.0.0.1', port: kPort });
  return { servers, ...options };
}

// Returns the host names of an address in the hosts file, or undefined. Lines with a common address or name belong to one host.
function namesOf(address) {
  const byAddress = new SafeMap();
  const byName = new SafeMap();
  for (const line of linesOf('/etc/hosts')) {
    const [written, ...names] = line.split(/\s+/);
    if (isIP(written) === 0 || names.length === 0) continue;
    const ip = native.canonical(written);
    const known = names.find((name) => byName.has(name.toLowerCase()));
    const host = byAddress.get(ip) ?? byName.get(known?.toLowerCase()) ?? [];
    if (!byAddress.has(ip)) byAddress.set(ip, host);
    for (const name of names) {
      if (byName.has(name.toLowerCase())) continue;
      byName.set(name.toLowerCase(), host);
      host.push(name);
    }
  }
  return byAddress.get(native.canonical(address))?.slice(1);
}

module.exports = { configuration, kPort, namesOf };
