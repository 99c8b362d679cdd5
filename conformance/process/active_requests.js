// process.getActiveResourcesInfo() lists a request until the ticks and microtasks of its callback have run, and a handle until
// its close callback.
const fs = require('fs');
const dns = require('dns');
const net = require('net');
const os = require('os');
const path = require('path');
const { spawn } = require('child_process');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'active-'));
const file = path.join(folder, 'file');
fs.writeFileSync(file, 'x');

// Without the standard streams, and without what the script itself waits for.
const ignored = ['TTYWrap', 'PipeWrap', 'Immediate', 'Timeout'];
const list = () => process.getActiveResourcesInfo().filter((name) => !ignored.includes(name)).join() || '-';

const cases = {
  'stat': (done) => fs.stat(file, done),
  'stat that fails': (done) => fs.stat(path.join(folder, 'none'), done),
  'open': (done) => fs.open(file, (error, fd) => { fs.closeSync(fd); done(); }),
  'read': (done) => {
    const fd = fs.openSync(file);
    fs.read(fd, Buffer.alloc(4), 0, 4, 0, () => { fs.closeSync(fd); done(); });
  },
  'writev': (done) => {
    const fd = fs.openSync(file, 'w');
    fs.writev(fd, [Buffer.alloc(4)], () => { fs.closeSync(fd); done(); });
  },
  'readFile': (done) => fs.readFile(file, done),
  'readFile that fails': (done) => fs.readFile(path.join(folder, 'none'), done),
  'writeFile': (done) => fs.writeFile(file, 'x', done),
  'access': (done) => fs.access(file, done),
  'exists': (done) => fs.exists(file, done),
  'mkdtemp': (done) => fs.mkdtemp(path.join(folder, 'd'), done),
  'readdir': (done) => fs.readdir(folder, done),
  'opendir': (done) => fs.opendir(folder, (error, dir) => { dir.closeSync(); done(); }),
  'realpath': (done) => fs.realpath(folder, done),
  'two stats': (done) => { fs.stat(file, () => {}); fs.stat(file, () => setImmediate(done)); },
  'promises.stat': (done) => fs.promises.stat(file).then(done),
  'promises.stat that fails': (done) => fs.promises.stat(path.join(folder, 'none')).catch(done),
  'promises.mkdir': (done) => fs.promises.mkdir(path.join(folder, 'a/b'), { recursive: true }).then(done),
  'promises.readFile': (done) => fs.promises.readFile(file).then(done),
  'FileHandle.read and close': async (done) => {
    const handle = await fs.promises.open(file);
    await handle.read(Buffer.alloc(3), 0, 3, 0);
    done();
    await handle.close();
  },
  'lookup': (done) => dns.lookup('localhost', done),
  'promises.lookup': (done) => dns.promises.lookup('localhost').then(done),
  'lookupService': (done) => dns.lookupService('127.0.0.1', 80, done),
  'connection refused': (done) => net.connect(1, '127.0.0.1').on('error', done),
  'no such socket': (done) => net.connect(path.join(folder, 'none')).on('error', done),
  'write': (done) => connected((client, server) => client.write(Buffer.alloc(20e6), () => {
    done();
    client.destroy();
    server.close();
  })),
  'end': (done) => connected((client, server) => client.end(() => {
    done();
    client.destroy();
    server.close();
  })),
  'exit': (done) => spawn('true', { stdio: 'ignore' }).on('exit', done),
};

function connected(callback) {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {}).on('end', () => socket.end()).resume();
  });
  server.listen(0, '127.0.0.1', () => {
    const client = net.connect(server.address().port, '127.0.0.1', () => callback(client, server));
  });
}

const steps = Object.entries(cases);
(function next() {
  if (steps.length === 0) {
    fs.rmSync(folder, { recursive: true });
    return;
  }
  const [name, start] = steps.shift();
  start(() => {
    const seen = [`callback ${list()}`];
    process.nextTick(() => seen.push(`tick ${list()}`));
    Promise.resolve().then(() => seen.push(`microtask ${list()}`));
    setImmediate(() => {
      console.log(`${name}: ${seen.join(', ')}, immediate ${list()}`);
      setTimeout(function wait() {
        if (list() === '-') next();
        else setTimeout(wait, 5);
      }, 5);
    });
  });
})();
