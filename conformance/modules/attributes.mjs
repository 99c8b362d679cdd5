// What attributes of imports may say, and what is said of source maps.
import Module from 'node:module';

const [code, data, style] = ['data:text/javascript,export{}', 'data:application/json,""', 'data:text/css,'];
const asked = [
  [style, { type: 'css' }], [style, { other: 'x' }], [style, { type: 'json' }], [style, undefined], [code, { type: 'json' }],
  [code, { type: 'json', other: 'x' }], [code, { type: 'other' }], [data, undefined], [data, {}], [data, { other: 'x' }],
  [data, { type: 'other' }], [data, { type: 'json' }], ['node:fs', { type: 'json' }], ['node:fs', { type: 'other' }],
];
for (const [url, attributes] of asked) {
  const options = attributes === undefined ? undefined : { with: attributes };
  const told = await import(url, options).then(() => 'imported', (error) => `${error.code} ${error.message}`);
  console.log(url, attributes, told);
}

for (const given of [[], [null], [1], [true, { nodeModules: 1 }], [true, { generatedCode: 'x' }], [true, 1], [true], [false], [true, { nodeModules: true }]]) {
  try {
    Module.setSourceMapsSupport(...given);
  } catch (error) {
    console.log(error.code, error.message);
  }
  console.log(Module.getSourceMapsSupport(), process.sourceMapsEnabled);
}
process.setSourceMapsEnabled(true);
console.log(Module.getSourceMapsSupport(), Object.isFrozen(Module.getSourceMapsSupport()), Module.setSourceMapsSupport.length);
