'use strict';
// Builtins of the language that a program deletes, or replaces by functions that throw: Node's own modules captured the originals
// (`lib/internal/per_context/primordials.js`), so they work on. Each name is tried in a process of its own, which uses many modules
// and itself calls no method of the language. The list holds builtins that Node works without.
const child_process = require('child_process');
const fs = require('fs');

const names = [
  'Array.from', 'Array.isArray', 'ArrayBuffer.isView', 'Date.now', 'JSON.parse', 'JSON.stringify', 'Math.floor', 'Math.max',
  'Math.min', 'Math.trunc', 'Number.isFinite', 'Number.isInteger', 'Number.isNaN', 'Object.assign', 'Object.create',
  'Object.defineProperty', 'Object.entries', 'Object.getPrototypeOf', 'Object.hasOwn', 'Object.keys', 'Promise.reject',
  'Promise.resolve', 'Reflect.apply', 'Reflect.ownKeys', 'String.fromCharCode', 'Symbol.for', 'Array.prototype.every',
  'Array.prototype.filter', 'Array.prototype.find', 'Array.prototype.flatMap', 'Array.prototype.some',
  'Array.prototype.concat', 'Array.prototype.fill', 'FinalizationRegistry.prototype.register', 'Map.prototype.delete',
  'Map.prototype.get', 'String.prototype.endsWith', 'String.prototype.lastIndexOf', 'String.prototype.toWellFormed',
  'Map.prototype.has', 'Object.prototype.hasOwnProperty',
  'Promise.prototype.finally', 'Set.prototype.delete', 'Set.prototype.has', 'WeakMap.prototype.get', 'WeakMap.prototype.set',
  'WeakSet.prototype.add', 'WeakSet.prototype.has',
];
const [, , path, mode] = process.argv;
if (path) tryWithout(path, mode);
else runAll();

function runAll() {
  const waiting = [];
  // Alternate, to keep the script short.
  for (let at = 0; at < names.length; at++) waiting.push({ path: names[at], mode: at % 2 ? 'delete' : 'throw' });
  const results = [];
  let printed = 0;
  const next = (at) => {
    if (at >= waiting.length) return;
    const { path, mode } = waiting[at];
    child_process.execFile(process.execPath, [__filename, path, mode], { timeout: 60_000 }, (error, stdout, stderr) => {
      const left = steps().filter((name) => !stdout.includes(`<${name}>`));
      results[at] = `${path} ${mode}: ${left.length === 0 && !error ? 'ok' : `breaks ${left.join(' ')}`}`;
      if (process.env.VERBOSE && error) results[at] += `\n${stderr}`;
      for (; results[printed] !== undefined; printed++) console.log(results[printed]);
      next(started++);
    });
  };
  let started = 2;
  next(0);
  next(1);
}

function steps() {
  return ['require', 'json', 'fs', 'sync', 'promises', 'http', 'net', 'pipeline', 'events', 'inspect', 'timers', 'url', 'worker',
    'child', 'tick', 'errors', 'buffer', 'abort', 'exit'];
}

// `path` is `Array.isArray` or `Array.prototype.map`, or has `@iterator` and the like for a symbol.
function tryWithout(path, mode) {
  const parts = path.split('.');
  let object = globalThis;
  for (const part of parts.slice(0, -1)) {
    if (part === 'TypedArray') object = Object.getPrototypeOf(Uint8Array);
    else if (part === 'ArrayIterator') object = Object.getPrototypeOf([].values());
    else if (part === 'StringIterator') object = Object.getPrototypeOf(''[Symbol.iterator]());
    else if (part === 'MapIterator') object = Object.getPrototypeOf(new Map().values());
    else if (part === 'SetIterator') object = Object.getPrototypeOf(new Set().values());
    else object = object[part];
  }
  let key = parts.at(-1);
  if (key[0] === '@') key = Symbol[key.slice(1)];
  const descriptor = Object.getOwnPropertyDescriptor(object, key);
  if (!descriptor) fs.writeSync(1, 'no such builtin');
  const folder = fs.mkdtempSync(require('os').tmpdir() + '/deleted-');
  fs.writeFileSync(`${folder}/module.js`, 'exports.a = require("./data.json").b; exports.name = __filename;');
  fs.writeFileSync(`${folder}/data.json`, '{ "b": [1, 2, { "c": "d" }] }');
  process.on('exit', () => {
    fs.unlinkSync(`${folder}/module.js`);
    fs.unlinkSync(`${folder}/data.json`);
    fs.rmdirSync(folder);
    fs.writeSync(1, '<exit>');
  });
  const done = (name) => fs.writeSync(1, `<${name}>`);
  const check = (is) => {
    if (!is) throw new Error('not as expected');
  };
  const tries = { __proto__: null };

  tries.require = () => {
    check(require(`${folder}/module.js`).a[0] === 1);
    require('readline');
    require('zlib');
    require('dns');
    require('querystring');
    require('crypto');
    done('require');
  };
  tries.json = () => {
    try {
      require('./no/such/module');
    } catch (error) {
      check(error.code === 'MODULE_NOT_FOUND');
      done('json');
    }
  };
  tries.sync = () => {
    check(fs.readFileSync(`${folder}/module.js`, 'utf8').length > 20);
    check(fs.statSync(folder).isDirectory());
    check(fs.existsSync(folder));
    check(fs.readdirSync(folder).length >= 2);
    fs.mkdirSync(`${folder}/a/b`, { recursive: true });
    fs.rmdirSync(`${folder}/a/b`);
    fs.rmdirSync(`${folder}/a`);
    fs.writeFileSync(`${folder}/sync`, 'text');
    fs.appendFileSync(`${folder}/sync`, 'more');
    fs.unlinkSync(`${folder}/sync`);
    done('sync');
  };
  tries.fs = () => {
    fs.writeFile(`${folder}/callback`, 'text', (error) => {
      check(!error);
      fs.readFile(`${folder}/callback`, 'utf8', (error, text) => {
        check(!error && text === 'text');
        fs.stat(`${folder}/none`, (error) => {
          check(error.code === 'ENOENT');
          fs.unlink(`${folder}/callback`, () => done('fs'));
        });
      });
    });
  };
  tries.promises = async () => {
    await fs.promises.writeFile(`${folder}/promise`, 'text');
    check(await fs.promises.readFile(`${folder}/promise`, 'utf8') === 'text');
    const handle = await fs.promises.open(`${folder}/promise`);
    await handle.stat();
    await handle.close();
    await fs.promises.unlink(`${folder}/promise`);
    done('promises');
  };
  tries.http = () => {
    const http = require('http');
    const server = http.createServer((request, response) => {
      request.on('data', () => {});
      request.on('end', () => {
        response.setHeader('X-Header', ['a', 'b']);
        response.writeHead(201, { 'Content-Type': 'text/plain' });
        response.write('part');
        response.end(request.url);
      });
    });
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      const request = http.request({ port, host: '127.0.0.1', method: 'POST', path: '/a?b=c', headers: { 'X-Own': 'x' } });
      request.on('response', (response) => {
        check(response.statusCode === 201 && response.headers['x-header'] === 'a, b');
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (data) => { text += data; });
        response.on('end', () => {
          check(text === 'part/a?b=c');
          server.close(() => done('http'));
        });
      });
      request.write('body');
      request.end();
    });
  };
  tries.net = () => {
    const net = require('net');
    const server = net.createServer((socket) => {
      socket.write('hello ');
      socket.end(Buffer.from('world'));
      socket.resume();
    });
    server.listen(0, '127.0.0.1', () => {
      const socket = net.connect(server.address().port, '127.0.0.1');
      let text = '';
      socket.on('data', (data) => { text += data; });
      socket.on('close', () => {
        check(text === 'hello world');
        server.close(() => done('net'));
      });
    });
  };
  tries.pipeline = () => {
    const { pipeline, Transform, PassThrough } = require('stream');
    const upper = new Transform({ transform(chunk, encoding, callback) { callback(null, chunk); } });
    const last = new PassThrough();
    last.resume();
    pipeline(fs.createReadStream(`${folder}/module.js`), upper, last, (error) => {
      check(!error);
      done('pipeline');
    });
  };
  tries.events = () => {
    const EventEmitter = require('events');
    const emitter = new EventEmitter();
    let calls = 0;
    const listener = () => { calls++; };
    emitter.on('a', listener);
    emitter.once('a', () => { calls++; });
    emitter.prependListener('a', () => { calls++; });
    emitter.emit('a', 1);
    emitter.off('a', listener);
    emitter.emit('a', 2);
    check(calls === 4 && emitter.listenerCount('a') === 1 && emitter.eventNames().length === 1);
    emitter.removeAllListeners();
    const target = new EventTarget();
    target.addEventListener('b', () => done('events'));
    target.dispatchEvent(new Event('b'));
  };
  tries.inspect = () => {
    const util = require('util');
    const value = { a: [1, 'two', { b: null }], c: new Date(0), d: /x/g, e() {}, f: Symbol('s'), g: 1n, h: new Uint8Array(2),
      i: new Error('shown'), j: class A {}, k: new Map([[1, 2]]), l: new Set([3]), long: { text: 'it\'s\n a text' } };
    check(util.inspect(value).length > 100);
    check(util.format('%s %d %j %o', 'a', 1, { b: 2 }, [3]).length > 10);
    check(util.isDeepStrictEqual({ a: [1, { b: 'c' }] }, { a: [1, { b: 'c' }] }));
    console.error('%s', { a: 1 });
    done('inspect');
  };
  tries.timers = () => {
    let calls = 0;
    const timer = setInterval(() => {
      if (++calls < 2) return;
      clearInterval(timer);
      setImmediate(async () => {
        await require('timers/promises').setTimeout(1);
        await require('util').promisify(setTimeout)(1);
        done('timers');
      });
    }, 1);
    clearTimeout(setTimeout(() => {}, 10));
  };
  tries.url = () => {
    const url = new URL('../c?d=e&f=g#h', 'http://user:pass@example.com:81/a/b');
    check(url.href === 'http://user:pass@example.com:81/c?d=e&f=g#h');
    check(url.searchParams.get('f') === 'g');
    url.searchParams.append('i', 'j k');
    check(url.search === '?d=e&f=g&i=j+k');
    check(require('url').parse('http://a.b/c?d=e').pathname === '/c');
    check(require('url').fileURLToPath('file:///a/b') === '/a/b');
    check(require('path').relative('/a/b', '/a/c') === '../c');
    check(require('querystring').parse('a=b').a === 'b');
    done('url');
  };
  tries.worker = () => {
    const { Worker } = require('worker_threads');
    const worker = new Worker('require("worker_threads").parentPort.postMessage({ a: [1] })', { eval: true });
    worker.on('message', (message) => check(message.a[0] === 1));
    worker.on('exit', (code) => {
      check(code === 0);
      done('worker');
    });
  };
  tries.child = () => {
    check(child_process.spawnSync('/bin/echo', ['a']).stdout.length === 2);
    const child = child_process.spawn('/bin/cat', { env: { A: 'b' } });
    let text = '';
    child.stdout.on('data', (data) => { text += data; });
    child.on('close', (code) => {
      check(code === 0 && text === 'input');
      child_process.exec('exit 3', (error) => {
        check(error.code === 3);
        done('child');
      });
    });
    child.stdin.end('input');
  };
  tries.tick = () => {
    process.nextTick((a) => {
      check(a === 1);
      queueMicrotask(() => done('tick'));
    }, 1);
  };
  tries.errors = () => {
    try {
      fs.readFileSync({});
    } catch (error) {
      check(error.code === 'ERR_INVALID_ARG_TYPE');
    }
    try {
      Buffer.alloc('x');
    } catch (error) {
      check(error.code === 'ERR_INVALID_ARG_TYPE');
    }
    try {
      fs.openSync(`${folder}/none/none`, 'r');
    } catch (error) {
      check(error.code === 'ENOENT');
      done('errors');
    }
  };
  tries.buffer = () => {
    const buffer = Buffer.concat([Buffer.from('abc'), Buffer.from([1, 2]), Buffer.alloc(3, 'x')]);
    check(buffer.toString('hex') === '6162630102787878' && buffer.indexOf('b') === 1);
    check(new TextDecoder().decode(new TextEncoder().encode('é')) === 'é');
    check(structuredClone({ a: [1] }).a[0] === 1);
    done('buffer');
  };
  tries.abort = () => {
    const controller = new AbortController();
    controller.signal.addEventListener('abort', () => done('abort'));
    controller.abort();
    check(controller.signal.aborted);
  };

  // A step that breaks does not stop the others, but what it leaves behind may keep the process alive: a timer ends it.
  const report = (error) => {
    if (process.env.VERBOSE) fs.writeSync(2, `${error.stack}\n`);
    if (!isEnding) setTimeout(end, 1500);
    isEnding = true;
  };
  let isEnding = false;
  const end = () => {
    fs.rmSync(folder, { recursive: true, force: true });
    process.reallyExit(1);
  };
  setTimeout(end, 15_000).unref();
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
  const thrower = () => { throw new TypeError('called'); };
  const { defineProperty } = Object;
  let change = { ...descriptor, value: thrower };
  if (descriptor.get) change = { ...descriptor, get: thrower };
  if (mode === 'delete') delete object[key];
  else defineProperty(object, key, change);
  for (const name in tries) {
    try {
      tries[name]();
    } catch (error) {
      report(error);
    }
  }
}
