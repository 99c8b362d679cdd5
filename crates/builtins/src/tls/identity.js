'use strict';
// `tls.checkServerIdentity`: matches a certificate's names against a host name. Needs no TLS.

const { isIP } = require('net');
const { canonical } = require('internal/net');
const { domainToASCII } = require('internal/url');
const { ERR_TLS_CERT_ALTNAME_FORMAT, ERR_TLS_CERT_ALTNAME_INVALID } = require('internal/errors');

const withoutDot = (host) => (host.endsWith('.') ? host.slice(0, -1) : host);
// Lower-case ASCII letters only, independent of the locale.
const labelsOf = (host) => withoutDot(host).replace(/[A-Z]/g, (letter) => letter.toLowerCase()).split('.');

// Matches the first label of a host name against a pattern. One `*` matches any characters, but not in a punycode
// label (RFC 6125 section 6.4.3).
function isLabelMatched(label, pattern, isTopLevel) {
  const [before, after, more] = pattern.split('*', 3);
  if (after === undefined || pattern.includes('xn--')) return label === pattern;
  if (more !== undefined || isTopLevel) return false;
  return label.length >= before.length + after.length && label.startsWith(before) && label.endsWith(after);
}

function isNameMatched(host, name) {
  if (!name) return false;
  const labels = labelsOf(name);
  if (labels.length !== host.length || labels.some((label) => label === '' || /[^\u0021-\u007F]/u.test(label))) return false;
  return host.every((label, at) => (at === 0 ? isLabelMatched(label, labels[0], labels.length <= 2) : label === labels[at]));
}

// Splits `subjectaltname` into names. A name with a comma or another ambiguous character is quoted as JSON.
function splitNames(text) {
  if (!text.includes('"')) return text.split(', ');
  const names = [''];
  // A quoted part, the comma between two names, or other characters.
  const piece = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|,.?|[^",]+/ysu;
  while (piece.lastIndex < text.length) {
    const found = piece.exec(text);
    if (found === null) throw new ERR_TLS_CERT_ALTNAME_FORMAT();
    const [part] = found;
    if (part[0] === ',') names.push('');
    else names[names.length - 1] += part[0] === '"' ? JSON.parse(part) : part;
  }
  return names;
}

const startingWith = (names, kind) => names.filter((name) => name.startsWith(kind)).map((name) => name.slice(kind.length));

// Returns the reason why a certificate is not valid for a host, or undefined if it is.
function objection(host, ascii, { subject, subjectaltname }) {
  const names = subjectaltname ? splitNames(subjectaltname) : [];
  const dnsNames = startingWith(names, 'DNS:');
  if (isIP(ascii)) {
    const addresses = startingWith(names, 'IP Address:').map(canonical);
    if (addresses.includes(canonical(ascii))) return undefined;
    return `IP: ${host} is not in the cert's list: ${addresses.join(', ')}`;
  }
  const isMatched = isNameMatched.bind(undefined, labelsOf(ascii));
  if (dnsNames.length > 0) {
    return dnsNames.some(isMatched) ? undefined : `Host: ${host}. is not in the cert's altnames: ${subjectaltname}`;
  }
  const common = subject?.CN;
  if (!common) return 'Cert does not contain a DNS name';
  return [common].flat().some(isMatched) ? undefined : `Host: ${host}. is not cert's CN: ${common}`;
}

function checkServerIdentity(hostname, cert) {
  const host = withoutDot(`${hostname}`);
  const reason = objection(host, withoutDot(domainToASCII(`${hostname}`)), cert);
  return reason === undefined ? undefined : new ERR_TLS_CERT_ALTNAME_INVALID(reason, host, cert);
}

module.exports = { checkServerIdentity };
