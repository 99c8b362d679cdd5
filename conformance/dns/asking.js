'use strict';
// Whom questions go to, over what, and how often, when answers do not come or are not to be trusted.
const dns = require('node:dns');
const { record, serve } = require('./server.cjs');

const A = record(1, Buffer.from([1, 2, 3, 4]));
const many = Array.from({ length: 100 }, (_, at) => record(1, Buffer.from([10, 0, 0, at])));
const kTruncated = 0x0200;

serve((asked) => {
  const { label, count, isTcp, bytes, end, id } = asked;
  const good = { records: [A] };
  switch (label) {
    case 'silent': return undefined;
    case 'second': return count === 1 ? undefined : good;
    case 'id': return { ...good, id: id ^ 1 };
    case 'other': return { ...good, question: Buffer.from('\x05wrong\x04test\x00\x00\x01\x00\x01', 'latin1') };
    case 'case': return { ...good, question: Buffer.from(bytes.subarray(12, end).toString('latin1')
      .replace('case', 'CaSe'), 'latin1') };
    case 'unasked': return { ...good, question: Buffer.alloc(0) };
    case 'garbage': return { raw: Buffer.from('garbage') };
    case 'big': return isTcp ? { records: many } : { flags: kTruncated, records: [A] };
    case 'torn': return isTcp ? undefined : { flags: kTruncated };
    case 'still': return { flags: kTruncated, records: [A] };
    case 'refused': return { flags: 5 };
    default: return good;
  }
}, async (server, close, counts) => {
  const resolver = new dns.promises.Resolver({ timeout: 10000, tries: 3 });
  resolver.setServers([server]);
  const impatient = new dns.promises.Resolver({ timeout: 400, maxTimeout: 400, tries: 3 });
  impatient.setServers([server]);
  const show = async (by, host) => {
    const found = await by.resolve4(host).catch((error) => `${error.code}: ${error.message}`);
    console.log(host, String(found));
  };
  const labels = ['good', 'silent', 'second', 'id', 'other', 'case', 'unasked', 'garbage', 'big', 'torn', 'still', 'refused'];
  for (const label of labels) {
    const inVain = ['silent', 'second', 'id', 'other'].includes(label);
    await show(inVain ? impatient : resolver, `${label}.test`);
    console.log(`  asked ${counts.get(label)}, over TCP ${counts.get(`tcp ${label}`) ?? 0}`);
  }
  // Many at once, on one socket and on one connection.
  const all = await Promise.all(Array.from({ length: 50 }, (_, at) => resolver.resolve4(at % 2 ? 'big.test' : 'good.test')));
  console.log(all.map((found) => found.length).join());

  // The first does not listen: the second is asked, and stays first.
  const two = new dns.promises.Resolver({ timeout: 10000, tries: 2 });
  two.setServers(['127.0.0.1:1', server]);
  await show(two, 'good.test');
  await show(two, 'good.test');
  const dead = new dns.promises.Resolver({ timeout: 10000, tries: 2 });
  dead.setServers(['127.0.0.1:1']);
  await show(dead, 'good.test');
  const none = new dns.promises.Resolver();
  none.setServers([]);
  await show(none, 'good.test');
  const bound = new dns.promises.Resolver({ timeout: 10000, tries: 1 });
  bound.setServers([server]);
  bound.setLocalAddress('127.0.0.2');
  await show(bound, 'good.test');

  // Cancelled: all at once, none later.
  const waiting = ['silent', 'good', 'big'].map((label) => show(resolver, `${label}.test`));
  console.log(process.getActiveResourcesInfo().filter((name) => /UDP|Timeout|Query/.test(name)).length);
  resolver.cancel();
  resolver.cancel();
  await Promise.all(waiting);
  close();
});
