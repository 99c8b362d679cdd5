// Packages and files whose names and `package.json` are odd: what `require`, `import` and `import.meta.resolve` make of them.
const fs = require('fs');
const os = require('os');
const path = require('path');
const { createRequire, findPackageJSON } = require('module');

// A folder whose own name looks like an escape.
const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'odd-')));
process.on('exit', () => fs.rmSync(root, { recursive: true }));
const folder = path.join(root, 'a%20b#c');
const write = (name, text) => {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
};
const plain = (text) => text.replaceAll(root, '');
const show = async (label, act) => {
  try {
    const got = await act();
    console.log(label, plain(JSON.stringify(got.default ?? got)));
  } catch (error) {
    console.log(label, error.name, error.code, plain(error.message.split('\n')[0]));
  }
};
const contents = {
  'a.js': 'module.exports = "a"', 'lib/index.js': 'module.exports = "lib"', 'index.js': 'module.exports = "index"',
  'x/y z.js': 'module.exports = "y z"', 'x/ü.js': 'module.exports = "ü"', 'x/%41.js': 'module.exports = "%41"',
};
const packages = {
  text: '"text"', list: '[]', number: '5', null: 'null', empty: '', cut: '{', mark: '\uFEFF{"exports":"./a.js"}', type: '{"type":5}', name: '{"name":null}',
  false: '{"exports":false}', five: '{"exports":5}', true: '{"exports":true}', none: '{"exports":"./none.js"}', folder: '{"exports":"./lib"}',
  slash: '{"exports":"./lib/"}', main: '{"main":"/a.js"}', mainObject: '{"main":{}}', bogus: '{"type":"bogus"}',
  stars: JSON.stringify({ exports: { './x/*': './x/*.js', './escaped': './x/y%20z.js', './slash': './x%2fy.js', './query': './a.js?q', './*': './lib/*' } }),
};

(async () => {
  for (const [name, text] of Object.entries(packages)) {
    for (const [file, content] of Object.entries(contents)) write(`node_modules/${name}/${file}`, content);
    write(`node_modules/${name}/package.json`, text);
  }
  write('node_modules/bare/package.json', '{}');
  write('node_modules/bareMain/package.json', '{"main":"x"}');
  write('node_modules/nothing/x.txt', '');
  write('from.mjs', 'export const load = (name) => import(name); export const resolve = (name) => import.meta.resolve(name);');
  const url = require('url').pathToFileURL(path.join(folder, 'from.mjs'));
  const { load, resolve } = await import(url);
  const ours = createRequire(url);
  const all = async (name) => {
    if (name !== 'stars/slash') await show(`require ${name}`, () => ours(name));
    await show(`import ${name}`, () => load(name));
    await show(`resolve ${name}`, () => resolve(name));
  };
  for (const name of Object.keys(packages)) {
    await all(name);
    await all(`${name}/lib`);
  }
  for (const name of ['bare', 'bareMain', 'nothing']) await all(name);
  for (const rest of ['x/y z', 'x/y%20z', 'x/ü', 'x/%41', 'escaped', 'slash', 'query']) await all(`stars/${rest}`);

  const imports = { '#node': 'node:fs', '#file': 'file:///x.js', '#list': ['bad:', './a.js'], '#x/*': './x/*.js', '#bare': 'five', '#none': './none.js' };
  write('own/package.json', JSON.stringify({ imports }));
  for (const [file, content] of Object.entries(contents)) write(`own/${file}`, content);
  write('own/from.mjs', 'export const load = (name) => import(name); export const resolve = (name) => import.meta.resolve(name);');
  const own = new URL('own/from.mjs', url);
  const inside = await import(own);
  for (const name of ['#node', '#file', '#list', '#x/ü', '#x/y z', '#x/y%20z', '#bare', '#none']) {
    await show(`require ${name}`, () => createRequire(own)(name));
    await show(`import ${name}`, () => inside.load(name));
    await show(`resolve ${name}`, () => inside.resolve(name));
  }

  for (const name of ['a b', 'a#b', 'a?b', 'a%b', 'a%20b', 'a\tb', 'a\nb', 'a\\b', '[a]', 'a|b', 'a~b', 'a^b', '😀', 'a;b']) {
    write(`${name}.mjs`, 'export default import.meta.url');
    await show(JSON.stringify(name), () => load(`./${name}.mjs`));
    await show(JSON.stringify(name), () => ours(`./${name}.mjs`));
  }
  for (const name of ['@', '@a', '@a/', '@a/b', '.a', '%', 'a\\b', 'blob:x', 'c:/x', 'https://x/y', 'file://localhost/x', 'file:///%2f']) {
    await show(`import ${name}`, () => load(name));
    await show(`resolve ${name}`, () => resolve(name));
  }
  for (const name of ['file:', 'file:./x', 'file:/x/y', 'file://localhost/x', 'file://host/x', 'file:///a%b', 'file:///a%2fb', 'x', 5]) {
    await show(`createRequire ${name}`, () => typeof createRequire(name));
  }
  for (const args of [['nope', url.href], ['nope'], ['http:x', url.href], ['five', url.href], ['five/x', url.href]]) {
    await show(`findPackageJSON ${args[0]}`, () => findPackageJSON(...args));
  }
})();
