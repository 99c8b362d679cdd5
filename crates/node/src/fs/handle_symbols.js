'use strict';
// By which streams keep a FileHandle open. Apart, so that neither loads the other.

const kRef = Symbol('kRef');
const kUnref = Symbol('kUnref');

const isFileHandle = (value) => value !== null && typeof value === 'object' && typeof value[kRef] === 'function';

module.exports = { isFileHandle, kRef, kUnref };
