// Packages seen from ES modules.
const here = import.meta.dirname;
const clean = (text) => String(text).replaceAll(`file://${here}`, 'file://.').replaceAll(here, '.');
const { tryIt } = await import('./trees/self/src/m.mjs');
console.log((await import('./trees/self/src/m.mjs')).default);
const show = (name, result) =>
  console.log(name, Array.isArray(result) ? result.map((one) => one && clean(one)) : { ...result });
for (const name of ['plain', 'plain/lib/x', 'plain/lib/x.js', 'exp', 'exp/sub', 'exp/feat/sub', 'exp/feat/data.json', 'exp/feat/private/x', 'exp/arr', 'exp/missing', 'exp/out',
  'exp/cond', 'exp/none', 'exp/nm', 'exp/lib/sub.js', 'main-dir', 'dual', '@s/p', 'bad-main', 'no-exp-main', 'no-exp-main/a', 'badjson', '@s', 'nope', 'me', 'me/nope', '#missing', '#nope', '#', 'a%2fb', '.x']) {
  show(name, await tryIt(name));
}
