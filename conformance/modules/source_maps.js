// Stacks in terms of the original source: modules with maps in a comment or in a file, sections, workers, and the line that is shown of an
// uncaught error.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const module_ = require('module');
const { join } = require('path');
const { pathToFileURL } = require('url');

const folder = fs.realpathSync(fs.mkdtempSync(join(require('os').tmpdir(), 'maps-')));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
const put = (name, text) => {
  const file = join(folder, name);
  fs.mkdirSync(join(file, '..'), { recursive: true });
  fs.writeFileSync(file, text);
  return file;
};

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
function vlq(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += digits[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}

// A map that leads every word of a text to the same column some lines further down; `names` renames words.
function mapOf(text, source, shift, names = {}) {
  const all = Object.values(names);
  const before = { line: 0, column: 0, name: 0 };
  const mappings = text.split('\n').map((line, at) => {
    let column = 0;
    return [...line.matchAll(/[\w$]+|[^\s\w]/g)].map(({ 0: word, index }) => {
      const numbers = [index - column, 0, at + shift - before.line, index - before.column];
      if (Object.hasOwn(names, word)) {
        numbers.push(all.indexOf(names[word]) - before.name);
        before.name = all.indexOf(names[word]);
      }
      column = index;
      Object.assign(before, { line: at + shift, column: index });
      return numbers.map(vlq).join('');
    }).join(',');
  });
  // Node gives the last entry a name if nothing follows it.
  return { version: 3, sources: [source], names: all, mappings: `${mappings.join(';')};` };
}
const original = (text, shift) => '\n'.repeat(shift) + text.replaceAll('f1', 'renamed');
const inline = (map) => `//# sourceMappingURL=data:application/json;charset=utf-8;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;

const shown = (text) => `${text}`.replaceAll(folder, 'FOLDER').replaceAll(process.cwd(), 'CWD').split('\n').filter((line) => !/^ {4}at .*(?:node:|source_maps|\[eval\])/.test(line)).join('\n');
const tell = (name, act) => {
  try { console.log(name, act()); } catch (error) { console.log(name, shown(error.stack)); }
};

const text = `function f1(x) { return x.y.z; }
class Shape { constructor(x) { this.v = f1(x); } area(x) { return f1(x); } static of(x) { return new Shape(x); } get side() { return f1({}); } }
const arrow = (x) => [x].map((one) => f1(one));
exports.f1 = f1; exports.Shape = Shape; exports.arrow = arrow;
exports.later = async (x) => { await null; return f1(x); };
exports.thrower = () => { const error = new RangeError('made'); error.code = 'E_CODE'; throw error; };
`;

// Without a receiver: its type is not compared.
function calls({ f1, Shape, arrow, thrower }) {
  tell('function', () => f1({}));
  tell('constructor', () => new Shape({}));
  tell('method', () => new Shape({ y: {} }).area({}));
  tell('arrow', () => arrow({}));
  tell('thrower', () => thrower());
}

const early = put('early.js', `${text}\n${inline(mapOf(text, 'early.ts', 7))}`);
require(early);
process.setSourceMapsEnabled(true);
console.log('loaded before:', module_.findSourceMap(early));
tell('loaded before', () => (0, require(early).f1)({}));

// In a comment, with the source in the map.
const one = put('one.js', `${text}\n${inline({ ...mapOf(text, 'one.ts', 7, { f1: 'renamed' }), sourcesContent: [original(text, 7)] })}`);
calls(require(one));
const found = module_.findSourceMap(one);
console.log(found instanceof module_.SourceMap, shown(found.payload.sources[0]), found.lineLengths.slice(0, 3), found === module_.findSourceMap(pathToFileURL(one).href));
console.log(shown(JSON.stringify([found.findEntry(0, 10), found.findOrigin(1, 10)])));

// In a file, with a root, as a percent-encoded path; and files that are missing, no JSON, of another scheme.
fs.mkdirSync(join(folder, 'src'));
put('src/two words.ts', original(text, 3));
put('maps/two.js.map', JSON.stringify({ ...mapOf(text, 'two%20words.ts', 3), sourceRoot: '../src/' }));
const two = put('two.js', `${text}//# sourceMappingURL=maps/two.js.map`);
tell('file', () => (0, require(two).f1)({}));
fs.rmSync(join(folder, 'maps'), { recursive: true });
tell('file is gone', () => (0, require(two).arrow)({}));
for (const [name, comment] of [
  ['missing', 'none.map'], ['json', 'data:application/json,{'], ['scheme', 'https://localhost/x.map'], ['type', 'data:text/plain,{}'],
  ['file', pathToFileURL(two).href], ['empty', ''], ['spaces', 'a b'], ['quotes', '"x"'],
]) {
  const file = put(`wrong-${name}.js`, `${text}//# sourceMappingURL=${comment}`);
  tell(name, () => (0, require(file).f1)({}));
  console.log(module_.findSourceMap(file));
}
const plain = JSON.stringify({ ...mapOf(text, 'plain.ts', 1), names: [] });
console.log(typeof module_.findSourceMap((tell('plain json', () => (0, require(put('plain.js', `${text}//# sourceMappingURL=data:application/json,${plain}`)).f1)({})), join(folder, 'plain.js'))));

// Sections.
const half = text.split('\n').slice(0, 2).join('\n');
const rest = text.split('\n').slice(2).join('\n');
const sections = [
  { offset: { line: 0, column: 0 }, map: mapOf(half, 'half.ts', 20) }, { offset: { line: 2, column: 0 }, map: mapOf(rest, 'rest.ts', 30) },
];
put('sections.js.map', JSON.stringify({ version: 3, sources: [], sections }));
tell('sections', () => require(put('sections.js', `${text}//# sourceMappingURL=sections.js.map`)).arrow.call(undefined, {}));

// Under node_modules.
const dependency = put('node_modules/dep/index.js', `${text}\n${inline(mapOf(text, 'index.ts', 2))}`);
tell('dependency', () => (0, require(dependency).f1)({}));
module_.setSourceMapsSupport(true);
tell('dependency, hidden', () => (0, require(dependency).f1)({}));
console.log(module_.findSourceMap(dependency));
process.setSourceMapsEnabled(true);

// A program's own prepareStackTrace is given the places of the generated text.
Error.prepareStackTrace = (error, sites) => `${sites[0].getLineNumber()}:${sites[0].getColumnNumber()}`;
tell('own', () => (0, require(one).f1)({}));
Error.prepareStackTrace = undefined;

process.setSourceMapsEnabled(false);
tell('off', () => (0, require(one).f1)({}));
console.log(typeof module_.findSourceMap(one));
process.setSourceMapsEnabled(true);

// Uncaught errors, with the flag: the original line and a mark.
const node = (...args) => {
  const { stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder, env: { PATH: process.env.PATH } });
  console.log(status, shown(stderr).replace(/\n(?:Node\.js|Phasor) v.*/, '').replace('(Use `phasor ', '(Use `node '));
};
const failing = [
  ['throws.cjs', "\tconst wide = '中'; function f1() { throw new TypeError('x'); } f1();"],
  ['reads.cjs', 'function f1(x) {\n  return x.y.z;\n}\nf1({});'],
  ['value.cjs', 'function f1() {\n  throw 42;\n}\nf1();'],
  ['again.cjs', "const error = new Error('made');\nfunction f1() {\n  throw error;\n}\nf1();"],
  ['rejects.cjs', "async function f1() {\n  await 1;\n  throw new Error('rejected');\n}\nf1();"],
  ['module.mjs', "import 'fs';\nconst f1 = () => { throw new Error('of a module'); };\nf1();"],
  ['nosource.cjs', "function f1() { throw new Error('no source'); }\nf1();"],
  ['worker.cjs', "const { Worker, isMainThread } = require('worker_threads');\nif (isMainThread) new Worker(__filename).on('error', (e) => console.error(e.stack));\nelse throw new Error('of a worker');"],
];
for (const [name, code] of failing) {
  const map = mapOf(code, `${name}.ts`, 2, { f1: 'renamed' });
  if (name !== 'nosource.cjs') map.sourcesContent = [original(code, 2)];
  node('--enable-source-maps', put(name, `${code}\n${inline(map)}`));
}
node(join(folder, 'throws.cjs'));
node('-e', "process.setSourceMapsEnabled(true); require('./reads.cjs')");
console.log(spawnSync(process.execPath, ['-p', 'process.sourceMapsEnabled'], { encoding: 'utf8', env: { NODE_OPTIONS: '--enable-source-maps' } }).stdout.trim());

// A module.
const imported = put('imported.mjs', `${text.replaceAll('exports.later', 'const later').replaceAll(/^exports\.f1.*$/gm, 'export { f1, Shape, arrow };').replaceAll(/^exports\.thrower.*$/gm, 'export { later };')}${inline(mapOf(text, 'imported.ts', 9, { f1: 'renamed' }))}`);
import(pathToFileURL(imported)).then(async (exports) => {
  tell('import', () => (0, exports.arrow)({}));
  console.log(module_.findSourceMap(imported) === module_.findSourceMap(pathToFileURL(imported).href));
  await (0, exports.later)({}).catch((error) => console.log(shown(error.stack)));
  await (0, require(one).later)({}).catch((error) => console.log(shown(error.stack)));
});
