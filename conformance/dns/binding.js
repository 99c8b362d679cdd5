'use strict';
// What `dns` asks goes through the functions of Node's binding: who replaces one hears of it.
const cares = process.binding('cares_wrap');
const uv = process.binding('uv');

console.log(cares.DNS_ORDER_VERBATIM, cares.DNS_ORDER_IPV4_FIRST, cares.DNS_ORDER_IPV6_FIRST);
console.log(cares.AF_INET, cares.AF_INET6, cares.AF_UNSPEC, cares.AI_ADDRCONFIG, cares.AI_ALL, cares.AI_V4MAPPED);
console.log(Object.getOwnPropertyDescriptor(cares, 'AF_INET'), Object.getOwnPropertyDescriptor(cares, 'getaddrinfo'));
console.log(['::0001', '1.2.3.4', '01.2.3.4', 'x', 'fe80::1%lo'].map(cares.canonicalizeIP));
console.log([-1000, 0, 11, 26, 27].map((number) => cares.strerror(number)));
console.log(cares.GetNameInfoReqWrap, cares.ChannelWrap.name, Object.keys(new cares.QueryReqWrap()));

console.log(uv.errname(-2), uv.errname(-7777), uv.getErrorMessage(-2), uv.getErrorMap().get(uv.UV_EAI_MEMORY));
console.log(uv.errname, uv.getErrorMap, Object.getOwnPropertyDescriptor(uv, 'UV_EOF'));

const { getaddrinfo, getnameinfo } = cares;
let answer = 0;
for (const name of ['getaddrinfo', 'getnameinfo']) {
  cares[name] = (request, ...args) => {
    console.log(name, request, args);
    if (typeof answer === 'number') return answer;
    process.nextTick(() => request.oncomplete(...structuredClone(answer)));
    return 0;
  };
}
const channel = cares.ChannelWrap.prototype;
for (const name of ['queryA', 'queryMx', 'getHostByAddr', 'setServers', 'setLocalAddress', 'cancel']) {
  const original = channel[name];
  channel[name] = function(...args) {
    console.log(name, this.constructor.name, args);
    return name[0] === 'q' || name[0] === 'g' ? uv.UV_EPERM : original.apply(this, args);
  };
}

const dns = require('dns');
const { promises } = dns;
const told = (label) => (error, ...rest) => console.log(label, error ? `${error.message} ${error.errno}` : rest);
const settled = (promise) => promise.then(console.log, (error) => console.log(error.message, error.code, error.errno));

(async () => {
  for (answer of [uv.UV_ENOMEM, uv.UV_EAI_NONAME, [uv.UV_EAI_AGAIN], [null, ['::1', '127.0.0.1']]]) {
    dns.lookup('a.example', told('one'));
    await new Promise(setImmediate);
    dns.lookup('a.example', { all: true, family: 4, hints: dns.ALL, order: 'ipv6first' }, told('all'));
    await new Promise(setImmediate);
    await settled(promises.lookup('a.example', { verbatim: false }));
    await settled(promises.lookup('a.example', { all: true }));
  }
  for (answer of [uv.UV_ENOENT, [uv.UV_EAI_NONAME], [null, 'host', 'ssh']]) {
    try {
      dns.lookupService('127.0.0.1', '22', told('service'));
    } catch (error) {
      console.log(error.message, error.code, error.syscall);
    }
    await new Promise(setImmediate);
    await settled(promises.lookupService('127.0.0.1', 22));
  }
  for (const method of ['resolve4', 'resolveMx', 'reverse']) {
    try {
      dns[method]('a.example', told(method));
    } catch (error) {
      console.log(error.message, error.errno);
    }
    await settled(promises[method]('a.example'));
  }
  const resolver = new dns.Resolver();
  resolver.setServers(['127.0.0.1', '[::1]:5353', '127.0.0.2:54']);
  console.log(resolver.getServers());
  resolver.setLocalAddress('127.0.0.1', '::1');
  for (const addresses of [['127.0.0.1', '127.0.0.1'], ['::1', '::1'], ['x'], ['::1', 'x']]) {
    try {
      resolver.setLocalAddress(...addresses);
    } catch (error) {
      console.log(error.name, error.message, error.code);
    }
  }
  resolver.cancel();
  // And with their own back, names are found again.
  Object.assign(cares, { getaddrinfo, getnameinfo });
  dns.lookup('localhost', 4, told('localhost'));
})();
