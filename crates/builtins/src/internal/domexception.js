'use strict';
// DOMException. An exception is a native Error object, so that `inspect` and stack traces treat it as an error; name, message and code are getters of
// the prototype. The DOMException class of the engine is not used, because its instances have no V8 stack.

const { captureStack } = require('internal/errors');
const { kClone, kDeserialize } = require('internal/clone_symbols');

const codes = [
  ['IndexSizeError', 'INDEX_SIZE_ERR'],
  [undefined, 'DOMSTRING_SIZE_ERR'],
  ['HierarchyRequestError', 'HIERARCHY_REQUEST_ERR'],
  ['WrongDocumentError', 'WRONG_DOCUMENT_ERR'],
  ['InvalidCharacterError', 'INVALID_CHARACTER_ERR'],
  [undefined, 'NO_DATA_ALLOWED_ERR'],
  ['NoModificationAllowedError', 'NO_MODIFICATION_ALLOWED_ERR'],
  ['NotFoundError', 'NOT_FOUND_ERR'],
  ['NotSupportedError', 'NOT_SUPPORTED_ERR'],
  ['InUseAttributeError', 'INUSE_ATTRIBUTE_ERR'],
  ['InvalidStateError', 'INVALID_STATE_ERR'],
  ['SyntaxError', 'SYNTAX_ERR'],
  ['InvalidModificationError', 'INVALID_MODIFICATION_ERR'],
  ['NamespaceError', 'NAMESPACE_ERR'],
  ['InvalidAccessError', 'INVALID_ACCESS_ERR'],
  [undefined, 'VALIDATION_ERR'],
  ['TypeMismatchError', 'TYPE_MISMATCH_ERR'],
  ['SecurityError', 'SECURITY_ERR'],
  ['NetworkError', 'NETWORK_ERR'],
  ['AbortError', 'ABORT_ERR'],
  ['URLMismatchError', 'URL_MISMATCH_ERR'],
  ['QuotaExceededError', 'QUOTA_EXCEEDED_ERR'],
  ['TimeoutError', 'TIMEOUT_ERR'],
  ['InvalidNodeTypeError', 'INVALID_NODE_TYPE_ERR'],
  ['DataCloneError', 'DATA_CLONE_ERR'],
];
const codeOf = new SafeMap();

// Name and message of each exception. A receiver without an entry is not a DOMException (`ERR_INVALID_THIS`).
const states = new SafeWeakMap();

function stateOf(exception) {
  const state = states.get(exception);
  if (state === undefined) {
    const error = new TypeError('Value of "this" must be of DOMException');
    error.code = 'ERR_INVALID_THIS';
    throw error;
  }
  return state;
}

class DOMException {
  constructor(message = '', options = 'Error') {
    const self = new Error();
    Object.setPrototypeOf(self, new.target.prototype);
    const state = { name: 'Error', message: `${message}` };
    states.set(self, state);
    if (options && typeof options === 'object') {
      const { name } = options;
      state.name = `${name}`;
      if ('cause' in options) {
        Object.defineProperty(self, 'cause', {
          __proto__: null, value: options.cause, configurable: true, writable: true, enumerable: false,
        });
      }
    } else {
      state.name = `${options}`;
    }
    delete self.message;
    captureStack(self, state.message === '' ? state.name : `${state.name}: ${state.message}`, new.target);
    return self;
  }

  get name() {
    return stateOf(this).name;
  }

  get message() {
    return stateOf(this).message;
  }

  get code() {
    return codeOf.get(stateOf(this).name) ?? 0;
  }
}

Object.setPrototypeOf(DOMException.prototype, Error.prototype);
for (const name of ['name', 'message', 'code']) {
  Object.defineProperty(DOMException.prototype, name, { __proto__: null, enumerable: true });
}
for (let i = 0; i < codes.length; i++) {
  const [name, constant] = codes[i];
  const descriptor = { __proto__: null, enumerable: true, value: i + 1 };
  Object.defineProperty(DOMException, constant, descriptor);
  Object.defineProperty(DOMException.prototype, constant, descriptor);
  if (name !== undefined) codeOf.set(name, i + 1);
}
Object.defineProperty(DOMException.prototype, kClone, {
  __proto__: null,
  configurable: true,
  value: function() {
    if (!states.has(this)) return undefined;
    const { name, message } = stateOf(this);
    return { class: 'internal/domexception:DOMException', data: { name, message, stack: this.stack } };
  },
});
Object.defineProperty(DOMException, kDeserialize, {
  __proto__: null,
  value: {
    shell: () => new DOMException(),
    fill(exception, { name, message, stack }) {
      Object.assign(states.get(exception), { name, message });
      Object.defineProperty(exception, 'stack', {
        __proto__: null, value: stack, writable: true, enumerable: false, configurable: true,
      });
    },
  },
});
Object.defineProperty(DOMException.prototype, Symbol.toStringTag, {
  __proto__: null, configurable: true, value: 'DOMException',
});

module.exports = { DOMException };
