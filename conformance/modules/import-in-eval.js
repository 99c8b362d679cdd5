'use strict';
// What a program compiles imports as the file does that has it compiled, wherever the process is.
process.chdir('/');
const name = JSON.stringify(`./${require('path').basename(__filename)}`);
const show = (kind) => (space) => console.log(kind, space.default.isIt);
const ways = {
  direct: () => eval(`import(${name})`),
  indirect: () => (0, eval)(`import(${name})`),
  inner: () => eval(`(() => import(${name}))()`),
  nested: () => eval(`eval('import(' + ${JSON.stringify(name)} + ')')`),
  constructed: () => new Function(`return import(${name})`)(),
  method: () => new Function(`return { of() { return import(${name}) } }`)().of(),
  later: () => new Promise((fulfil) => setTimeout(new Function('fulfil', `fulfil(import(${name}))`), 1, fulfil)),
};
module.exports = { isIt: true };
(async () => {
  for (const [kind, way] of Object.entries(ways)) await way().then(show(kind), (error) => console.log(kind, error.code));
})();
