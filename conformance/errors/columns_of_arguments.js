// A call is where it is called, whatever its arguments are: variables that give their names, too, functions, objects of classes.
const at = () => new Error('x').stack.split('\n')[2].replace(/.*columns_of_arguments\.js/, '');
const functions = [function() { return new Error('x').stack.split('\n')[2].replace(/.*columns_of_arguments\.js/, ''); }];
const [nameless] = functions;
const o = { at };
const h = 1;
const k = 2;
console.log((0, o.at)(
  h, undefined,
  { h,
    k },
));
console.log(at(
  undefined,
  { h },
));
console.log(at(
  h,
  { h, k: 1 },
), at({ k,
  h: k }));
console.log(o.at(
  { h,
    k },
));
console.log(at(new Map([[1, 2]]), (d) => d), at(new Map([[1, 2]]), d => { }), at(new Map(), d => { }, 1));
console.log(at([at], d => { }), at(at, d => d()), at(h, async d => { await d }), at(d => d()));
console.log(nameless({}), nameless(new Map([[1, 2]]), d => { }), nameless(new Map()), new Map([[1, nameless(2)]]));

// A text that is compiled under the name of a file which has another, as transpilers do.
const Module = require('module');
const { join } = require('path');
const compiled = new Module(join(__dirname, 'columns_of_arguments.js'));
compiled._compile(`  const at = () => new Error('x').stack.split('\\n')[2].replace(/.*columns_of_arguments\\.js/, '');
  module.exports = [at(1, new Map()), (() => { try { null.x; } catch ({ stack }) { return stack.split('\\n')[1].replace(/.*\\.js/, ''); } })()];
  Error.prepareStackTrace = (error, [site]) => [site.getLineNumber(), site.getColumnNumber()];
  module.exports.push(new Error('x').stack);
  Error.prepareStackTrace = undefined;`, join(__dirname, 'columns_of_arguments.js'));
console.log(compiled.exports);
