'use strict';
// IP address parsing, for modules that need no other part of `net`. Public functions have Node's names.

const isIP = (text) => native.isIP(`${text}`);
const isIPv4 = (text) => isIP(text) === 4;
const isIPv6 = (text) => isIP(text) === 6;

// The 4 or 16 bytes of an address; undefined if the text is not an address.
const ipBytes = (text) => native.ipBytes(text);
// The address in the text form of `inet_ntop`.
const canonical = (text) => native.canonical(text);

// Key that marks an argument list of `connect` or `listen` as already normalized.
const normalizedArgsSymbol = Symbol('normalizedArgs');

module.exports = { canonical, ipBytes, isIP, isIPv4, isIPv6, normalizedArgsSymbol };
