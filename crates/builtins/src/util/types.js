'use strict';

// `util.types`: type checks by the engine's internal class, which programs cannot forge with prototypes and tags.

const { classOf, proxyParts } = native;

const is = (name) => (value) => classOf(value) === name;
const typedArrays = new SafeSet([
  'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
  'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array',
]);
const boxes = new SafeSet(['Number', 'String', 'Boolean', 'BigInt', 'Symbol']);

const types = {
  isExternal: () => false,
  isArgumentsObject: is('Arguments'),
  isArrayBuffer: is('ArrayBuffer'),
  isAsyncFunction(value) {
    const name = classOf(value);
    return name === 'AsyncFunction' || name === 'AsyncGeneratorFunction';
  },
  isBigIntObject: is('BigInt'),
  isBooleanObject: is('Boolean'),
  isDataView: is('DataView'),
  isDate: is('Date'),
  isGeneratorFunction(value) {
    const name = classOf(value);
    return name === 'GeneratorFunction' || name === 'AsyncGeneratorFunction';
  },
  isGeneratorObject(value) {
    const name = classOf(value);
    return name === 'Generator' || name === 'AsyncGenerator';
  },
  isMap: is('Map'),
  isMapIterator: is('Map Iterator'),
  isModuleNamespaceObject: is('Module'),
  isNativeError: is('Error'),
  isNumberObject: is('Number'),
  isPromise: is('Promise'),
  isProxy: (value) => proxyParts(value) !== undefined,
  isRegExp: is('RegExp'),
  isSet: is('Set'),
  isSetIterator: is('Set Iterator'),
  isSharedArrayBuffer: is('SharedArrayBuffer'),
  isStringObject: is('String'),
  isSymbolObject: is('Symbol'),
  isWeakMap: is('WeakMap'),
  isWeakSet: is('WeakSet'),
  isAnyArrayBuffer(value) {
    const name = classOf(value);
    return name === 'ArrayBuffer' || name === 'SharedArrayBuffer';
  },
  isBoxedPrimitive: (value) => boxes.has(classOf(value)),
  isArrayBufferView: ArrayBuffer.isView,
  isTypedArray: (value) => typedArrays.has(classOf(value)),
  isUint8Array: is('Uint8Array'),
  isUint8ClampedArray: is('Uint8ClampedArray'),
  isUint16Array: is('Uint16Array'),
  isUint32Array: is('Uint32Array'),
  isInt8Array: is('Int8Array'),
  isInt16Array: is('Int16Array'),
  isInt32Array: is('Int32Array'),
  isFloat16Array: is('Float16Array'),
  isFloat32Array: is('Float32Array'),
  isFloat64Array: is('Float64Array'),
  isBigInt64Array: is('BigInt64Array'),
  isBigUint64Array: is('BigUint64Array'),
  // These functions return false until the crypto module is loaded, because there are no such objects before.
  isKeyObject: (value) => require('internal/crypto/known').isKeyObject(value),
  isCryptoKey: (value) => require('internal/crypto/known').isCryptoKey(value),
};

for (const name of Object.keys(types)) {
  Object.defineProperty(types[name], 'name', { __proto__: null, value: name, configurable: true });
}

module.exports = types;
