// flags: --experimental-vm-modules --no-warnings
'use strict';
// Modules of vm: linking, evaluation, states, import.meta, import(), contexts and errors.

const vm = require('vm');
const { inspect } = require('util');

const { SourceTextModule, SyntheticModule } = vm;
const refused = async (what, call) => {
  try {
    console.log(what, 'passed', await call());
  } catch (error) {
    console.log(what, error.name, error.code, error.message);
  }
};

(async () => {
  const greeting = new SyntheticModule(['default', 'other'], function() {
    this.setExport('default', 'hello');
    this.setExport('other', 1);
  }, { identifier: 'greeting' });
  const main = new SourceTextModule(
    "import greeting, { other } from 'greeting'; export * from 'names'; export const all = [greeting, other, await 2, import.meta.where];", {
      identifier: 'main', initializeImportMeta(meta, module) { meta.where = module.identifier; },
    });
  console.log(main.status, greeting.status, main.dependencySpecifiers, inspect(main));
  await refused('namespace', () => main.namespace);
  await refused('evaluate', () => main.evaluate());
  await refused('error', () => main.error);
  const linked = main.link((specifier, referrer, { attributes }) => {
    console.log('link', specifier, referrer === main, Object.keys(attributes));
    return specifier === 'greeting' ? greeting : new SourceTextModule('export const name = 5;');
  });
  console.log(main.status);
  await linked;
  console.log(main.status);
  await refused('link again', () => main.link(() => {}));
  const evaluation = main.evaluate();
  console.log(main.status, evaluation instanceof Promise);
  console.log(await evaluation, main.status, main.namespace.all, main.namespace.name);
  await refused('cached data', () => main.createCachedData());

  const thrown = new SourceTextModule("throw new Error('inside');", { identifier: 'thrown' });
  await thrown.link(() => {});
  await refused('throws', () => thrown.evaluate());
  console.log(thrown.status, thrown.error.message);
  await refused('an errored import', () => new SourceTextModule("import 'x';").link(() => thrown));
  await refused('no module', () => new SourceTextModule("import 'x';").link(() => ({})));
  await refused('no export', () => new SourceTextModule("import { nothing } from 'greeting';").link(() => greeting));
  await refused('endless', async () => {
    const endless = new SourceTextModule('for (;;);');
    await endless.link(() => {});
    return endless.evaluate({ timeout: 20 });
  });

  const context = vm.createContext({ log: [] });
  const inside = new SourceTextModule('log.push(typeof log, Array === [].constructor); export default [];', { context });
  await refused('other context', () => new SourceTextModule("import 'x';").link(() => inside));
  await inside.link(() => {});
  await inside.evaluate();
  console.log(context.log, inside.namespace.default instanceof Array, inside.context === context);

  const importer = async (specifier, referrer) => {
    console.log('import', specifier, referrer.constructor.name);
    if (specifier === 'bad') throw new RangeError('refused');
    return specifier === 'wrong' ? {} : greeting;
  };
  await greeting.evaluate();
  const script = new vm.Script('async (specifier) => (await import(specifier)).default', { importModuleDynamically: importer });
  const load = script.runInThisContext();
  console.log(await load('good'));
  await refused('bad', () => load('bad'));
  await refused('wrong', () => load('wrong'));
  const dynamic = new SourceTextModule("export default (await import('good')).default;", { importModuleDynamically: importer, context });
  await dynamic.link(() => {});
  await dynamic.evaluate();
  console.log(dynamic.namespace.default);
  await refused('without a callback', () => new vm.Script("import('x')").runInThisContext());

  await refused('syntax', () => new SourceTextModule('let a; let a;'));
  await refused('Module', () => new vm.Module());
  await refused('names', () => new SyntheticModule(['a', 'a'], () => {}));
  await refused('text', () => new SourceTextModule(1));
  await refused('timeout', () => inside.evaluate({ timeout: -1 }));
  const stepwise = new SourceTextModule("import { name } from 'names'; export { name };");
  await refused('not linked', () => stepwise.instantiate());
  await refused('too many', () => stepwise.linkRequests([greeting, greeting]));
  stepwise.linkRequests([new SourceTextModule('export const name = 6;')]);
  stepwise.moduleRequests[0].specifier.length;
  await refused('half linked', () => stepwise.instantiate());
})();
