// `require` of ES modules.
const here = __dirname;
const clean = (text) => String(text).replaceAll(here, '.');
function show(name, run) {
  try {
    console.log(name, run());
  } catch (e) {
    console.log(name, e.name, e.code, clean(e.message), Object.keys(e));
  }
}
show('live', () => require('./trees/esm/live.mjs'));
show('same', () => require('./trees/esm/live.mjs') === require('./trees/esm/live.mjs'));
show('detected', () => require('./trees/esm/detect.js'));
show('module.exports', () => require('./trees/esm/me.mjs'));
show('marked', () => require('./trees/esm/marked.mjs'));
show('type', () => require('./trees/type-module/a.js'));
show('tla', () => require('./trees/type-module/tla.js'));
show('throws', () => require('./trees/esm/throws.mjs'));
show('missing', () => require('./trees/esm/uses-missing.mjs'));
show('cycle', () => require('./trees/esm/cycle-main.mjs'));
show('ts', () => [require('./trees/ts/c.cts'), require('./trees/ts/b.mts')]);
import('./trees/esm/live.mjs').then((ns) => {
  console.log('same namespace', ns.inc === require('./trees/esm/live.mjs').inc);
  return import('./trees/type-module/tla.js');
}).then((ns) => { console.log(ns.v); show('tla again', () => require('./trees/type-module/tla.js').v); });
