// Hooks that are asked by `require` and by `import` what a specifier means and what a URL's text is.
const fs = require('fs');
const os = require('os');
const path = require('path');
const util = require('util');
const { registerHooks } = require('module');

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hooks-')));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
const file = (name, text) => {
  fs.writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
const dep = file('dep.cjs', "exports.v = 'dep'; exports.inner = require('./number.js');");
const number = file('number.js', 'module.exports = 2');
const mod = file('mod.mjs', "import n from './number.js'; export const m = n;");
const data = file('data.json', '{"a":1}');
const short = (value) => util.inspect(value, { breakLength: Infinity, depth: 3 }).replaceAll(folder, '').replaceAll(__dirname, '');

const hooks = registerHooks({
  resolve(specifier, context, nextResolve) {
    console.log('resolve', short(specifier), short(context));
    if (specifier.startsWith('virtual:')) {
      return { url: specifier, format: specifier.endsWith('m') ? 'module' : 'commonjs', shortCircuit: true };
    }
    const found = nextResolve(specifier, context);
    console.log('found', short(found));
    return found;
  },
  load(url, context, nextLoad) {
    console.log('load', short(url), short(context));
    if (url === 'virtual:c') return { format: 'commonjs', source: 'module.exports = `is ${__filename}`', shortCircuit: true };
    if (url === 'virtual:m') return { format: 'module', source: 'export default import.meta.url', shortCircuit: true };
    const loaded = nextLoad(url, context);
    console.log('loaded', loaded.format, loaded.source && loaded.source.constructor.name);
    return url.endsWith('number.js') ? { ...loaded, source: String(loaded.source).replace('2', '22') } : loaded;
  },
});
console.log(require(dep), require('fs') === fs, require('node:os') === os, require(data));
console.log(require('virtual:c'));
try {
  require('./there-is-none');
} catch (error) {
  console.log(error.code);
}

(async () => {
  console.log((await import(mod)).m, (await import('virtual:m')).default, (await import('fs')).default === fs);
  hooks.deregister();
  const fresh = () => {
    delete require.cache[number];
    return require(number);
  };
  console.log(fresh());
  const append = (text) => registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      return { ...loaded, source: `${loaded.source};module.exports += '${text}'` };
    },
  });
  const [one, other] = [append('a'), append('b')];
  console.log(fresh());
  one.deregister();
  console.log(fresh());
  other.deregister();
  for (const wrong of [{ resolve: () => ({}) }, { resolve: () => ({ url: 5, shortCircuit: true }) }, { load: () => 5 },
                       { load: () => ({ format: 'commonjs', source: 5, shortCircuit: true }) }, { resolve: 5 }]) {
    let made;
    try {
      made = registerHooks(wrong);
      fresh();
    } catch (error) {
      console.log(error.name, error.code, error.message);
    }
    made?.deregister();
  }
  console.log(fresh(), short(registerHooks({})));
})();
