'use strict';
// Symbols by which streams keep a FileHandle open. In a separate file to avoid a circular dependency.

const kRef = Symbol('kRef');
const kUnref = Symbol('kUnref');

const isFileHandle = (value) => value !== null && typeof value === 'object' && typeof value[kRef] === 'function';

module.exports = { isFileHandle, kRef, kUnref };
