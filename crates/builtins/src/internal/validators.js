'use strict';

// Argument validators with Node's errors: an invalid argument throws (`lib/internal/validators.js`).

const {
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
  ERR_OUT_OF_RANGE,
} = require('internal/errors');

const isInt32 = (value) => value === (value | 0);

// Converts a file mode, which is a number or an octal string, to a number.
function parseFileMode(value, name, otherwise) {
  value ??= otherwise;
  if (typeof value === 'string') {
    if (!/^[0-7]+$/.test(value)) {
      throw new ERR_INVALID_ARG_VALUE(name, value,
                                      'must be a 32-bit unsigned integer or an octal string');
    }
    value = Number.parseInt(value, 8);
  }
  validateUint32(value, name);
  return value;
}

function checkInteger(value, name, min, max) {
  if (typeof value !== 'number') throw new ERR_INVALID_ARG_TYPE(name, 'number', value);
  if (!Number.isInteger(value)) throw new ERR_OUT_OF_RANGE(name, 'an integer', value);
  if (value < min || value > max) throw new ERR_OUT_OF_RANGE(name, `>= ${min} && <= ${max}`, value);
}

function validateInteger(value, name, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  checkInteger(value, name, min, max);
}

function validateInt32(value, name, min = -2147483648, max = 2147483647) {
  checkInteger(value, name, min, max);
}

function validateUint32(value, name, positive = false) {
  checkInteger(value, name, positive ? 1 : 0, 4294967295);
}

function validateString(value, name) {
  if (typeof value !== 'string') throw new ERR_INVALID_ARG_TYPE(name, 'string', value);
}

function validateStringWithoutNullBytes(value, name) {
  validateString(value, name);
  if (StringPrototypeIncludes(value, '\u0000')) {
    throw new ERR_INVALID_ARG_VALUE(name, value, 'must be a string without null bytes');
  }
}

function validateNumber(value, name, min = undefined, max) {
  if (typeof value !== 'number') throw new ERR_INVALID_ARG_TYPE(name, 'number', value);
  const low = min != null;
  const high = max != null;
  if ((low && value < min) || (high && value > max) || ((low || high) && Number.isNaN(value))) {
    const range = `${low ? `>= ${min}` : ''}${low && high ? ' && ' : ''}${high ? `<= ${max}` : ''}`;
    throw new ERR_OUT_OF_RANGE(name, range, value);
  }
}

function validateOneOf(value, name, oneOf) {
  if (ArrayPrototypeIncludes(oneOf, value)) return;
  const allowed = oneOf.map((one) => (typeof one === 'string' ? `'${one}'` : String(one))).join(', ');
  throw new ERR_INVALID_ARG_VALUE(name, value, `must be one of: ${allowed}`);
}

function validateBoolean(value, name) {
  if (typeof value !== 'boolean') throw new ERR_INVALID_ARG_TYPE(name, 'boolean', value);
}

const kValidateObjectNone = 0;
const kValidateObjectAllowNullable = 1;
const kValidateObjectAllowArray = 2;
const kValidateObjectAllowFunction = 4;
const kValidateObjectAllowObjects = kValidateObjectAllowArray | kValidateObjectAllowFunction;
const kValidateObjectAllowObjectsAndNull = kValidateObjectAllowObjects | kValidateObjectAllowNullable;

function validateObject(value, name, options = kValidateObjectNone) {
  const allowed = value === null ?
    (options & kValidateObjectAllowNullable) !== 0 :
    typeof value === 'function' ?
      (options & kValidateObjectAllowFunction) !== 0 :
      typeof value === 'object' && ((options & kValidateObjectAllowArray) !== 0 || !Array.isArray(value));
  if (!allowed) throw new ERR_INVALID_ARG_TYPE(name, 'Object', value);
}

function validateArray(value, name, minLength = 0) {
  if (!Array.isArray(value)) throw new ERR_INVALID_ARG_TYPE(name, 'Array', value);
  if (value.length < minLength) {
    throw new ERR_INVALID_ARG_VALUE(name, value, `must be longer than ${minLength}`);
  }
}

function validateStringArray(value, name) {
  validateArray(value, name);
  for (let at = 0; at < value.length; at++) validateString(value[at], `${name}[${at}]`);
}

function validateBooleanArray(value, name) {
  validateArray(value, name);
  value.forEach((one, at) => validateBoolean(one, `${name}[${at}]`));
}

function validateBuffer(buffer, name = 'buffer') {
  if (!ArrayBuffer.isView(buffer)) {
    throw new ERR_INVALID_ARG_TYPE(name, ['Buffer', 'TypedArray', 'DataView'], buffer);
  }
}

function validateEncoding(data, encoding) {
  if (typeof encoding === 'string' && encoding.toLowerCase() === 'hex' && data.length % 2 !== 0) {
    throw new ERR_INVALID_ARG_VALUE('encoding', encoding, `is invalid for data of length ${data.length}`);
  }
}

function validatePort(port, name = 'Port', allowZero = true) {
  const wrongType = typeof port !== 'number' && typeof port !== 'string';
  if (wrongType || (typeof port === 'string' && port.trim().length === 0) || +port !== (+port >>> 0) ||
      port > 0xffff || (port === 0 && !allowZero)) {
    const { ERR_SOCKET_BAD_PORT } = require('internal/errors');
    throw new ERR_SOCKET_BAD_PORT(name, port, allowZero);
  }
  return port | 0;
}

function validateAbortSignal(signal, name) {
  if (signal !== undefined && (signal === null || typeof signal !== 'object' || !('aborted' in signal))) {
    throw new ERR_INVALID_ARG_TYPE(name, 'AbortSignal', signal);
  }
}

function validateFunction(value, name) {
  if (typeof value !== 'function') throw new ERR_INVALID_ARG_TYPE(name, 'Function', value);
}

function validateUnion(value, name, union) {
  if (!union.includes(value)) throw new ERR_INVALID_ARG_TYPE(name, `('${union.join('|')}')`, value);
}

const linkValue = /^(?:<[^>]*>)(?:\s*;\s*[^;"\s]+(?:=(")?[^;"\s]*\1)?)*$/;

function validateLinkHeaderFormat(value, name) {
  if (value === undefined || !linkValue.test(value)) {
    throw new ERR_INVALID_ARG_VALUE(
      name, value, 'must be an array or string of format "</styles.css>; rel=preload; as=style"');
  }
}

function validateLinkHeaderValue(hints) {
  if (typeof hints === 'string') {
    validateLinkHeaderFormat(hints, 'hints');
    return hints;
  }
  if (Array.isArray(hints)) {
    for (const link of hints) validateLinkHeaderFormat(link, 'hints');
    return hints.join(', ');
  }
  throw new ERR_INVALID_ARG_VALUE(
    'hints', hints, 'must be an array or string of format "</styles.css>; rel=preload; as=style"');
}

// Checks the receiver of an internal class: throws ERR_INVALID_THIS unless the object has the own property `fieldKey`.
function validateThisInternalField(object, fieldKey, className) {
  if (typeof object !== 'object' || object === null || !Object.prototype.hasOwnProperty.call(object, fieldKey)) {
    const { ERR_INVALID_THIS } = require('internal/errors');
    throw new ERR_INVALID_THIS(className);
  }
}

module.exports = {
  isInt32,
  kValidateObjectAllowArray,
  kValidateObjectAllowNullable,
  kValidateObjectAllowObjects,
  kValidateObjectAllowObjectsAndNull,
  parseFileMode,
  validateAbortSignal,
  validateArray,
  validateBoolean,
  validateBooleanArray,
  validateBuffer,
  validateEncoding,
  validateFunction,
  validateInt32,
  validateInteger,
  validateLinkHeaderValue,
  validateNumber,
  validateObject,
  validateOneOf,
  validatePort,
  validateString,
  validateStringArray,
  validateStringWithoutNullBytes,
  validateThisInternalField,
  validateUint32,
  validateUnion,
};
