'use strict';
// What `dns` and `dns/promises` take, and what they refuse at once.

const dns = require('dns');

const { promises } = dns;
const { log } = console;
const none = () => {};
const odd = [
  0, 1, 4, 6, 20, -1, 1.5, 0n, 1n, '', '0', '6', 'IPv4', 'IPv6', 'ipv4first', Symbol('s'), true, false, null, undefined, {}, [], none,
];

function shown(value) {
  if (typeof value === 'symbol') return value.toString();
  if (typeof value === 'bigint') return `${value}n`;
  return typeof value === 'function' ? 'function' : JSON.stringify(value);
}

function tell(name, run) {
  try {
    const result = run();
    log(name, result instanceof Promise ? 'promise' : typeof result);
    if (result instanceof Promise) result.catch(none);
  } catch (error) {
    log(name, error.name, error.code, error.message);
  }
}

for (const host of [1, {}, '127.0.0.1\0x', false, null, NaN]) {
  tell(`lookup ${shown(host)}`, () => dns.lookup(host, {}, none));
  tell(`promises.lookup ${shown(host)}`, () => promises.lookup(host, {}));
  tell(`lookup without callback ${shown(host)}`, () => dns.lookup(host, 'cb'));
}
for (const key of ['family', 'hints', 'all', 'verbatim', 'order']) {
  for (const value of odd) {
    tell(`lookup ${key} ${shown(value)}`, () => dns.lookup('127.0.0.1', { [key]: value }, none));
    tell(`promises.lookup ${key} ${shown(value)}`, () => promises.lookup('127.0.0.1', { [key]: value }));
  }
}
for (const value of odd) {
  tell(`lookup options ${shown(value)}`, () => dns.lookup('127.0.0.1', value, none));
  tell(`promises.lookup options ${shown(value)}`, () => promises.lookup('127.0.0.1', value));
  tell(`setDefaultResultOrder ${shown(value)}`, () => dns.setDefaultResultOrder(value));
  log(promises.getDefaultResultOrder());
}
for (const hints of [100, dns.ADDRCONFIG, dns.V4MAPPED, dns.ALL, dns.ADDRCONFIG | dns.V4MAPPED | dns.ALL, 1024]) {
  tell(`hints ${hints}`, () => dns.lookup('127.0.0.1', { hints }, none));
}
for (const args of [[], ['127.0.0.1'], ['127.0.0.1', 80], ['no address', 0], ['127.0.0.1', undefined], ['127.0.0.1', 65538], ['127.0.0.1', 'test'], [1, 80]]) {
  tell(`lookupService ${args.map(shown)}`, () => dns.lookupService(...args, none));
  tell(`promises.lookupService ${args.map(shown)}`, () => promises.lookupService(...args));
}
