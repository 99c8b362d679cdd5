// X509Certificate: what is in certificates, whom they are for, who signed them, and what is refused.
'use strict';
const { X509Certificate, createPrivateKey, generateKeyPairSync } = require('node:crypto');

// Names of all kinds, signed by itself; a root; a leaf that the root signed.
const many = `-----BEGIN CERTIFICATE-----
MIIDPDCCAu6gAwIBAgIFAQKrze8wBQYDK2VwMIGFMQswCQYDVQQGEwJERTEaMBgG
A1UECAwRVGjDvHJpbmdlbiwgU3RhZHQxEDAOBgNVBAoMB0ErQjs8eD4xDDAKBgNV
BAsMA29uZTEMMAoGA1UECwwDdHdvMRAwDgYDVQQDDAcjc3BhY2VkMRowGAYJKoZI
hvcNAQkBFgthQGIuZXhhbXBsZTAgFw0yNjExMTUxNTE4MzJaGA8yMTI2MTAyMjE1
MTgzMlowgYUxCzAJBgNVBAYTAkRFMRowGAYDVQQIDBFUaMO8cmluZ2VuLCBTdGFk
dDEQMA4GA1UECgwHQStCOzx4PjEMMAoGA1UECwwDb25lMQwwCgYDVQQLDAN0d28x
EDAOBgNVBAMMByNzcGFjZWQxGjAYBgkqhkiG9w0BCQEWC2FAYi5leGFtcGxlMCow
BQYDK2VwAyEAq3RCRIfPIrtQsdMmx8c7Y5DyNZxSAhMIBKpfox+av96jggF5MIIB
dTCBwQYDVR0RBIG5MIG2gg0qLmV4YW1wbGUuY29tgg5mKi5leGFtcGxlLm5ldIIN
YS5leGFtcGxlLm9yZ4cEfwAAAYcQAAAAAAAAAAAAAAAAAAAAAYEObWVAZXhhbXBs
ZS5jb22GDmh0dHA6Ly9hLmIvYz9kiAMqAwSkIzAhMRAwDgYDVQQDDAdkaXJuYW1l
MQ0wCwYDVQQKDAR4LCB5oBkGCCsGAQUFBwgJoA0MC8ODwrxuw4PCr0B4oAkGAioD
oAMMAXgwCwYDVR0PBAQDAgWgMCMGA1UdJQQcMBoGCCsGAQUFBwMBBggrBgEFBQcD
AgYEKgMEBTAMBgNVHRMBAf8EAjAAMFAGCCsGAQUFBwEBBEQwQjAaBggrBgEFBQcw
AYYOaHR0cDovL29jc3AueC8wGAYIKwYBBQUHMAKGDGh0dHA6Ly9jYS54LzAKBgMq
AwSCA2ZvbzAdBgNVHQ4EFgQUAK6b7LeSL5jVp/EB04opizUXjjAwBQYDK2VwA0EA
MlxIhM/8bdCwpQICRmA6lw0Uyecy8/2Q73r6zt5f+7MefGUxAoHVSlr+Wpjk1BVU
jc2d1AEeLVQx0QBGLBPPDw==
-----END CERTIFICATE-----`;
const manyKey = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIN0uYktC8N5qpCOzzGcx8ZqNJ0bHiFVSZPglqKrvRJqp
-----END PRIVATE KEY-----`;
const root = `-----BEGIN CERTIFICATE-----
MIIBYjCCAQegAwIBAgIUAtzj+g81XBd8G4vycnPxHwzh7G4wCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEcm9vdDAgFw0yNjExMTUxNTEyMThaGA8yMTI2MTAyMjE1MTIx
OFowDzENMAsGA1UEAwwEcm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABCsv
mZ1rFckFWPjKQZgHOOPJUhLiMEILAK/6uqgm7kQDFIKoVCoKokIU0w00vDPtVRVc
WWFUzc/ZjHjVaNPdC7KjPzA9MA8GA1UdEwEB/wQFMAMBAf8wCwYDVR0PBAQDAgIE
MB0GA1UdDgQWBBTo3MaMZzGMM97maG9JBOnBI+WeqTAKBggqhkjOPQQDAgNJADBG
AiEA/rRjmujnpKFapLjLat2ySj8WcCg4L4H4cLfGfP4opTcCIQDNiHpi0Q4heFh6
Z9qLFpoh2bcXAiGd44kuaU/C7NEebQ==
-----END CERTIFICATE-----`;
const leaf = `-----BEGIN CERTIFICATE-----
MIIBbzCCARQCFAYPhUNL39NqVM/dgmsIKW7ybY5RMAoGCCqGSM49BAMCMA8xDTAL
BgNVBAMMBHJvb3QwIBcNMjYxMTE1MTUxODMyWhgPMjEyNjEwMjIxNTE4MzJaMBsx
GTAXBgNVBAMMEGxlYWYuZXhhbXBsZS5jb20wgZ8wDQYJKoZIhvcNAQEBBQADgY0A
MIGJAoGBAMin0v3gnowsbroUdbhcDdGfki7+sjwANt2L7uTvVI75b5cbfBQ6XiV3
UU2x6L5DqMkVujXsMaMURWSx7qTGr0od+97VQgzW+qCTl8GfzfXyb9PaT+/LnWQC
zNBPGG2rk92/6bxa+Q+Qi8htN3KDg5kDepEdooz9fu0PvP7uQbqtAgMBAAEwCgYI
KoZIzj0EAwIDSQAwRgIhAL/zBvPUhPhgCIlwxvSOJxV5M7s7H2dzDprxcfExjOZw
AiEA5khUMx4ZpHKbF7MvFz4zI+Sl+cDmMgeaIJo/jAPO4og=
-----END CERTIFICATE-----`;

const t = (f) => {
  try {
    console.log(f());
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
};

const [one, authority, signed] = [many, root, leaf].map((text) => new X509Certificate(text));
for (const certificate of [one, authority, signed]) {
  console.log(certificate);
  const { raw, ...legacy } = certificate.toLegacyObject();
  console.log(legacy, raw.equals(certificate.raw), certificate.ca, certificate.issuerCertificate);
  console.log(certificate.publicKey.asymmetricKeyType, new X509Certificate(certificate.raw).fingerprint === certificate.fingerprint);
}
console.log(one.toString() === `${many}\n`, JSON.stringify(one) === JSON.stringify(`${many}\n`));
console.log(structuredClone(one).subject === one.subject, structuredClone(one) instanceof X509Certificate);

console.log(signed.checkIssued(authority), signed.verify(authority.publicKey), signed.verify(signed.publicKey));
console.log(authority.checkIssued(authority), authority.verify(authority.publicKey), authority.checkIssued(signed));
console.log(one.checkIssued(one), one.verify(one.publicKey), one.verify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey));
console.log(one.checkPrivateKey(createPrivateKey(manyKey)), signed.checkPrivateKey(createPrivateKey(manyKey)));

const hosts = ['x.example.com', 'X.EXAMPLE.com', 'a.b.example.com', 'example.com', 'foo.example.net', 'goo.example.net', 'f.example.net',
  'a.example.org', 'b.example.org', '.example.org', '.org', '#spaced', '', '*.example.com', 'xn--a.example.com', 'fxn--a.example.net', 'x_y.example.com'];
const choices = [undefined, { wildcards: false }, { partialWildcards: false }, { multiLabelWildcards: true },
  { singleLabelSubdomains: true }, { subject: 'always' }, { subject: 'never' }];
for (const name of hosts) console.log(JSON.stringify(name), ...choices.map((options) => one.checkHost(name, options)));
for (const name of ['leaf.example.com', '.example.com', '.com', 'root']) {
  console.log(name, ...choices.map((options) => signed.checkHost(name, options)), authority.checkHost(name));
}
for (const address of ['me@example.com', 'me@EXAMPLE.com', 'ME@example.com', 'a@b.example', 'x', '']) {
  console.log(JSON.stringify(address), one.checkEmail(address), one.checkEmail(address, { subject: 'always' }), signed.checkEmail(address));
}
for (const ip of ['127.0.0.1', '::1', '0:0:0::1', '::ffff:127.0.0.1', '1.1.1.1']) console.log(ip, one.checkIP(ip), signed.checkIP(ip));

for (const given of [undefined, 1, {}, null]) t(() => new X509Certificate(given));
t(() => new X509Certificate('x'));
t(() => new X509Certificate(Buffer.from('3003020101', 'hex')));
t(() => new X509Certificate('-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n'));
t(() => new X509Certificate('-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n'));
t(() => new X509Certificate(`before\n${leaf}\nafter`).subject);
t(() => one.checkHost('a\0b'));
t(() => one.checkEmail('a\0b'));
t(() => one.checkHost(1));
t(() => one.checkHost('x', 1));
t(() => one.checkHost('x', { subject: 'foo' }));
t(() => one.checkHost('x', { wildcards: 1 }));
for (const ip of ['x', '', '[::1]', '1.2.3']) t(() => one.checkIP(ip));
t(() => one.checkIssued({}));
t(() => one.verify({}));
t(() => one.verify(createPrivateKey(manyKey)) && 0);
t(() => one.checkPrivateKey({}));
