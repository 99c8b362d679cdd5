'use strict';
// The resolver's settings, arguments that are refused, and when a callback is called.
const dns = require('node:dns');
const { record, serve } = require('./server.cjs');

const tell = (call) => {
  try {
    console.log(call());
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
};

console.log(Object.keys(dns).join());
console.log(Object.keys(dns.promises).join());
console.log(Object.getOwnPropertyNames(dns.Resolver.prototype).join());
console.log(Object.getOwnPropertyNames(Object.getPrototypeOf(dns.Resolver.prototype)).join());
console.log(dns.resolve4.name, dns.resolve4.length, dns.promises.resolve4.length, dns.Resolver.prototype.reverse.name);
console.log(dns.Resolver === dns.promises.Resolver, require('node:dns/promises') === dns.promises);

const resolver = new dns.Resolver();
for (const servers of [
  ['127.0.0.1:9', '[::1]:55', '1.2.3.4', '::1', '[::2]', '1.2.3.4:53'], ['foo'], ['1.1.1.1', '1.1.1.1'], [], ['[::1]:'],
  ['1.2.3.4:x'], 'x', [1], ['127.0.0.1:65536'], undefined, ['::0001'],
]) {
  tell(() => resolver.setServers(servers));
  console.log(resolver.getServers());
}
for (const options of [
  { timeout: -2 }, { timeout: 1.5 }, { timeout: 'x' }, { tries: 0 }, { tries: '1' }, { maxTimeout: -1 }, { maxTimeout: {} }, 5,
]) {
  tell(() => typeof new dns.Resolver(options));
}
for (const addresses of [
  ['127.0.0.1'], ['::1'], ['::1', '127.0.0.1'], ['x'], ['127.0.0.1', '1.1.1.1'], ['::1', '::1'], [], [1], ['::1', 1], ['::1', 'x'],
]) {
  tell(() => resolver.setLocalAddress(...addresses));
}
tell(() => resolver.resolve('x', 'FOO', () => {}));
tell(() => resolver.resolve('x', 1, () => {}));
tell(() => resolver.resolve4(1, () => {}));
tell(() => resolver.resolve4('x'));
tell(() => resolver.resolve4('x', {}));
tell(() => resolver.reverse('bogus', () => {}));
tell(() => resolver.reverse('fe80::1%lo', () => {}));
tell(() => dns.promises.resolve('x', 'FOO'));
tell(() => dns.promises.resolve('x', null));
tell(() => dns.promises.resolve4());
dns.promises.reverse('bogus').catch((error) => console.log(error.message, error.errno, error.syscall, error.hostname));

serve(() => ({ records: [record(1, Buffer.from([1, 2, 3, 4]))] }), (server, close) => {
  dns.setServers([server]);
  console.log(dns.getServers()[0] === server, dns.promises.getServers()[0] === server);
  const request = dns.resolve4('x.test', { ttl: true }, (error, found) => {
    console.log(error, found);
    // From the check phase: an immediate is not far.
    setImmediate(() => console.log('immediate'));
    setTimeout(() => console.log('timeout'), 50);
    Promise.resolve().then(() => console.log('microtask'));
    process.nextTick(() => console.log('tick'));
  });
  console.log(request.constructor.name, Object.keys(request).join(), request.bindingName, request.hostname, request.ttl);
  tell(() => dns.getServers().length);
  const own = new dns.Resolver({ timeout: 10000, tries: 1 });
  own.setServers([server]);
  setTimeout(() => {
    own.resolveAny('x.test', (error, found) => {
      console.log('own', error, found);
      tell(() => own.setServers([server]));
      own.resolve4('..', (error) => {
        console.log(error.message, error.errno, error.code);
        process.once('uncaughtException', (error) => {
          console.log('uncaught', error.message);
          close();
        });
        own.resolve('x.test', () => { throw new Error('mine'); });
      });
    });
    tell(() => own.setServers(['1.1.1.1']));
  }, 200);
});
