'use strict';
// `import()`: evaluation order and timing. Node's loader awaits at fixed places even if nothing is pending. This loader waits for the same number of
// microtasks, so that other queued microtasks keep their relative order.
//
// `load` loads a whole graph at once. Each module record has a job; the jobs then walk the loaded graph and await where Node does.

const { traced } = require('internal/channels');
const engine = require('internal/modules/engine');

// Saved, because programs may replace them.
const { then } = Promise.prototype;
const apply = Reflect.apply;
const Pending = Promise;

let esm;
const jobs = new SafeMap();
// `vm` scripts without `importModuleDynamically`: error code by file name.
const scripts = new SafeMap();

const done = new Pending((fulfil) => fulfil());

// Like `Promise.all`, on internal promises.
const all = (promises) => new Pending((fulfil, reject) => {
  let left = promises.length;
  if (left === 0) fulfil();
  const count = () => { if (--left === 0) fulfil(); };
  for (let i = 0; i < promises.length; i++) apply(then, promises[i], [count, reject]);
});

function map(list, change) {
  const out = [];
  for (let i = 0; i < list.length; i++) out[i] = change(list[i], i);
  return out;
}

function jobOf(record) {
  const known = jobs.get(record);
  if (known !== undefined) return known;
  const job = { record, linked: undefined, ready: undefined };
  jobs.set(record, job);
  job.linked = link(job);
  engine.markHandled(job.linked);
  return job;
}

// Returns the job of the module that a graph edge points to. Throws the error stored on the edge.
async function jobAt({ url, record, error }) {
  if (url === undefined) throw error.value;
  await undefined;
  if (error !== undefined) throw error.value;
  return jobOf(record);
}

// Resolves to the jobs of the direct dependencies.
async function link({ record }) {
  await done;
  const dependencies = [];
  await all(map(record.edges, async (edge, i) => {
    const job = await jobAt(edge);
    dependencies[i] = job;
    return done;
  }));
  return dependencies;
}

async function walk(job, seen) {
  if (seen.has(job)) return undefined;
  seen.add(job);
  const dependencies = await job.linked;
  return all(map(dependencies, (one) => walk(one, seen)));
}

// Resolves when the whole graph is linked.
async function prepare(job) {
  const seen = new SafeSet();
  await walk(job, seen);
  seen.forEach((one) => { one.ready = done; });
}

// Throws a link error. `job.ready` rejects later importers at once. The first importer waits for one more microtask, in which Node determines the
// format of the module without the export (`lib/internal/modules/esm/module_job.js: _instantiate`).
async function rejectLink(job, error) {
  job.ready = new Pending((fulfil, reject) => reject(error));
  engine.markHandled(job.ready);
  await undefined;
  throw error;
}

async function run(job) {
  await (job.ready ??= prepare(job));
  const { record } = job;
  const isFirst = record.promise === undefined;
  let promise;
  try {
    promise = esm.evaluate(record);
  } catch (error) {
    return rejectLink(job, error);
  }
  // If a synthetic module has thrown, its error is thrown without another await.
  if (isFirst && record.run !== undefined && engine.settled(promise)[0] === 2) {
    engine.markHandled(promise);
    throw engine.settled(promise)[1];
  }
  try {
    await promise;
  } catch (error) {
    if (!record.isRequired) esm.explain(error, record);
    throw error;
  }
  return undefined;
}

async function jobFor(url, load) {
  return jobOf(load(url));
}

// Like `jobFor`, for asynchronous hooks. `place` is a promise of { url, format, importAttributes }.
async function jobAhead(place, load, attributes, source) {
  const found = await place;
  await esm.preloadGraph(found, attributes, source);
  return jobOf(load(found.url));
}

// Loads and evaluates the module that `find` resolves to, and resolves to its record. Must run in a microtask. `attributes` are the import
// attributes, `source` is the source text if it is known.
async function imported(loader, find, load, attributes, source) {
  esm = loader;
  const found = find();
  const job = await (typeof found === 'string' ? jobFor(found, load) : jobAhead(found, load, attributes, source));
  await run(job);
  return job.record;
}

const wrongOptions = {
  __proto__: null,
  options: 'The second argument to import() must be an object',
  with: "The 'assert' option must be an object",
  value: 'Import assertion value must be a string',
};

// Decodes the specifier and attributes of a call. `native.encodeAttributes` has put attributes that the engine does not support in front of the
// specifier.
function decoded(encodedSpecifier, type) {
  if (encodedSpecifier[0] !== '\0') {
    return { specifier: encodedSpecifier, attributes: type === undefined ? undefined : { __proto__: null, type: type ?? '' } };
  }
  if (encodedSpecifier[1] === '!') throw new TypeError(wrongOptions[encodedSpecifier.slice(2)]);
  const end = encodedSpecifier.indexOf('\0\0');
  const parts = encodedSpecifier.slice(1, end).split('\0');
  const attributes = { __proto__: null };
  for (let at = 0; at < parts.length; at += 2) attributes[parts[at]] = parts[at + 1];
  return { specifier: encodedSpecifier.slice(end + 2), attributes };
}

// `import()` in a module or script of `vm` with the option `importModuleDynamically`.
async function importFromVm(referrer, encodedSpecifier, type, promise) {
  try {
    const { specifier, attributes } = decoded(encodedSpecifier, type);
    const { importDynamically } = referrer;
    if (importDynamically === undefined) throw new (require('internal/errors').ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING)();
    engine.fulfil(promise, await importDynamically(specifier, attributes ?? { __proto__: null }));
  } catch (error) {
    engine.reject(promise, error);
  }
}

// `referrer` is the record of the importing module, or the name of the importing file. Code compiled from a string has the referrer of the code that
// compiled it.
async function onDynamicImport(loader, referrer, encodedSpecifier, type, promise) {
  if (referrer?.isVm) return importFromVm(referrer, encodedSpecifier, type, promise);
  await undefined;
  const base = referrer?.url ?? referrer;
  let namespace;
  try {
    const { specifier, attributes } = decoded(encodedSpecifier, type);
    const find = () => {
      const refused = scripts.get(base);
      // A `vm` script with this name must not import, but a CommonJS file with this name may.
      if (refused !== undefined && require('internal/modules/cjs').Module._cache[base] === undefined) {
        throw new (require('internal/errors')[refused])();
      }
      return loader.resolveDynamic(base, specifier, attributes);
    };
    const begin = () => imported(loader, find, (url) => loader.load(url, attributes), attributes);
    const tracing = traced('module.import');
    if (tracing === undefined) {
      namespace = engine.namespace((await begin()).module);
    } else {
      const context = { __proto__: null, parentURL: loader.urlOfCode(base), url: specifier };
      namespace = await tracing.tracePromise(async () => engine.namespace((await begin()).module), context);
    }
    await undefined;
    await undefined;
  } catch (error) {
    await undefined;
    await undefined;
    engine.reject(promise, error);
    return;
  }
  engine.fulfil(promise, namespace);
}

module.exports = { all, imported, map, onDynamicImport, scripts };
