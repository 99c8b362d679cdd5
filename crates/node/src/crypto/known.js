'use strict';
// How to know a key: no value is one before the module that makes them has been loaded.

exports.isKeyObject = () => false;
exports.isCryptoKey = () => false;
// The KeyObject within a CryptoKey.
exports.keyObjectOf = () => undefined;
