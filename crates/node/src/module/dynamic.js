'use strict';
// `import()`: when a module's body runs, and when who imported it goes on. Node's loader waits at set places, whether there is
// something to wait for or not; here as many microtasks go by, so that what else is queued comes as early and as late.
//
// A graph is loaded as a whole when its root is. What is below is walked again by its jobs, one for each record.

const { traced } = require('internal/channels');
const engine = require('internal/modules/engine');

// Kept, as scripts may replace them.
const { then } = Promise.prototype;
const { apply } = Reflect;
const Pending = Promise;

let esm;
const jobs = new Map();
// The scripts of `vm` that may not import: their names, and the code of the error that says so.
const scripts = new Map();

const done = new Pending((fulfil) => fulfil());

// When all of these are fulfilled, or one is rejected.
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

// What an edge of the graph leads to, or the error that was kept on it.
async function jobAt({ url, error }) {
  if (url === undefined) throw error.value;
  await undefined;
  if (error !== undefined) throw error.value;
  return jobOf(esm.records.get(url));
}

// The jobs right below one.
async function link({ record }) {
  await done;
  const below = [];
  await all(map(record.edges, async (edge, i) => {
    const job = await jobAt(edge);
    below[i] = job;
    return done;
  }));
  return below;
}

async function walk(job, seen) {
  if (seen.has(job)) return undefined;
  seen.add(job);
  const below = await job.linked;
  return all(map(below, (one) => walk(one, seen)));
}

// When all of a graph is there.
async function prepare(job) {
  const seen = new Set();
  await walk(job, seen);
  seen.forEach((one) => { one.ready = done; });
}

// As Node: who comes later is told at once, who came first only when it is clear what kind of module it is that lacks a name.
async function refuse(job, error) {
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
    return refuse(job, error);
  }
  // As Node: the error of a body that is no text is thrown at once.
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

// As `jobFor`, where hooks of another thread are asked first: `place` is a promise of { url, format, importAttributes }.
async function jobAhead(place, load, asked, given) {
  const found = await place;
  await esm.foresee(found, asked, given);
  return jobOf(load(found.url));
}

// The record of the URL that `find` gives, when it has run. To be called in a microtask. `asked` are attributes, `given` a text that is
// known.
async function imported(loader, find, load, asked, given) {
  esm = loader;
  const found = find();
  const job = await (typeof found === 'string' ? jobFor(found, load) : jobAhead(found, load, asked, given));
  await run(job);
  return job.record;
}

async function onDynamicImport(loader, within, specifier, attributes, fulfil, reject) {
  // What `eval` and its like compile imports as the file does that has it compiled.
  const base = engine.origin(within) ?? within;
  let namespace;
  try {
    const find = () => {
      const refused = scripts.get(base);
      // A file of that name may.
      if (refused !== undefined && require('internal/modules/cjs').Module._cache[base] === undefined) {
        throw new (require('internal/errors')[refused])();
      }
      return loader.resolveDynamic(base, specifier, attributes);
    };
    const begin = () => imported(loader, find, (url) => loader.load(url, attributes), attributes);
    const tracing = traced('module.import');
    if (tracing === undefined) {
      namespace = engine.namespace((await begin()).url);
    } else {
      const context = { __proto__: null, parentURL: loader.urlOfCode(base), url: specifier };
      namespace = await tracing.tracePromise(async () => engine.namespace((await begin()).url), context);
    }
    await undefined;
    await undefined;
  } catch (error) {
    await undefined;
    await undefined;
    reject(error);
    return;
  }
  fulfil(namespace);
}

module.exports = { all, imported, map, onDynamicImport, scripts };
