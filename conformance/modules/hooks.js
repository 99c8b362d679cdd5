// What packages change about the loader.
const Module = require('module');
console.log(Module === Module.Module, module instanceof Module, Module.isBuiltin('path'), Module.isBuiltin('node:path'), Module.isBuiltin('nope'), Module.isBuiltin(1));
console.log(Module.builtinModules.includes('path'), Object.isFrozen(Module.builtinModules));
console.log(Module.wrap('x'), Array.from(Module.wrapper));
const load = Module._load;
Module._load = function(request, parent, isMain) {
  return request === 'virtual' ? { virtual: true, from: parent === module, isMain } : load.call(this, request, parent, isMain);
};
console.log(require('virtual'));
Module._load = load;
const resolve = Module._resolveFilename;
Module._resolveFilename = function(request, ...rest) {
  return resolve.call(this, request === 'alias' ? './trees/noext' : request, ...rest);
};
console.log(require('alias'), require.resolve('alias').endsWith('noext'));
Module._resolveFilename = resolve;
Module._extensions['.txt'] = function(module, filename) { module._compile(`module.exports = 'txt by hook';`, filename); };
console.log(require('./trees/what.txt'), Object.keys(require.extensions));
const js = Module._extensions['.js'];
Module._extensions['.js'] = function(module, filename) {
  const compile = module._compile;
  module._compile = function(code, file) { return compile.call(this, code.replace("'shebang'", "'rewritten'"), file); };
  return js(module, filename);
};
console.log(require('./trees/shebang'));
Module._extensions['.js'] = js;
const made = new Module('/virtual/made.js', module);
made.filename = '/virtual/made.js';
made.paths = Module._nodeModulePaths('/virtual');
made._compile('exports.made = __filename; exports.paths = module.paths', '/virtual/made.js');
console.log(made.exports, made.loaded, made.parent === module);
require.cache['/virtual/made.js'] = made;
console.log(require('path').sep, Module._nodeModulePaths('/a/node_modules/b'));
const required = Module.prototype.require;
Module.prototype.require = function(id) { return id === 'patched' ? 'by prototype' : required.call(this, id); };
console.log(require('patched'));
Module.prototype.require = required;
const createRequire = Module.createRequire;
console.log(createRequire(__filename)('./trees/noext'), createRequire(`file://${__dirname}/`)('./trees/noext'));
for (const bad of ['relative.js', 5]) {
  try { createRequire(bad); } catch (e) { console.log(e.code, e.message); }
}
console.log(process.getBuiltinModule('path') === require('path'), process.getBuiltinModule('nope'));
console.log(Module.findPackageJSON('..', `${__dirname}/trees/self/src/x.js`).slice(__dirname.length), Module.findPackageJSON('plain', `${__dirname}/trees/x.js`).slice(__dirname.length));
Module.wrap = (code) => `(function (exports, require, module, __filename, __dirname) { const wrapped = 'yes';${code}\n})`;
delete require.cache[require.resolve('./trees/noext')];
made._compile('exports.wrapped = wrapped', '/virtual/made.js');
console.log(made.exports.wrapped);
