// WebAssembly files as ES modules.
import * as namespace from './trees/imports.wasm';
import { add } from './trees/imports.wasm';

console.log(Object.keys(namespace), namespace[Symbol.toStringTag], namespace['four times'](5), add(1, 2), namespace.memory instanceof WebAssembly.Memory);
console.log(await import('./trees/imports.wasm') === namespace);
for (const name of ['./trees/broken.wasm', './trees/none.wasm']) {
  try {
    await import(name);
  } catch (error) {
    console.log(name, error.name, error.code);
  }
}
try {
  await import('./trees/imports.wasm', { with: { type: 'json' } });
} catch (error) {
  console.log(error.code);
}
