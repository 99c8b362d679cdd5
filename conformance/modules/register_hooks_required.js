// Modules that hooks make, and that are required: whoever is asked is asked once.
const { registerHooks } = require('module');

const asked = [];
const made = registerHooks({
  resolve(specifier, context, next) {
    asked.push(`resolve ${specifier}`);
    if (!specifier.startsWith('made:')) return next(specifier, context);
    return { url: specifier, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    asked.push(`load ${url}`);
    if (!url.startsWith('made:')) return next(url, context);
    const source = url === 'made:outer' ? 'export const inner = 3; export default 1;' : 'export const inner = 2;';
    return { source, format: 'module', shortCircuit: true };
  },
});
console.log(require('made:inner').inner, asked.splice(0));
const { default: value, inner, __esModule } = require('made:outer');
console.log(value, inner, __esModule, asked.splice(0));
console.log(require('made:outer').default, asked.splice(0));
made.deregister();

const none = registerHooks({ resolve: () => null });
try {
  require('nothing');
} catch (error) {
  console.log(error.message);
}
none.deregister();
