// Looks up names of this machine, and one that does not exist.
'use strict';
const dns = require('dns');
const { promises } = dns;

(async () => {
  console.log(await promises.lookup('localhost', { family: 4 }));
  console.log(await promises.lookup('127.0.0.1'), await promises.lookup('::1', { all: true }));
  console.log((await promises.lookup('localhost', { all: true, family: 4 })).length > 0);
  const many = Array.from({ length: 50 }, () => promises.lookup('localhost', { family: 4 }));
  console.log(new Set((await Promise.all(many)).map(({ address }) => address)));
  console.log(await promises.lookupService('127.0.0.1', 80).then(({ service }) => service, ({ code }) => code));
  const error = await promises.lookup('no-such-name.invalid').catch((error) => error);
  console.log(error.syscall, error.hostname, error.code);
  console.log('done');
})();
