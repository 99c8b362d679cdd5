'use strict';
// Which text is an address, for those who need no more of `net`. Names are Node's where scripts may know them.

const isIP = (text) => native.isIP(`${text}`);
const isIPv4 = (text) => isIP(text) === 4;
const isIPv6 = (text) => isIP(text) === 6;

// The bytes of an address, 4 or 16; nothing if it is none.
const ipBytes = (text) => native.ipBytes(text);
// An address as the system writes it.
const canonical = (text) => native.canonical(text);

// Marks the arguments of `connect` and `listen` that are in order.
const normalizedArgsSymbol = Symbol('normalizedArgs');

module.exports = { canonical, ipBytes, isIP, isIPv4, isIPv6, normalizedArgsSymbol };
