'use strict';
// Keys of the FileHandle methods with which streams keep a handle open. A file of their own avoids a circular dependency.

const kRef = Symbol('kRef');
const kUnref = Symbol('kUnref');

const isFileHandle = (value) => value !== null && typeof value === 'object' && typeof value[kRef] === 'function';

module.exports = { isFileHandle, kRef, kUnref };
