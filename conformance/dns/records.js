'use strict';
// Every kind of record, by every verb: what is found, what is not, and what is malformed.
const dns = require('node:dns');
const { long, name, record, serve, text, word } = require('./server.cjs');

const A = record(1, Buffer.from([1, 2, 3, 4]), { ttl: 100 });
const AAAA = record(28, Buffer.from('20010db8000000000000000000000001', 'hex'), { ttl: 0x80000001 });
const CNAME = record(5, name('real.test'), { ttl: 5 });
const NS = record(2, name('ns1.test'));
const PTR = record(12, name('p.test'));
const MX = record(15, Buffer.concat([word(10), name('mx.test')]));
const TXT = record(16, Buffer.concat([text('hello'), text('w\xe9\0rld')]));
const SRV = record(33, Buffer.concat([word(1), word(2), word(3), name('srv.test')]));
const NAPTR = record(35, Buffer.concat(
  [word(1), word(2), text('S'), text('SIP+D2U'), text('!a!b!'), name('n.test')]));
const SOA = record(6, Buffer.concat(
  [name('ns.test'), name('host.test'), long(4000000000), long(4000000001), long(3), long(4), long(4294967295)]));
const TLSA = record(52, Buffer.from([3, 1, 1, 9, 8, 7]));
const CAA = record(257, Buffer.concat([Buffer.from([128]), text('issue'), Buffer.from('ca.test')]));

const sets = {
  none: [],
  a: [A, record(1, Buffer.from([9, 9, 9, 9]), { ttl: 0 })],
  aaaa: [AAAA],
  both: [A, AAAA],
  cname: [CNAME],
  chain: [CNAME, A, AAAA],
  ns: [NS, NS],
  ptr: [PTR],
  mx: [MX, MX],
  txt: [TXT, TXT],
  nothing: [record(16, Buffer.from([0]))],
  srv: [SRV],
  naptr: [NAPTR],
  soa: [SOA, SOA],
  tlsa: [TLSA],
  caa: [CAA],
  unknown: [record(999, Buffer.from('xx'))],
  chaos: [record(1, Buffer.from([9, 9, 9, 9]), { klass: 3 }), A],
  all: [TLSA, CAA, SOA, NAPTR, SRV, TXT, PTR, NS, MX, AAAA, A].slice(1),
  alias: [CNAME, CAA, SOA, NAPTR, SRV, TXT, PTR, NS, MX, AAAA, A],
  special: [record(2, Buffer.concat([text('a b(c)"\x01\xff@'), text('x.y'), Buffer.from([0])]))],
  root: [record(2, Buffer.from([0]))],
  long: [record(1, Buffer.from([1, 2, 3, 4, 5]))],
  class: [record(1, Buffer.from([9, 9, 9, 9]), { klass: 77 })],
  short: [record(1, Buffer.from([1, 2, 3]))],
  beyond: [record(1, Buffer.from([1, 2, 3, 4]), { length: 40 })],
  empty: [record(16, Buffer.alloc(0))],
  worthless: [record(257, Buffer.concat([Buffer.from([0]), text('issue')]))],
  loop: [record(2, Buffer.from([0xc0, 0xff]))],
};
const verbs = ['resolve4', 'resolve6', 'resolveAny', 'resolveCaa', 'resolveCname', 'resolveMx', 'resolveNaptr', 'resolveNs',
  'resolvePtr', 'resolveSoa', 'resolveSrv', 'resolveTxt', 'resolveTlsa'];

const plain = (key, value) => (value instanceof ArrayBuffer ? [...new Uint8Array(value)] : value);

serve(({ label, name }) => {
  const [, code] = /^code(\d+)$/.exec(label) ?? [];
  return { flags: code | 0, records: sets[label] ?? [] };
}, async (server, close) => {
  const resolver = new dns.promises.Resolver({ timeout: 10000, tries: 1 });
  resolver.setServers([server]);
  const show = async (verb, host, options) => {
    const found = await resolver[verb](host, options).catch((error) => `${error.code}: ${error.message}`);
    console.log(verb, host, JSON.stringify(found, plain));
  };
  for (const set of Object.keys(sets)) {
    for (const verb of verbs) await show(verb, `${set}.test`, { ttl: true });
  }
  await show('resolve4', 'a.test');
  for (let code = 1; code < 12; code++) await show('resolve4', `code${code}.test`);
  for (const verb of verbs) await show(verb, 'code9.test');
  for (const host of ['a..b', 'a b', '', '.', `${'x'.repeat(64)}.com`, 'UPPER.test', 'dot.test.', '*.test', '_x._y', 'a@b']) {
    await show('resolve4', host);
  }
  close();
});
