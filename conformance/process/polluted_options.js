// Which names are read from `Object.prototype` by calls that get no options, or options that lack them: a polluted prototype must
// not change more than it does in Node.
const cp = require('child_process');
const crypto = require('crypto');
const events = require('events');
const fs = require('fs');
const http = require('http');
const timers = require('timers/promises');
const url = require('url');

const names = [
  'IncomingMessage', 'ServerResponse', 'auth', 'bigint', 'cancel', 'fd', 'handle', 'hash', 'headersTimeout', 'highWaterMark',
  'insecureHTTPParser', 'joinDuplicateHeaders', 'keepAliveTimeout', 'maxHeaderSize', 'path', 'read', 'recursive', 'ref',
  'requestTimeout', 'requireHostHeader', 'salt', 'signal', 'start', 'throwIfNoEntry', 'uniqueHeaders', 'withFileTypes',
];
let seen = new Set();
function pollute() {
  for (const name of names) {
    Object.defineProperty(Object.prototype, name, {
      __proto__: null,
      configurable: true,
      get() {
        seen.add(name);
        return undefined;
      },
      set(value) { Object.defineProperty(this, name, { __proto__: null, value, writable: true, configurable: true, enumerable: true }); },
    });
  }
}

// Each call is made twice: the first may load modules.
function probe(label, call) {
  pollute();
  for (let at = 0; at < 2; at++) {
    seen = new Set();
    call();
  }
  const read = [...seen].sort();
  for (const name of names) delete Object.prototype[name];
  console.log(`${label}: ${read.join(' ')}`);
}

const cases = {
  'http.createServer()': () => http.createServer(),
  'http.createServer(listener)': () => http.createServer(() => {}),
  'spawnSync': () => cp.spawnSync('true'),
  'spawn': () => cp.spawn('true', { stdio: 'ignore' }),
  'statSync': () => fs.statSync(__filename),
  'lstatSync': () => fs.lstatSync(__filename),
  'readdirSync': () => fs.readdirSync(__dirname),
  'realpathSync': () => fs.realpathSync(__filename),
  'writeFileSync': () => fs.writeFileSync('/dev/null', 'text'),
  'writeFileSync(…, {})': () => fs.writeFileSync('/dev/null', 'text', {}),
  'url.format(URL)': () => url.format(new URL('http://a/b')),
  'url.format(object)': () => url.format({ protocol: 'http', host: 'a' }),
  'generateKeyPairSync(ed25519)': () => crypto.generateKeyPairSync('ed25519'),
  'generateKeyPairSync(ec)': () => crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'new Blob': () => new Blob(['a', new Blob(['b'])]),
  'blob.text': () => { new Blob(['a']).text(); },
  'blob.stream': () => { new Blob(['a']).stream(); },
  'timers.setImmediate': () => timers.setImmediate(),
  'events.on': () => events.on(new events.EventEmitter(), 'x'),
};
const [, , only] = process.argv;
if (only) probe(only, cases[only]);
else for (const name of Object.keys(cases)) process.stdout.write(cp.execFileSync(process.execPath, [__filename, name]));
