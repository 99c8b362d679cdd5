// Where generated code comes from, by a map of version 3.
const { SourceMap } = require('module');

const payload = {
  version: 3, file: 'out.js', sources: ['a.ts', 'b.ts'], names: ['foo', 'bar'], mappings: 'AAAAA,SAASC;ACAT,IAAIA', sourceRoot: '',
};
const map = new SourceMap(payload, { lineLengths: [10, 20] });
console.log(map.payload, map.payload === payload, map.lineLengths);
for (const [line, column] of [[0, 0], [0, 5], [0, 9], [0, 100], [1, 0], [1, 4], [5, 0], [-1, 0]]) {
  console.log(line, column, map.findEntry(line, column), map.findOrigin(line + 1, column + 1));
}
for (const wrong of [undefined, 5]) {
  try {
    new SourceMap(wrong);
  } catch (error) {
    console.log(error.code, error.message);
  }
}
console.log(new SourceMap(payload, { lineLengths: 5 }).lineLengths);
const sections = [{ offset: { line: 0, column: 0 }, map: payload }, { offset: { line: 10, column: 2 }, map: payload }];
const all = new SourceMap({ version: 3, sections });
console.log(all.findEntry(10, 2), all.findEntry(0, 0), all.findEntry(11, 4));
