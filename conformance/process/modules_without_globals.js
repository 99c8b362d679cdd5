'use strict';
// What comes with the runtime works where a program has put other things, or nothing, in the place of its globals.
const names = [
  'AbortController', 'AbortSignal', 'Blob', 'Buffer', 'DOMException', 'Event', 'EventTarget', 'File', 'MessageChannel', 'MessagePort',
  'ReadableStream', 'TextDecoder', 'TextEncoder', 'TransformStream', 'URL', 'URLSearchParams', 'WritableStream', 'clearImmediate',
  'clearInterval', 'clearTimeout', 'performance', 'process', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout',
  'structuredClone',
];
const { console, process } = globalThis;
const real = { __proto__: null };
for (const name of names) real[name] = globalThis[name];
class Other {
  constructor() { throw new Error('another one'); }
}
for (const name of names) globalThis[name] = Other;
for (const name of ['Buffer', 'URL', 'performance']) delete globalThis[name];

const told = (name, ...values) => console.log(name, ...values);
const until = (emitter, event) => new Promise((resolve) => emitter.once(event, resolve));

const uses = {
  async fs() {
    const fs = require('fs');
    const folder = fs.mkdtempSync(`${require('os').tmpdir()}/globals-`);
    const file = `${folder}/a`;
    fs.writeFileSync(file, 'aé', 'latin1');
    told('read', fs.readFileSync(file), fs.readFileSync(file, 'latin1'), fs.readdirSync(real.Buffer.from(folder), 'buffer'));
    await fs.promises.appendFile(file, 'more');
    told('promised', await fs.promises.readFile(file, 'latin1'), await fs.promises.readlink(file).catch(({ code }) => code));
    const stream = fs.createReadStream(file, { encoding: 'latin1' });
    told('stream', await require('stream/consumers').text(stream));
    fs.cpSync(file, `${folder}/b`);
    fs.rmSync(folder, { recursive: true });
    try {
      fs.openSync(real.Buffer.from(file));
    } catch ({ code, path }) {
      told('error', code, path === file);
    }
  },

  async http() {
    const http = require('http');
    const server = http.createServer({ connectionsCheckingInterval: 5 }, (request, response) => {
      request.resume().on('end', () => {
        response.setHeader('a', '\xe9');
        response.write('one ');
        response.end(request.headers.authorization);
      });
    });
    server.listen(0, '127.0.0.1');
    await until(server, 'listening');
    const request = http.request({ port: server.address().port, host: '127.0.0.1', auth: 'a:b', method: 'POST' });
    request.end('body');
    const response = await until(request, 'response');
    told('http', response.headers.a, await require('stream/consumers').text(response));
    server.closeAllConnections();
    server.close();
    const sent = require('net').connect(await new Promise((resolve) => {
      const refusing = http.createServer().listen(0, '127.0.0.1', () => resolve(refusing.address().port));
      refusing.unref();
    }), '127.0.0.1');
    sent.setEncoding('latin1').end('GARBAGE\r\n\r\n');
    told('refused', (await until(sent, 'data')).split('\r\n')[0]);
  },

  async net() {
    const net = require('net');
    const server = net.createServer((socket) => socket.end(real.Buffer.from('hello'))).listen(0, '127.0.0.1');
    await until(server, 'listening');
    const socket = net.connect({ port: server.address().port, host: '127.0.0.1', timeout: 10_000 });
    socket.write('abc', 'hex');
    told('net', await require('stream/consumers').text(socket), net.SocketAddress.parse?.('127.0.0.1:80')?.port);
    server.close();
  },

  async dgram() {
    const socket = require('dgram').createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await until(socket, 'listening');
    socket.send(['a', real.Buffer.from('b')], socket.address().port, '127.0.0.1');
    told('dgram', await until(socket, 'message'));
    socket.close();
  },

  async child_process() {
    const { execFile, execFileSync, fork } = require('child_process');
    told('sync', execFileSync('cat', { input: 'text' }), execFileSync('echo', ['a'], { encoding: 'utf8' }));
    told('async', await new Promise((resolve) => execFile('echo', ['b'], (error, stdout) => resolve(stdout))));
    const child = fork(__filename, ['child'], { serialization: 'advanced' });
    child.send({ bytes: real.Buffer.from('bytes') });
    told('forked', await until(child, 'message'));
    child.disconnect();
    await until(child, 'exit');
  },

  async stream() {
    const { Readable, Writable, compose, pipeline, promises } = require('stream');
    told('operators', await Readable.from([1, 2, 3]).map(async (number) => number * 2).toArray());
    await promises.pipeline(Readable.from(['a']), async function*(source) { yield* source; }, new Writable({ write(a, b, done) { done(); } }));
    told('composed', await compose(async function*(source) { yield* source; }).end('x').toArray());
    told('web', (await Readable.fromWeb(new real.ReadableStream({ start(controller) { controller.enqueue('w'); controller.close(); } })).toArray()).length);
    const [one, two] = new real.ReadableStream({ start(controller) { controller.enqueue('t'); controller.close(); } }).tee();
    told('tee', (await one.getReader().read()).value, (await two.getReader().read()).value);
    const consumers = require('stream/consumers');
    told('consumers', await consumers.buffer(Readable.from(['b'])), (await consumers.blob(Readable.from(['c']))).size);
  },

  async zlib() {
    const zlib = require('zlib');
    told('zlib', zlib.gunzipSync(zlib.gzipSync('text')), await new Promise((resolve) => zlib.deflate(new ArrayBuffer(2), (error, out) => resolve(out.length))));
  },

  async crypto() {
    const crypto = require('crypto');
    told('crypto', crypto.createHash('sha1').update('a').digest('hex'), crypto.randomBytes(4).length, crypto.createHash('md5').update('b').digest().length);
    const cipher = crypto.createCipheriv('aes-128-cbc', real.Buffer.alloc(16), real.Buffer.alloc(16));
    told('cipher', real.Buffer.concat([cipher.update('text'), cipher.final()]).toString('hex'));
    told('derived', crypto.pbkdf2Sync('a', 'b', 1, 4, 'sha1'), await new Promise((resolve) => crypto.scrypt('a', 'b', 4, (error, key) => resolve(key))));
  },

  async events() {
    const { addAbortListener, once, EventEmitter } = require('events');
    await new Promise((resolve) => addAbortListener(real.AbortSignal.abort(), resolve));
    const emitter = new EventEmitter();
    const waiting = once(emitter, 'a', { signal: new real.AbortController().signal });
    emitter.emit('a', 1);
    told('events', await waiting);
  },

  async timers() {
    const { setImmediate, setTimeout } = require('timers/promises');
    told('timers', await setTimeout(1, 'a'), await setImmediate('b'));
  },

  async readline() {
    const { Readable } = require('stream');
    const lines = [];
    for await (const line of require('readline').createInterface({ input: Readable.from(['a\nb']) })) lines.push(line);
    told('readline', lines);
  },

  async dns() {
    const dns = require('dns');
    told('dns', await dns.promises.lookup('127.0.0.1'), dns.getServers().length > 0);
  },

  async util() {
    const util = require('util');
    told('util', new real.URL('http://a/b'), util.isDeepStrictEqual(new real.URL('http://a/'), new real.URL('http://b/')));
    told('cloned', require('v8').deserialize(require('v8').serialize(real.Buffer.from('a'))));
    try {
      require('buffer').atob('é');
    } catch ({ name }) {
      told('atob', name);
    }
    told('mark', require('perf_hooks').performance.mark('a', { detail: { b: 1 } }).detail);
  },
};

if (process.argv[2] === 'child') {
  process.once('message', ({ bytes }) => process.send({ bytes, is: real.Buffer.isBuffer(bytes) }));
} else {
  (async () => {
    for (const name of Object.keys(uses)) {
      try {
        await uses[name]();
      } catch (error) {
        told(name, 'failed', error);
      }
    }
  })();
}
