// CommonJS: the wrapper, the cache, cycles, what is tried in which order, and what is thrown.
const path = require('path');
const here = __dirname;
const clean = (text) => String(text).replaceAll(here, '.');
function show(name, run) {
  try {
    console.log(name, run());
  } catch (e) {
    console.log(name, e.name, e.code, clean(e.message), Object.keys(e), e.requireStack?.map(clean), e.path && clean(e.path));
  }
}
show('wrapper', () => require('./trees/wrapper'));
show('bom', () => require('./trees/bom'));
show('shebang', () => require('./trees/shebang.js'));
show('noext', () => require('./trees/noext'));
show('txt', () => require('./trees/what.txt'));
show('dir', () => [require('./trees/dir-index'), require('./trees/dir-index/'), require('./trees/dir-index/.')]);
show('both', () => [require('./trees/dir-index/both'), require('./trees/dir-index/both.json')]);
show('cycle', () => require('./trees/cyc/a'));
show('missing', () => require('./nope'));
show('missing bare', () => require('nope/deep'));
show('folder without index', () => require('./trees/cyc'));
show('empty', () => require(''));
show('number', () => require(5));
show('node:', () => require('node:nope'));
show('node: same', () => require('node:path') === path);
show('bad json', () => { try { require('./trees/bad.json'); } catch (e) { return [e.name, clean(e.message).split(':')[0]]; } });
show('syntax', () => { try { require('./trees/bad.js'); } catch (e) { return e.name; } });
show('throws', () => require('./trees/err'));
show('throws again', () => [require.resolve('./trees/err') in require.cache, (() => { try { require('./trees/err'); } catch (e) { return e.message; } })()]);
show('cache', () => {
  const file = require.resolve('./trees/dir-index');
  const before = require.cache[file];
  delete require.cache[file];
  const first = before.exports === require('./trees/dir-index');
  require.cache[file].exports = 'patched';
  return [first, require('./trees/dir-index'), before !== require.cache[file], before.loaded, before.children.length];
});
show('resolve', () => [clean(require.resolve('./trees/cyc/a')), require.resolve('path'), require.resolve('node:path')]);
show('resolve paths', () => clean(require.resolve('plain', { paths: [path.join(here, 'trees')] })));
show('resolve relative paths', () => clean(require.resolve('./cyc/a', { paths: [path.join(here, 'trees')] })));
show('resolve bad paths', () => require.resolve('x', { paths: 1 }));
show('resolve number', () => require.resolve(1));
show('paths', () => [require.resolve.paths('x').slice(0, 1).map(clean), require.resolve.paths('./x').map(clean), require.resolve.paths('path')]);
show('main', () => [require.main === module, module.id, module.parent, module.loaded, clean(module.filename), clean(module.path), process.mainModule === module]);
show('child', () => {
  const child = module.children.find((one) => one.id.endsWith('wrapper.js'));
  return [child.parent === module, child.loaded, clean(child.id), child.paths.slice(0, 2).map(clean)];
});
show('keys', () => [Object.keys(module), Object.keys(require)]);
show('module.require', () => module.require('./trees/noext'));
show('this', () => [this === exports, arguments.length, typeof arguments[1]]);
show('extensions', () => Object.keys(require.extensions));
