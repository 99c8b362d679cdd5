// Hooks that load modules themselves, come and go amid a load, throw, put something in a builtin's place or name a format.
const fs = require('fs');
const os = require('os');
const path = require('path');
const { registerHooks } = require('module');

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hooks-')));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
let made = 0;
const file = (name, text) => {
  fs.writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
const show = async (label, act) => {
  try {
    console.log(label, await act());
  } catch (error) {
    console.log(label, error.name, error.code, error.message.split('\n')[0].replaceAll(folder, '').replaceAll(__dirname, ''));
  }
};
const withHooks = async (hooks, act) => {
  const registered = registerHooks(hooks);
  await act();
  registered.deregister();
};

(async () => {
  let name = file('a.js', 'exports.a = 1');
  await withHooks({
    load(url, context, next) {
      console.log('known inside', require(name));
      return next(url, context);
    },
  }, () => show('load requires the same', () => require(name)));
  name = file('b.js', 'exports.b = 1');
  let calls = 0;
  await withHooks({
    resolve(specifier, context, next) {
      if (calls++ === 0) console.log('loaded inside', require(name));
      return next(specifier, context);
    },
  }, () => show('resolve requires the same', () => require(name)));

  name = file('c.js', 'exports.c = 1');
  const first = registerHooks({ load: (url, context, next) => (console.log('first'), next(url, context)) });
  const second = registerHooks({
    load(url, context, next) {
      first.deregister();
      second.deregister();
      return next(url, context);
    },
  });
  await show('gone amid a load', () => require(name));

  for (const thrown of [new Error('E'), null, undefined, 'text', Symbol('q')]) {
    name = file(`t${made++}.mjs`, '');
    for (const kind of ['load', 'resolve']) {
      await withHooks({ [kind]() { throw thrown; } }, async () => {
        try { require(name); } catch (error) { console.log(error === thrown); }
        try { await import(name); } catch (error) { console.log(error === thrown); }
      });
    }
    await show('afterwards', () => require(name));
    await show('afterwards', () => import(name));
  }

  name = file('n.js', 'exports.n = 1');
  for (const args of [['./nope'], [name], [name, {}], [name, { format: 'bogus' }], [name, null], [`file://${name}`],
                      [`file://${name}`, { format: 'module' }]]) {
    for (const kind of ['resolve', 'load']) {
      delete require.cache[name];
      await withHooks({
        [kind](subject, context, next) {
          const result = next(...args);
          console.log(Object.getPrototypeOf(result) === null, Object.keys(result), result.format);
          return result;
        },
      }, async () => {
        const label = `${kind} ${JSON.stringify(args).replaceAll(folder, '')}`;
        await show(`${label} require`, () => require(name));
        await show(`${label} import`, () => import(`${name}?${made++}`));
      });
    }
  }

  const seen = [];
  const below = registerHooks({
    load(url, context, next) {
      seen.push(context, this === undefined, arguments.length, context.extra);
      return next(url, context);
    },
  });
  await withHooks({
    load(url, context, next) {
      seen.push(context);
      return next(url, { ...context, extra: 1 });
    },
  }, () => require(file('context.js', '')));
  below.deregister();
  console.log(seen[0] === seen[1], seen.slice(2), Object.keys(seen[0]));

  await withHooks({
    load(url, context, next) {
      return url === 'node:zlib' ? { format: 'commonjs', source: 'module.exports = "mine"', shortCircuit: true } : next(url, context);
    },
  }, async () => {
    await show('builtin', () => require('zlib'));
    await show('builtin', () => require('node:zlib'));
    await show('builtin', async () => (await import('zlib')).default);
  });
  await withHooks({
    resolve(specifier, context, next) {
      if (specifier === 'another') return { url: 'node:os', shortCircuit: true };
      if (specifier === 'os') return { url: `file://${name}`, shortCircuit: true };
      if (specifier === 'bad') return { url: 'node:nope', shortCircuit: true };
      return next(specifier, context);
    },
  }, async () => {
    await show('another', () => typeof require('another').cpus);
    await show('os', () => require('os'));
    await show('node:os', () => require('node:os') === require('another'));
    for (const request of ['bad', 'node:nope']) {
      await show(request, () => require(request));
      await show(request, () => import(request));
    }
  });

  for (const format of ['module', 'json', 'commonjs', 'bogus', 'builtin', 'module-typescript', 5, null, '']) {
    const script = file(`r${made++}.js`, '1');
    const text = file(`r${made++}.txt`, format === 'json' ? '{"q":1}' : '2');
    const registered = registerHooks({ resolve: (specifier, context, next) => ({ ...next(specifier, context), format }) });
    for (const one of [script, text]) {
      await show(`${format} require`, () => require(one));
      await show(`${format} import`, () => import(one));
    }
    await withHooks({
      load(url, context, next) {
        console.log('told', context.format);
        return next(url, context);
      },
    }, async () => {
      delete require.cache[script];
      await show(`${format} require`, () => require(script));
      await show(`${format} import`, () => import(`${script}?2`));
    });
    registered.deregister();
  }
  for (const importAttributes of [5, 'x', null, { type: 'json' }, { foo: 1 }]) {
    name = file(`i${made++}.json`, '{"a":1}');
    await withHooks({ resolve: (specifier, context, next) => ({ ...next(specifier, context), importAttributes }) }, async () => {
      await show('attributes', () => require(name));
      await show('attributes', () => import(name));
    });
  }

  const script = file('x.ts', 'const a: number = 1; exports.a = a');
  const mod = file('y.mts', 'export const a: number = 1;');
  const other = file('other.xyz', 'module.exports = "xyz"');
  await withHooks({
    load(url, context, next) {
      const { format, source } = next(url, context);
      console.log(context.format, format, String(source).length);
      return { format, source };
    },
  }, async () => {
    for (const one of [script, mod, other]) {
      await show('require', () => require(one));
      await show('import', () => import(`${one}?1`));
    }
    require.extensions['.xyz'] = (module) => { module.exports = 'by an extension'; };
    delete require.cache[other];
    await show('require', () => require(other));
    await show('require', () => require(file('bad.json', '{"a":')));
  });
  await withHooks({ load: (url, context, next) => ({ ...next(url, context), source: '\uFEFF#!shell\nmodule.exports = 5' }) }, async () => {
    name = file('mark.js', '');
    await show('mark', () => require(name));
    await show('mark', () => import(`${name}?1`));
  });
})();
