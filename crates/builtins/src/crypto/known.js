'use strict';
// Type checks for keys; they return false until the modules that create keys are loaded and replace them.

exports.isKeyObject = () => false;
exports.isCryptoKey = () => false;
// The KeyObject of a CryptoKey.
exports.keyObjectOf = () => undefined;
