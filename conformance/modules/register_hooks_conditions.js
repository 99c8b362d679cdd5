'use strict';
// What hooks may do with conditions (each name is asked for once, as Node keeps what it has resolved), the URL that
// `createRequire` was given, and builtins that are loaded by hooks.
const fs = require('fs');
const path = require('path');
const { createRequire, registerHooks } = require('module');
const { pathToFileURL } = require('url');

const folder = fs.realpathSync(fs.mkdtempSync(path.join(require('os').tmpdir(), 'hooks-')));
const put = (name, text) => {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
};
const choice = { red: './red.cjs', import: './import.mjs', default: './default.cjs' };
put('package.json', JSON.stringify({ name: 'own', imports: { '#inner': choice, '#dep': { red: 'dep/b', default: 'dep/a' } } }));
for (const where of ['', 'node_modules/dep/']) {
  put(`${where}red.cjs`, `exports.who = '${where}red'`);
  put(`${where}default.cjs`, `exports.who = '${where}default'`);
  put(`${where}import.mjs`, `export const who = '${where}import'`);
}
put('node_modules/dep/package.json', JSON.stringify({
  name: 'dep', exports: { './*': choice, './closed': { red: './red.cjs' }, './shut': { red: './red.cjs' } },
}));

const from = path.join(folder, 'main.js');
const req = createRequire(from);
put('importer.mjs', 'export const get = (name) => import(name);');

const tell = (name, act) => {
  try {
    console.log(name, act());
  } catch (error) {
    console.log(name, error.code, error.message.replaceAll(folder, '').split('\n')[0]);
  }
};

async function main() {
  const { get } = await import(pathToFileURL(path.join(folder, 'importer.mjs')));
  const tellImport = async (name, specifier) => {
    try {
      console.log(name, (await get(specifier)).who);
    } catch (error) {
      console.log(name, error.code, error.message.replaceAll(folder, '').split('\n')[0]);
    }
  };

  tell('plain', () => [req('dep/a').who, req('#inner').who]);
  await tellImport('plain', 'dep/a');
  tell('plain, closed', () => req('dep/closed').who);

  const seen = [];
  const withConditions = async (name, change, specifiers) => {
    const hook = registerHooks({
      resolve(specifier, context, next) {
        seen.push(`${specifier} ${context.conditions.join()}`);
        return next(specifier, change(context));
      },
    });
    for (const specifier of specifiers) {
      tell(`${name} ${specifier}`, () => req(specifier).who);
      await tellImport(`${name} ${specifier}`, specifier);
    }
    hook.deregister();
  };
  await withConditions('red', (context) => ({ ...context, conditions: ['red', ...context.conditions] }),
    ['dep/b', 'dep/closed', '#inner', '#dep']);
  await withConditions('none', () => ({ conditions: [] }), ['dep/c', 'dep/shut']);
  await withConditions('undefined', () => ({ conditions: undefined }), ['dep/d']);
  await withConditions('a word', () => ({ conditions: 'red' }), ['dep/e']);
  tell('after', () => [req('dep/a').who, req('#inner').who]);
  console.log(seen.join('\n'));

  const given = `${pathToFileURL(from)}?a=1#b`;
  const parents = [];
  const hook = registerHooks({
    resolve(specifier, context, next) {
      parents.push(context.parentURL.replace(String(pathToFileURL(folder)), ''));
      return next(specifier, context);
    },
  });
  createRequire(given)('./red.cjs');
  createRequire(new URL(given))('./red.cjs');
  createRequire(from)('./red.cjs');
  hook.deregister();
  console.log(parents);

  const asked = [];
  const builtins = registerHooks({
    load(url, context, next) {
      asked.push(`${url} ${context.format}`);
      if (url === 'node:zlib') return { source: 'exports.who = "not zlib"', format: 'commonjs', shortCircuit: true };
      return next(url, context);
    },
  });
  console.log(require('zlib').who, require('zlib').who, require('node:zlib').who, typeof require('node:path').join);
  builtins.deregister();
  console.log(asked);
}

main().finally(() => fs.rmSync(folder, { recursive: true }));
