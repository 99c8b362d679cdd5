// `require.resolve` with paths of its own, folders that are gone, exports in a cycle, and what an import might have meant.
const fs = require('fs');
const os = require('os');
const path = require('path');
const Module = require('module');

const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'resolve-')));
process.on('exit', () => fs.rmSync(root, { recursive: true }));
const file = (name, text) => {
  fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  fs.writeFileSync(path.join(root, name), text);
};
const plain = (text) => text.replaceAll(root, '<root>').split('\n').filter((line) => !line.startsWith('- ') && !line.startsWith('Require')).join(' | ');
const tell = (name, call) => {
  try {
    console.log(name, plain(String(call())));
  } catch (error) {
    console.log(name, error.code, plain(error.message));
  }
};

file('index.js', '');
file('sub/three.js', 'module.exports = () => require("../late.js");');
file('late.js', 'module.exports = "late";');
file('node_modules/pk/package.json', '{"name":"pk","main":"main.js"}');
file('node_modules/pk/main.js', '');
file('node_modules/pk/sub.js', '');
file('folder/index.js', '');
file('proxy.js', `module.exports = new Proxy({}, { getPrototypeOf() { throw new Error('asked'); } }); require('./other.js');`);
file('other.js', `exports.kind = typeof require('./proxy.js');`);
file('one.js', `exports.early = 1; require('./two.js'); exports.late = 2;`);
file('two.js', `const one = require('./one.js'); exports.seen = Object.keys(one);`);

process.chdir(path.join(root, 'sub'));
tell('..', () => require.resolve('.', { paths: ['..'] }));
tell('../', () => require.resolve('./index.js', { paths: ['../'] }));
process.chdir(root);
tell('.', () => require.resolve('.', { paths: ['.'] }));
tell('sub', () => require.resolve('./three.js', { paths: ['sub'] }));
tell('./sub', () => require.resolve('./three', { paths: ['./sub'] }));
tell('package', () => require.resolve('pk', { paths: ['sub'] }));
for (const wrong of [1, null, undefined, {}]) {
  tell('wrong', () => require.resolve('.', { paths: [wrong] }));
  tell('wrong', () => require.resolve('x', { paths: [wrong] }));
}
for (const name of ['sub', 'index.js', 'none']) tell('stat', () => Module._stat(path.join(root, name)) < 0 || Module._stat(path.join(root, name)));

const three = require(path.join(root, 'sub/three.js'));
fs.rmSync(path.join(root, 'sub'), { recursive: true });
tell('gone', three);
tell('proxy', () => require('util').types.isProxy(require(path.join(root, 'proxy.js'))));
tell('cycle', () => Object.keys(require(path.join(root, 'one.js'))));
tell('prototype', () => Object.getPrototypeOf(require(path.join(root, 'one.js'))) === Object.prototype);

file('imports.mjs', 'export default (name) => import(name);');
(async () => {
  const { default: load } = await import(path.join(root, 'imports.mjs'));
  const url = (name) => require('url').pathToFileURL(path.join(root, name)).href;
  for (const name of ['./late', './folder', './none', 'pk/sub', 'pk/none', path.join(root, 'late'), url('late'), url('folder')]) {
    await load(name).catch((error) => console.log(plain(name), error.code, plain(error.message)));
  }
})();
