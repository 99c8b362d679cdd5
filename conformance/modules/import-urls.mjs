// Specifiers with a scheme: data: URLs of all kinds, those that no loader takes, and what import.meta.resolve makes of them.
const show = async (spec, opt) => {
  try { const ns = await import(spec, opt); console.log('ok ', spec.slice(0,70), JSON.stringify(opt), 'default' in ns ? typeof ns.default == 'object' ? Object.keys(ns.default).length > 10 || ns.default: ns.default: Object.keys(ns)); }
  catch (e) { console.log('ERR', spec.slice(0,70), JSON.stringify(opt), e?.name, e?.code, '|', String(e?.message).split(import.meta.dirname).join('.'), '|', Object.keys(e ?? {}).join()); }
};
const J = { with: { type: 'json' } };
const list = [
 ['data:text/javascript,export default 1'], ['data:text/javascript;charset=utf-8,export default "%C3%A9"'], ['data:text/javascript,export default "é"'],
 ['data:text/javascript;base64,ZXhwb3J0IGRlZmF1bHQgNDI='], ['data:text/javascript;charset=utf-8;base64,ZXhwb3J0IGRlZmF1bHQgNDI'], ['data:text/javascript;BASE64,ZXhwb3J0IGRlZmF1bHQgNDI='], ['data:text/javascript; base64,ZXhwb3J0IGRlZmF1bHQgNDI='], ['data:text/javascript;base64;x=1,ZXhwb3J0IGRlZmF1bHQgNDI='],
 ['data:text/javascript;base64,***'], ['data:TEXT/JavaScript,export default 2'], ['data:application/javascript,export default 3'], ['data:text/ecmascript,1'], ['data:application/node,1'], ['data:application/node,exports.a=1'],
 ['data:application/json,{"a":1}'], ['data:application/json,{"a":1}', J], ['data:application/json;base64,eyJhIjoxfQ==', J], ['data:application/json,{', J], ['data:application/json,', J], ['data:text/javascript,export default 1', J],
 ['data:application/json;charset=utf-8,[1]', J],
 ['data:,export default 1'], ['data:text/plain,x'], ['data:text/css,x'], ['data:text/javascript'], ['data:'], ['data:x'], ['data:text/javascript;base64'], ['data:;base64,ZXhwb3J0'], ['data:text/javascript,'], ['data:text/javascript,%'], ['data:text/javascript,export default "%zz"'], ['data:text/javascript,export default 1#frag'], ['data:text/javascript,export default "a?b"'], ['data:text/javascript,export default import.meta.url'], ['data:text/javascript,export default [import.meta.filename, import.meta.dirname, import.meta.main, typeof import.meta.resolve]'],
 ['data:text/javascript,import os from "os"; export default typeof os.cpus'], ['data:text/javascript,import os from "node:os"; export default typeof os.cpus'], ['data:text/javascript,import "./x.mjs"'], ['data:text/javascript,import "/x.mjs"'], ['data:text/javascript,import "pkg"'], ['data:text/javascript,import "#x"'], ['data:text/javascript,import "file:///nope.mjs"'], ['data:text/javascript,export default await import("os").then(x=>1)'], ['data:text/javascript,export default await import("./y.mjs")'], ['data:text/javascript,import "data:text/javascript,export default 7"'], ['data:text/javascript,export {default} from "data:text/javascript,export default 7"'], ['data:text/javascript,export default import.meta.resolve("os")'], ['data:text/javascript,export default import.meta.resolve("./x")'], ['data:text/javascript,export default import.meta.resolve("pkg")'],
 ['data:text/javascript,throw new Error("x")'], ['data:text/javascript,a b'], ['data:text/javascript,throw 1'], ['data:text/javascript,export default require'], ['data:text/javascript,await 1; require("x")'],
 ['data:text/javascript,\n export default 5'], ['data:text/javascript,export default "%0A"'], ['data:text/javascript, export default `a\tb`'], ['data:text/javascript,export default "a b"'], ['DATA:text/javascript,export default 9'], [' data:text/javascript,export default 10'], ['data:text/javascript,export default 11 '],
 ['data:text/javascript ,export default 12'], ['data: text/javascript,export default 13'], ['data:text/javascript/x,1'], ['data:text,1'], ['data:text/javascript;,export default 14'], ['data:text/javascript;charset="a,b",export default 15'],
 ['http://example.com/x.mjs'], ['https://example.com/x.mjs'], ['HTTP://example.com/x.mjs'], ['ftp://x/y'], ['foo:bar'], ['FOO:bar'], ['blob:nodedata:x'], ['blob:http://x/y'], ['javascript:1'], ['c:/x/y.mjs'], ['C:\\x\\y.mjs'], ['node:nope'], ['node:'], ['NODE:os'], ['node:os?x'], ['node:fs/nope'], ['wss://x'], ['http://'], ['http:'], ['file:'], ['file://'], ['file://host/x.mjs'], ['file:///%2F'], ['file:nope.mjs'], ['://x'], ['http:x'], [':x'], ['1a:b'], ['a+b:c'],
 ['//host/x.mjs'], ['/\\host/x'], ['file://LOCALHOST/nope.mjs'], ['file://host/%2f'], ['npm:x'], ['bun:x'], ['test'], ['sqlite'], ['node:sqlite?'], ['node:internal/x'], ['internal/util'],
];
for (const [s, o] of list) await show(s, o);
const m = (f) => { try { console.log('res', f, import.meta.resolve(f).split(import.meta.dirname).join('.').replace(/\/[^.]*\/conformance\/$/, '<root>')); } catch (e) { console.log('RES', f, e.name, e.code, e.message.split(import.meta.dirname).join('.')); } };
for (const f of ['node:nope','node:','foo:bar','http://x','HTTP://X/a b','data:text/css,x','DATA:x','c:/x','blob:x','os','nope','./nope','.','..','/','file:','file:///a b','file://h/x','http:','node:os','NODE:os','#x','a%2fb','./a%2fb','','%','@x','@x/y', ' ./x', 'javascript:1', '//x/y']) m(f);

// The body of what is imported runs in the context of who imports it; what is called then is asked once.
import { AsyncLocalStorage } from 'async_hooks';
globalThis.storage = new AsyncLocalStorage();
await storage.run('inside', async () => {
  const { default: first, later } = await import('data:text/javascript,export default storage.getStore(); await 1; export const later = storage.getStore()');
  console.log(first, later, storage.getStore());
});
globalThis.asked = 0;
console.log(await import('data:text/javascript,export function then(done) { asked++; done(5); }'), asked);
