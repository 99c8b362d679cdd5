// `module.SourceMap`: entries of maps, sections, names, what is wrong with a payload. And the settings of source maps.
'use strict';
const { SourceMap, findSourceMap, getSourceMapsSupport, setSourceMapsSupport } = require('module');

const payload = {
  version: 3, file: 'out.js', sourceRoot: 'root/', sources: ['a.ts', 'b.ts'], sourcesContent: ['one\ntwo', null], names: ['f', 'g'],
  mappings: 'AAAAA,CACCA;;EDDD,C;gBCACC',
};
const map = new SourceMap(payload, { lineLengths: [3, 0, 20, 17] });
console.log(map.payload, map.lineLengths, map.lineLengths === map.lineLengths, map.payload.sources === payload.sources);
for (const [line, column] of [[0, 0], [0, 1], [0, 9], [1, 0], [2, 1], [2, 2], [2, 3], [3, 15], [3, 16], [9, 9], [-1, 0], [NaN, 0]]) {
  console.log(line, column, JSON.stringify(map.findEntry(line, column)));
}
console.log(map.findEntry(0, 0), map.findEntry(2, 3));
for (const [line, column] of [[1, 1], [1, 5], [3, 4], [3, 3], [0, 0], [4, 20]]) console.log(line, column, map.findOrigin(line, column));

const part = (name, mappings) => ({ version: 3, sources: [name], names: ['n'], mappings });
const sections = new SourceMap({
  version: 3,
  sections: [
    { offset: { line: 5, column: 4 }, map: part('late.ts', 'AAAA;CACAA') },
    { offset: { line: 0, column: 2 }, map: part('early.ts', 'AAAAA,EAAE;AACA') },
  ],
});
for (const [line, column] of [[0, 0], [0, 2], [0, 4], [1, 0], [5, 3], [5, 4], [6, 0], [6, 1]]) {
  console.log(line, column, JSON.stringify(sections.findEntry(line, column)));
}
console.log(sections.lineLengths, Object.keys(sections.payload));

// Entries out of order, large and negative numbers, what is no digit.
const odd = new SourceMap({ version: 3, sources: ['x'], mappings: 'gggBAAA,DAAC,4CAAA;!A,C;ggggCAAC' });
for (const [line, column] of [[0, 0], [0, 16383], [0, 16384], [0, 99999], [1, 0], [2, 0], [2, 1e9]]) {
  console.log(JSON.stringify(odd.findEntry(line, column)));
}
console.log(new SourceMap({ sources: [], mappings: '' }).findEntry(0, 0), new SourceMap({ sources: [], mappings: '' }).lineLengths);
for (const wrong of [undefined, null, 'x', 1]) {
  try { new SourceMap(wrong); } catch (error) { console.log(error.code, error.message); }
}
try { new SourceMap({}); } catch (error) { console.log(error.name); }
console.log(SourceMap.length, SourceMap.name, Object.getOwnPropertyNames(SourceMap.prototype).filter((key) => !key.startsWith('#')).sort());

console.log(getSourceMapsSupport(), process.sourceMapsEnabled, findSourceMap(__filename), findSourceMap(), findSourceMap('node:fs'), findSourceMap('a\0'));
process.setSourceMapsEnabled(true);
console.log(getSourceMapsSupport(), Object.isFrozen(getSourceMapsSupport()), process.sourceMapsEnabled);
setSourceMapsSupport(true, { nodeModules: true });
console.log(getSourceMapsSupport());
setSourceMapsSupport(false);
console.log(getSourceMapsSupport(), findSourceMap.length, setSourceMapsSupport.length);
const attempts = [
  () => process.setSourceMapsEnabled(1), () => setSourceMapsSupport(), () => setSourceMapsSupport(true, 1),
  () => setSourceMapsSupport(true, { nodeModules: 1 }), () => setSourceMapsSupport(true, { generatedCode: 'x' }),
];
for (const attempt of attempts) {
  try { attempt(); } catch (error) { console.log(error.code, error.message); }
}
console.log(getSourceMapsSupport());
