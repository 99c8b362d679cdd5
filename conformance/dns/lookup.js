'use strict';
// What needs no server of names.
const dns = require('node:dns');
const util = require('node:util');

const tell = (label) => (error, ...rest) => console.log(label, error && [error.code, error.errno, error.syscall, error.hostname, error.message], ...rest);
const { promises } = dns;

(async () => {
  console.log(promises === require('node:dns/promises'), dns.getDefaultResultOrder());
  console.log(dns.ADDRCONFIG, dns.ALL, dns.V4MAPPED, dns.NOTFOUND, dns.promises.TIMEOUT, dns.promises.ADDRCONFIG);
  const ask = (...args) => new Promise((resolve) => {
    const request = dns.lookup(...args, (...answer) => { tell(args.map((arg) => JSON.stringify(arg)).join())(...answer); resolve(); });
    console.log(request.constructor.name);
  });
  await ask('127.0.0.1');
  await ask('127.0.0.1', { all: true });
  await ask('::1', 6);
  await ask('::1', { family: 'IPv6', all: true });
  await ask('', { all: true });
  await ask('', 6);
  await ask(null);
  await ask('localhost', 4);
  await ask('localhost', { family: 4, all: true });
  await ask('a b');
  await ask('127.0.0.1', { verbatim: false, order: 'ipv6first' });
  console.log(await util.promisify(dns.lookup)('127.0.0.1'));
  console.log(await promises.lookup('127.0.0.1'), await promises.lookup('127.0.0.1', { all: true }), await promises.lookup('::1', 6));
  console.log(await promises.lookup('localhost', { family: 4 }));
  await promises.lookup('a b').catch(tell('promise'));
  try {
    promises.lookup(1);
  } catch (error) {
    console.log(error.code, error.message);
  }
  await new Promise((resolve) => dns.lookupService('127.0.0.1', 22, (...answer) => { tell('service')(...answer); resolve(); }));
  console.log(await promises.lookupService('127.0.0.1', 80));
  dns.setDefaultResultOrder('ipv4first');
  console.log(dns.getDefaultResultOrder(), promises.getDefaultResultOrder());
})();
