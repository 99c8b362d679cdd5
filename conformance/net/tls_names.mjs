// What `tls` has that encrypts nothing: the names that packages import, whether a certificate is one for a host, and protocols as bytes.
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import tls, { checkServerIdentity, convertALPNProtocols, createSecurePair, DEFAULT_CIPHERS, rootCertificates } from 'node:tls';

console.log(typeof createSecurePair, DEFAULT_CIPHERS, Array.isArray(rootCertificates), Object.isFrozen(rootCertificates));
console.log(Object.keys(tls).sort().join(' '));

// A socket that nobody has used yet: packages look at what is behind it.
const stream = new PassThrough();
const socket = new tls.TLSSocket(stream);
const { _parentWrap: behind } = socket._handle;
console.log(socket instanceof Socket, socket instanceof tls.TLSSocket, behind.constructor.name, behind instanceof Socket, behind.stream === stream);
console.log(socket.encrypted, socket.authorized, socket.authorizationError, tls.TLSSocket.name, Object.getPrototypeOf(tls.TLSSocket) === Socket);

const names = (subjectaltname, CN) => ({ subject: CN === undefined ? undefined : { CN }, subjectaltname });
const check = (host, cert) => {
  try {
    const error = checkServerIdentity(host, cert);
    console.log(host, error === undefined ? 'fits' : `${error.code} ${error.message}`, error?.reason === undefined, error?.host);
  } catch (error) {
    console.log(host, error.name, error.code, error.message);
  }
};
for (const [host, cert] of [
  ['a.test', names('DNS:a.test')], ['A.Test.', names('DNS:a.tEST')], ['a.test.', names('DNS:a.test.')], ['b.test', names('DNS:a.test')],
  ['x.a.test', names('DNS:*.a.test')], ['x.y.a.test', names('DNS:*.a.test')], ['a.test', names('DNS:*.test')], ['test', names('DNS:test')],
  ['foobar.a.test', names('DNS:f*r.a.test')], ['fr.a.test', names('DNS:fr*r.a.test')], ['x.a.test', names('DNS:*x*.a.test')],
  ['xn--bcher-kva.a.test', names('DNS:xn--*.a.test')], ['bücher.a.test', names('DNS:xn--bcher-kva.a.test')],
  ['a..test', names('DNS:a..test')], ['é.a.test', names('DNS:é.a.test')], ['x.a.test', names('DNS:b.test, DNS:x.a.test')],
  ['127.0.0.1', names('IP Address:127.0.0.1')], ['127.0.0.1', names('DNS:127.0.0.1')], ['::1', names('IP Address:0:0:0:0:0:0:0:1')],
  ['10.0.0.1', names('IP Address:10.0.0.2, IP Address:nonsense', '10.0.0.1')],
  ['a.test', names(undefined, 'a.test')], ['a.test', names(undefined, ['b.test', 'a.test'])], ['a.test', names('', 'b.test')],
  ['a.test', names('DNS:b.test', 'a.test')], ['a.test', names('URI:http://a.test', 'a.test')], ['a.test', names()],
  ['a.test', names('DNS:"a.test"')], ['a.test', names('DNS:"b.test, DNS:c.test", DNS:a.test')], ['a.test', names('DNS:"a.te\\u0073t"')],
  ['a.test', names('DNS:"a.test')], ['a.test', names('DNS:"a\\xtest"')], ['', names('DNS:a.test')], [undefined, names('DNS:undefined')],
]) check(host, cert);
console.log(checkServerIdentity('a.test', names('DNS:b.test')) instanceof Error, Object.keys(checkServerIdentity('a', names('DNS:b'))));

for (const protocols of [['h2', 'http/1.1'], [], new Uint8Array([2, 104, 50]), new Uint16Array([1, 2]), 'h2', ['x'.repeat(256)]]) {
  const out = {};
  try {
    convertALPNProtocols(protocols, out);
    console.log(out);
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
