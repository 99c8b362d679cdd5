// Modules that are compiled from a response.
'use strict';
const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11]);
const response = (body, type, status = 200) => new Response(body, { status, headers: type === undefined ? {} : { 'content-type': type } });
const used = response(bytes, 'application/wasm');
const sources = {
  fine: () => response(bytes, 'application/wasm'),
  promise: async () => response(bytes, 'application/wasm'),
  'another type': () => response(bytes, 'text/plain'),
  'no type': () => response(bytes),
  status: () => response(bytes, 'application/wasm', 404),
  used: () => used,
  number: () => 5,
  undefined: () => undefined,
  rejected: () => Promise.reject(new RangeError('mine')),
  'no module': () => response('text', 'application/wasm'),
};
(async () => {
  await used.arrayBuffer();
  for (const [name, make] of Object.entries(sources)) {
    for (const how of ['compileStreaming', 'instantiateStreaming']) {
      try {
        const made = await WebAssembly[how](make());
        console.log(name, how, made instanceof WebAssembly.Module, made.instance?.exports.add(1, 2));
      } catch (error) {
        console.log(name, how, error.name, error.code, error.name === 'CompileError' || error.message);
      }
    }
  }
  console.log(WebAssembly.compileStreaming.name, WebAssembly.compileStreaming.length, WebAssembly.instantiateStreaming.length);
})();
