'use strict';
// `WebAssembly.compileStreaming` and `instantiateStreaming`, which the engine leaves to its embedder. As `lib/internal/wasm_web_api.js`, but a
// module is compiled after its whole body was read.
//
// This file is loaded together with the global `Response` or `fetch`, because both functions take a `Response`.

const { ERR_INVALID_ARG_TYPE, ERR_WEBASSEMBLY_RESPONSE } = require('internal/errors');

const { compile, instantiate } = WebAssembly;

async function bytesOf(source) {
  const response = await source;
  const { Response } = require('internal/fetch/response');
  if (!(response instanceof Response)) {
    throw new ERR_INVALID_ARG_TYPE('source', ['Response', 'Promise resolving to Response'], response);
  }
  const type = response.headers.get('Content-Type');
  if (type !== 'application/wasm') throw new ERR_WEBASSEMBLY_RESPONSE(`has unsupported MIME type '${type}'`);
  if (!response.ok) throw new ERR_WEBASSEMBLY_RESPONSE(`has status code ${response.status}`);
  if (response.bodyUsed) throw new ERR_WEBASSEMBLY_RESPONSE('body has already been used');
  return response.arrayBuffer();
}

const methods = {
  async compileStreaming(source) { return compile(await bytesOf(source)); },
  async instantiateStreaming(source, imports) { return instantiate(await bytesOf(source), imports); },
};

for (const name of Object.keys(methods)) {
  Object.defineProperty(WebAssembly, name, { __proto__: null, value: methods[name], writable: true, enumerable: true, configurable: true });
  Object.defineProperty(methods[name], 'length', { __proto__: null, value: 1, configurable: true });
}
