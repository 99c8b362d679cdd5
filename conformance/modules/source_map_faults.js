// Source maps that are malformed: wrong JSON, sources, mappings, numbers and URLs, files that are none, and comments that are not comments.
'use strict';
const fs = require('fs');
const { findSourceMap, SourceMap } = require('module');
const { join } = require('path');

const folder = fs.realpathSync(fs.mkdtempSync(join(require('os').tmpdir(), 'maps-')));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
process.setSourceMapsEnabled(true);

const text = 'exports.f = function f() { throw new Error("thrown"); };\n';
const good = { version: 3, sources: ['a.ts'], names: ['alpha'], mappings: 'AAAAA,oCACCA;' };
const base64 = (map) => Buffer.from(typeof map === 'string' ? map : JSON.stringify(map)).toString('base64');
const inline = (map) => `//# sourceMappingURL=data:application/json;base64,${base64(map)}`;
const json = (value) => JSON.stringify(value)?.replaceAll(folder, 'FOLDER');

// Prints where an error of a module comes from, and what its map says.
let count = 0;
function tell(label, comments) {
  const file = join(folder, `m${count++}.js`);
  fs.writeFileSync(file, `${text}${comments}\n`);
  let place;
  try {
    require(file).f();
  } catch (error) {
    // Without the receiver: its type is not compared.
    place = /^ {4}at (?:\w+\.)?(.*)$/m.exec(error.stack)[1].replaceAll(folder, 'FOLDER').replace(/m\d+\.js/, 'module.js');
  }
  const map = findSourceMap(file);
  console.log(label, place, json(map?.payload.sources), json(map?.findEntry(0, 36)));
}

for (const bad of ['', '{', 'null', '1', '[]', '{}', '{"version":3}', `)]}'\n${JSON.stringify(good)}`]) tell(`json ${json(bad.slice(0, 14))}`, inline(bad));
for (const change of [
  { sources: null }, { sources: 'abc' }, { sources: [1, null] }, { sources: [] }, { names: null }, { names: 'xy' }, { mappings: null },
  { mappings: 12 }, { mappings: ['AAAA'] }, { version: 2 }, { sourceRoot: 5 }, { sourceRoot: 'http://example.com/x/' }, { sourcesContent: 1 },
]) tell(`with ${json(change)}`, inline({ ...good, ...change }));
for (const mappings of [
  '', '!!!!', 'A', 'AA', 'AAAAAAAAA', ',,,', ';;;', 'zzzzzzzzzzzz', 'gggggggggggggB', 'ADDD;', 'AADD,', 'D;', 'AAAAD;', '\u00e9;', '\u{1f600};',
  'AAAA AAAA', 'B;', 'BAAA,BAAA,BAAA;', 'AABA;', 'ggggggE;', '4/////D,4/////D,4/////D;', 'AA+/////D,AA+/////D,AA+/////D,AAA;',
]) tell(`mappings ${json(mappings)}`, inline({ ...good, mappings }));
for (const source of [
  '../../../../../../../../x', 'file:///x', 'http://x.y/z.ts', '//host/a.ts', '', '\0', 'a%20b', 'a?q#h', 'http://[bad', 'file://host/a', 'data:x',
]) tell(`source ${json(source)}`, inline({ ...good, sources: [source] }));
const data = base64(good);
for (const url of [
  'data:application/json;base64,@@@@', 'data:', 'data:,', 'data:text/plain,{}', `DATA:application/json;base64,${data}`,
  `data:APPLICATION/json;base64,${data}`, `data:application/json;base64,${data.slice(0, -3)}`, `data:application/json;base64,${data}#f`,
]) tell(`url ${url.replace(data.slice(0, 40), '')}`, `//# sourceMappingURL=${url}`);
const comment = inline(good);
for (const after of [
  '//# sourceMappingURL=a b', '//# sourceMappingURL="x"', '//# sourceMappingURL=', '`//# sourceMappingURL=x`', '`\n//# sourceMappingURL=x\n`',
  '/*\n//# sourceMappingURL=x\n*/', '// see //# sourceMappingURL=x', '//#  sourceMappingURL=x', 'x => "//# sourceMappingURL=x"',
]) tell(`before ${json(after)}`, `${comment}\n${after}`);
tell('behind code', `exports; ${comment}`);
tell('in a block', comment.replace('//', '/*') + ' */');

fs.mkdirSync(join(folder, 'folder.map'));
fs.symlinkSync('loop.map', join(folder, 'loop.map'));
fs.writeFileSync(join(folder, 'good.map'), JSON.stringify(good));
fs.writeFileSync(join(folder, 'mark.map'), `\ufeff${JSON.stringify(good)}`);
for (const file of ['folder.map', 'loop.map', 'missing.map', 'good.map', 'mark.map', './good.map?x#y', '/', '%00', '%', 'x:y', '//host/good.map', `file://${folder}/good.map`]) {
  tell(`file ${json(file)}`, `//# sourceMappingURL=${file}`);
}
import(`data:text/javascript,${encodeURIComponent(`export const f = () => { throw new Error() };\n//# sourceMappingURL=good.map`)}`)
  .then(({ f }) => { try { f(); } catch (error) { console.log('relative to data:', /\.ts/.test(error.stack)); } });

// Sections, and what is no section.
const map = (source, mappings) => ({ version: 3, sources: [source], names: ['n'], mappings });
const at = (line, column, source, mappings) => ({ offset: { line, column }, map: map(source, mappings) });
for (const sections of [
  [at(0, 0, 'a', 'AAAA,KACC;AAAA;AAAA;'), at(0, 2, 'b', 'AAAA,KACC;AAAA;'), at(0, 2, 'c', 'AAAA,KACC;AAAA;')],
  [at(5, 0, 'a', 'AAAA'), at(0, 2, 'b', 'AAAA,KACC;AAAA;')], [at(-1, -3, 'a', 'AAAA,KACC;AAAA')], [at(1e12, 1e15, 'a', 'AAAA')],
  [{ offset: {}, map: map('a', 'AAAA') }], [{ map: map('a', 'AAAA') }], [], 5, { length: 1, 0: at(0, 0, 'a', 'AAAA') }, 'abc',
]) {
  try {
    const found = new SourceMap({ version: 3, sections });
    console.log(json([[0, 0], [0, 4], [0, 9], [2, 0], [5, 5], [1e13, 0], [NaN, 0], [-1, 0]].map((place) => found.findEntry(...place))));
  } catch (error) {
    console.log(error.name);
  }
}
