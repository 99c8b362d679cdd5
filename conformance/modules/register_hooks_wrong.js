// Hooks that give what they should not: sources and formats of all kinds, wrong results, odd URLs; to `require` and `import`.
const fs = require('fs');
const os = require('os');
const path = require('path');
const { registerHooks } = require('module');

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hooks-')));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));
process.removeAllListeners('warning');
let made = 0;
const file = (ending, text) => {
  const name = path.join(folder, `f${made++}${ending}`);
  fs.writeFileSync(name, text);
  return name;
};
const show = async (label, act) => {
  try {
    console.log(label, await act());
  } catch (error) {
    console.log(label, error.name, error.code, error.message.split('\n')[0].replaceAll(folder, ''));
  }
};
const withHooks = async (hooks, act) => {
  const registered = registerHooks(hooks);
  await act();
  registered.deregister();
};

const bytes = (text) => new TextEncoder().encode(text);
const shared = (text) => {
  const buffer = new SharedArrayBuffer(text.length);
  new Uint8Array(buffer).set(bytes(text));
  return buffer;
};
const sources = (text) => ({
  string: text, Buffer: Buffer.from(text), ArrayBuffer: bytes(text).buffer, Uint16Array: new Uint16Array(bytes(text).buffer),
  DataView: new DataView(bytes(text).buffer), SharedArrayBuffer: shared(text), null: null, undefined, number: 5, object: {},
  String: new String(text), empty: '',
});
const formats = ['commonjs', 'module', 'json', 'builtin', 'foo', null, undefined, 5, {}, 'commonjs-typescript', 'module-typescript'];

(async () => {
  for (const format of formats) {
    for (const [kind, source] of Object.entries(sources('module.exports = 12345'))) {
      // Node ends with a failed assertion.
      if ((format === 'builtin' || format === 'foo') && typeof source === 'object' && source !== null) continue;
      const name = file('.js', 'module.exports = "disk"');
      await withHooks({ load: () => ({ format, source, shortCircuit: true }) },
        () => show(`require ${String(format)} ${kind}`, () => require(name)));
    }
    for (const [kind, source] of Object.entries({ ...sources('export default 12345'), object: '{"a":1}', cjs: 'exports.a = 1' })) {
      if (format === 'commonjs' && (source === null || source === undefined)) continue;
      if (/typescript/.test(format) && kind === 'object') continue;
      const name = file('.mjs', 'export default "disk"');
      await withHooks({ load: () => ({ format, source, shortCircuit: true }) },
        () => show(`import ${String(format)} ${kind}`, () => import(name)));
    }
  }
  for (const result of [null, undefined, 5, 'x', [], {}, Promise.resolve({}), { shortCircuit: true }, { shortCircuit: 1, source: '', format: 'commonjs' }]) {
    const name = file('.js', 'module.exports = "disk"');
    for (const kind of ['load', 'resolve']) {
      await withHooks({ [kind]: () => result }, async () => {
        delete require.cache[name];
        await show(`${kind} gives ${JSON.stringify(result)}`, () => require(name));
        await show(`${kind} gives ${JSON.stringify(result)}`, () => import(`${name}?${made++}`));
      });
    }
  }
  const there = file('.cjs', 'module.exports = "there"');
  for (const url of ['', 'x', 'fs', 'node:fs', 'node:nope', there, `file://${there}`, `file://${folder}/none.cjs`, 'http://a/b.js', 'data:text/javascript,1', 'file://host/x',
                     `file://${there}?x=1`, `file://${there}#h`, './f0.js', null, {}]) {
    await withHooks({ resolve: () => ({ url, shortCircuit: true }) }, async () => {
      const shown = String(url).replace(folder, '');
      await show(`require at ${shown}`, () => typeof require('./any.js'));
      await show(`import at ${shown}`, async () => typeof (await import('./any.js')).default);
    });
  }
  for (const hooks of [5, 'x', [], { resolve: null }, { load: 0 }, { load: {} }, { resolve: 'x' }]) {
    await show(`registerHooks(${JSON.stringify(hooks)})`, () => {
      const registered = registerHooks(hooks);
      registered.deregister();
      registered.deregister();
      return [Object.keys(registered), Object.isFrozen(registered)];
    });
  }
})();
