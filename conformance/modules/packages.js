// Packages seen from CommonJS: main, exports, imports, self-reference.
const { createRequire } = require('module');
const here = __dirname;
const clean = (text) => String(text).replaceAll(here, '.');
const inTrees = createRequire(`${here}/trees/file.js`);
function show(name, run) {
  try {
    console.log(name, run());
  } catch (e) {
    console.log(name, e.name, e.code, clean(e.message), Object.keys(e), e.path && clean(e.path));
  }
}
for (const name of ['plain', 'plain/lib/x', 'exp', 'exp/sub', 'exp/feat/sub', 'exp/feat/data.json', 'exp/feat/private/x', 'exp/feat/../x',
  'exp/arr', 'exp/missing', 'exp/out', 'exp/cond', 'exp/none', 'exp/nm', 'exp/lib/sub.js', 'exp/package.json', 'main-dir', 'dual',
  '@s/p', 'bad-main', 'no-exp-main', 'no-exp-main/a', 'badjson', '@s', 'exp/', '#x', '../modules/trees/noext']) {
  show(name, () => inTrees(name));
}
const self = require('./trees/self/src/main.js');
console.log(Object.fromEntries(Object.entries(self).slice(0, 5)));
for (const name of ['me', 'me/nope', '#missing', '#nope', '#', '#/x', '#p/', '#p/nope']) {
  const result = self.t((require) => require(name));
  console.log(name, Array.isArray(result) ? result.map((one) => one && clean(one)) : typeof result);
}
