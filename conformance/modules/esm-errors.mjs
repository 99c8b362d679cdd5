// What import() is rejected with.
const here = import.meta.dirname;
const clean = (text) => text && String(text).replaceAll(`file://${here}`, 'file://.').replaceAll(here, '.');
async function show(specifier, options) {
  try {
    console.log(specifier, await import(specifier, options));
  } catch (e) {
    const text = e instanceof SyntaxError && !/export/.test(e.message) ? '' : clean(e.message);
    console.log(specifier, e.name, e.code, text, Object.keys(e), clean(e.url));
  }
}
await show('./nope.mjs');
await show('./trees/esm/live');
await show('./trees/cyc');
await show('./trees/what.txt');
await show('./trees/noext');
await show('nope');
await show('./trees/dir-index');
await show('./trees/dir-index/both');
await show('node:nope');
await show('http://localhost/x.mjs');
await show('./trees/esm/data.json');
await show('./trees/esm/live.mjs', { with: { type: 'json' } });
await show('./trees/esm/live.mjs', { with: { type: 'css' } });
await show('./trees/esm/live.mjs', { with: { other: 'x' } });
await show('./trees/bad.json', { with: { type: 'json' } }).catch(() => {});
await show('./trees/esm/syntax.mjs');
await show('./trees/esm/syntax.mjs');
await show('./trees/esm/uses-syntax.mjs');
await show('./trees/esm/uses-missing.mjs');
await show('./trees/esm/uses-missing.mjs');
await show('data:text/javascript,import {nope} from "node:path"');
await show('./trees/esm/%2flive.mjs');
await show('data:text/javascript,import "./x.mjs"');
await show('data:text/plain,hello');
await show('./trees/esm/throws.mjs');
await show('./trees/ts/enum.ts');
await show('./trees/ts/ns.ts');
await show('./trees/ts/prop.ts');
await show('./trees/node_modules/typed/i.ts');
await import('./trees/esm/live.mjs', 5).catch((e) => console.log(e.name));
