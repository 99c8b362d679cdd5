// The functions of WASI, called from JavaScript with a memory of its own.
const fs = require('fs');
const os = require('os');
const path = require('path');
const { WASI } = require('wasi');
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'wasi-'));
process.on('exit', () => fs.rmSync(root, { recursive: true }));
fs.mkdirSync(path.join(root, 'box/sub'), { recursive: true });
fs.writeFileSync(path.join(root, 'secret.txt'), 'secret');
fs.writeFileSync(path.join(root, 'box/a.txt'), 'the text of a');
fs.symlinkSync('a.txt', path.join(root, 'box/link'));
fs.symlinkSync('../a.txt', path.join(root, 'box/sub/up'));
fs.symlinkSync('../secret.txt', path.join(root, 'box/out'));
fs.symlinkSync('loop', path.join(root, 'box/loop'));

const memory = new WebAssembly.Memory({ initial: 1 });
const wasi = new WASI({
  version: 'preview1', args: ['one', 2, 'thrée'], env: { A: 1, B: undefined, C: 'cé' }, preopens: { '/box': path.join(root, 'box'), '.': path.join(root, 'box/sub') },
});
const call = wasi.wasiImport;
wasi.initialize({ exports: { memory } });
const view = () => new DataView(memory.buffer);
const bytes = (at, length) => Buffer.from(memory.buffer, at, length);
const u32 = (at) => view().getUint32(at, true);
const u64 = (at) => view().getBigUint64(at, true);
// Puts a text at an address and returns its length.
const put = (at, text) => bytes(at, 1000).write(text);
const PATH = 1000;
const OTHER = 2500;
const OUT = 4000;
const DATA = 8000;
const on = (name, fd, text, ...more) => call[name](fd, PATH, put(PATH, text), ...more);
const iovs = (...pieces) => {
  pieces.forEach(([at, length], i) => {
    view().setUint32(500 + i * 8, at, true);
    view().setUint32(504 + i * 8, length, true);
  });
  return [500, pieces.length];
};

console.log('args', call.args_sizes_get(OUT, OUT + 4), u32(OUT), u32(OUT + 4), call.args_get(OUT, DATA), u32(OUT), u32(OUT + 4), u32(OUT + 8), JSON.stringify(bytes(DATA, 13).toString()));
console.log('env', call.environ_sizes_get(OUT, OUT + 4), u32(OUT), u32(OUT + 4), call.environ_get(OUT, DATA), u32(OUT), u32(OUT + 4), JSON.stringify(bytes(DATA, 10).toString()));
console.log('wrong', call.args_get(0), call.args_get('a', 0), call.args_get(0, 0, 0), call.args_get(0, 65534), call.args_get(65534, 0), call.args_get(0.5, 0), call.clock_time_get(0, 1, 0));
for (const clock of [0, 1, 2, 3, 4]) {
  console.log('clock', clock, call.clock_res_get(clock, OUT), u64(OUT) > 0n, call.clock_time_get(clock, 1n, OUT), u64(OUT) > 0n);
}
call.clock_time_get(0, 1n, OUT);
console.log(Math.abs(Number(u64(OUT) / 1000000n) - Date.now()) < 1000);
for (const fd of [0, 2, 3, 4, 5]) {
  console.log('prestat', fd, call.fd_prestat_get(fd, OUT), call.fd_prestat_dir_name(fd, DATA, 20));
}
console.log(call.fd_prestat_get(3, OUT), view().getUint8(OUT), u32(OUT + 4), call.fd_prestat_dir_name(3, DATA, 4), bytes(DATA, 4).toString(), call.fd_prestat_dir_name(3, DATA, 3), call.fd_prestat_get(3, 65530));
const fdstat = (fd) => {
  const error = call.fd_fdstat_get(fd, OUT);
  return error === 0 ? [view().getUint8(OUT), u64(OUT + 8).toString(16), u64(OUT + 16).toString(16)] : error;
};
console.log('fdstat', fdstat(3), fdstat(9));
const filestat = (error) => (error === 0 ? [view().getUint8(OUT + 16), u64(OUT + 24), u64(OUT + 32)] : error);
for (const [flags, name] of [[0, 'a.txt'], [0, 'link'], [1, 'link'], [1, 'sub/up'], [1, 'out'], [0, 'out'], [1, 'loop'], [0, '../secret.txt'], [0, 'sub/../a.txt'],
  [0, '/box/a.txt'], [0, 'none'], [0, ''], [0, '.'], [0, './sub/'], [0, 'a.txt/'], [0, 'a\0b'], [0, 'sub/../../box/a.txt']]) {
  console.log('stat', flags, JSON.stringify(name), filestat(call.path_filestat_get(3, flags, PATH, put(PATH, name), OUT)), filestat(call.path_filestat_get(4, flags, PATH, put(PATH, name), OUT)));
}
const READ = 2n;
const SEEK = 4n;
const TELL = 32n;
const WRITE = 64n;
const open = (fd, name, oflags = 0, base = READ | SEEK | TELL, fdflags = 0, dirflags = 0, inheriting = 0n) => {
  const error = call.path_open(fd, dirflags, PATH, put(PATH, name), oflags, base, inheriting, fdflags, OUT);
  return error === 0 ? { fd: u32(OUT) } : error;
};
for (const [name, ...rest] of [['none'], ['../secret.txt'], ['out', 0, READ, 0, 1], ['out', 0, READ], ['a.txt', 2], ['a.txt', 5], ['a.txt/'], ['loop', 0, READ, 0, 1], ['sub', 0, WRITE]]) {
  console.log('open', name, ...rest, open(3, name, ...rest));
}
const a = open(3, 'a.txt').fd;
console.log('opened', a, fdstat(a), call.fd_read(a, ...iovs([DATA, 3], [DATA + 100, 5]), OUT), u32(OUT), bytes(DATA, 3).toString(), bytes(DATA + 100, 5).toString());
console.log(call.fd_tell(a, OUT), u64(OUT), call.fd_seek(a, -3n, 2, OUT), u64(OUT), call.fd_read(a, ...iovs([DATA, 10]), OUT), u32(OUT), bytes(DATA, 3).toString(), call.fd_read(a, ...iovs([DATA, 10]), OUT), u32(OUT));
console.log(call.fd_pread(a, ...iovs([DATA, 4]), 4n, OUT), u32(OUT), bytes(DATA, 4).toString(), call.fd_tell(a, OUT), u64(OUT), call.fd_pread(a, ...iovs([DATA, 4]), 1n << 63n, OUT));
console.log('bad', call.fd_seek(a, -100n, 0, OUT), call.fd_seek(a, 0n, 7, OUT), call.fd_write(a, ...iovs([DATA, 1]), OUT), call.fd_read(a, 500, 0, OUT), u32(OUT), call.fd_read(a, 65535, 1, OUT), call.fd_read(a, ...iovs([65000, 5000]), OUT), call.fd_read(99, ...iovs([0, 1]), OUT));
console.log('rights', call.fd_fdstat_set_rights(a, READ, 0n), fdstat(a), call.fd_fdstat_set_rights(a, READ | SEEK, 0n), call.fd_seek(a, 0n, 0, OUT), call.fd_filestat_get(a, OUT));
console.log('close', call.fd_close(a), call.fd_close(a), call.fd_read(a, ...iovs([DATA, 1]), OUT));
const w = open(3, 'new.txt', 1 | 8, READ | WRITE | SEEK | TELL | (1n << 21n) | (1n << 22n) | (1n << 23n) | 1n | 16n | 256n | 128n).fd;
put(DATA, 'hello wasi');
console.log('write', call.fd_write(w, ...iovs([DATA, 5], [DATA + 5, 5]), OUT), u32(OUT), call.fd_pwrite(w, ...iovs([DATA, 2]), 8n, OUT), fs.readFileSync(path.join(root, 'box/new.txt'), 'utf8'));
console.log(call.fd_filestat_set_size(w, 4n), filestat(call.fd_filestat_get(w, OUT)), call.fd_allocate(w, 0n, 20n), filestat(call.fd_filestat_get(w, OUT)), call.fd_datasync(w), call.fd_sync(w), call.fd_advise(w, 0n, 0n, 1), call.fd_advise(w, 0n, 0n, 9));
console.log(call.fd_filestat_set_times(w, 5000000000n, 7000000000n, 5), call.fd_filestat_get(w, OUT), u64(OUT + 40), u64(OUT + 48), call.fd_filestat_set_times(w, 0n, 0n, 3));
console.log('renumber', call.fd_renumber(w, 20), call.fd_renumber(w, w), call.fd_close(w));
const appended = open(3, 'new.txt', 0, WRITE, 1).fd;
console.log('append', call.fd_write(appended, ...iovs([DATA, 5]), OUT), fs.readFileSync(path.join(root, 'box/new.txt')).subarray(20).toString(), call.fd_close(appended));
console.log('folders', on('path_create_directory', 3, 'made'), on('path_create_directory', 3, 'made'), on('path_create_directory', 3, '../out'), on('path_remove_directory', 3, 'a.txt'), on('path_remove_directory', 3, 'made'), on('path_unlink_file', 3, 'sub'), on('path_unlink_file', 3, 'none'));
const two = (name, fd, from, to, target, ...flags) => call[name](fd, ...flags, PATH, put(PATH, from), to, OTHER, put(OTHER, target));
console.log('links', two('path_link', 3, 'a.txt', 3, 'hard', 0), two('path_link', 3, 'a.txt', 4, 'hard', 0), two('path_link', 3, 'none', 3, 'x', 0), two('path_rename', 3, 'hard', 4, 'moved'), two('path_rename', 3, 'hard', 3, '../x'));
console.log(call.path_symlink(PATH, put(PATH, 'a.txt'), 3, OTHER, put(OTHER, 'soft')), call.path_symlink(PATH, put(PATH, '/etc'), 3, OTHER, put(OTHER, 'soft2')), call.path_symlink(PATH, put(PATH, '../x'), 3, OTHER, put(OTHER, 'soft3')));
console.log(call.path_readlink(3, PATH, put(PATH, 'soft'), DATA, 20, OUT), u32(OUT), bytes(DATA, 5).toString(), call.path_readlink(3, PATH, put(PATH, 'soft'), DATA, 5, OUT), call.path_readlink(3, PATH, put(PATH, 'a.txt'), DATA, 50, OUT));
console.log(call.path_filestat_set_times(3, 0, PATH, put(PATH, 'a.txt'), 9000000000n, 0n, 1), filestat(call.path_filestat_get(3, 0, PATH, put(PATH, 'a.txt'), OUT)), u64(OUT + 40));
const entries = (fd, size, cookie) => {
  const error = call.fd_readdir(fd, DATA, size, cookie, OUT);
  if (error !== 0) return error;
  const found = [];
  for (let at = DATA, end = DATA + u32(OUT); at + 24 <= end;) {
    const length = u32(at + 16);
    found.push([bytes(at + 24, Math.min(length, end - at - 24)).toString(), view().getUint8(at + 20)]);
    at += 24 + length;
  }
  return [u32(OUT), found.sort()];
};
console.log('readdir', entries(3, 4000, 0n), entries(3, 60, 0n)[0], entries(4, 4000, 100n), entries(1, 4000, 0n));
console.log('random', call.random_get(DATA, 16), bytes(DATA, 16).some((byte) => byte !== 0), call.random_get(65530, 16), call.sched_yield());
const subscribe = (i, user, type, set) => {
  bytes(DATA + i * 48, 48).fill(0);
  view().setBigUint64(DATA + i * 48, user, true);
  view().setUint8(DATA + i * 48 + 8, type);
  set(DATA + i * 48 + 16);
};
subscribe(0, 77n, 0, (at) => view().setBigUint64(at + 8, 5000000n, true));
const began = Date.now();
console.log('poll', call.poll_oneoff(DATA, OUT, 1, 300), u32(300), u64(OUT), view().getUint16(OUT + 8, true), view().getUint8(OUT + 10), Date.now() - began >= 4);
subscribe(0, 78n, 1, (at) => view().setUint32(at, 99, true));
console.log(call.poll_oneoff(DATA, OUT, 1, 300), u32(300), u64(OUT), view().getUint16(OUT + 8, true), call.poll_oneoff(DATA, OUT, 0, 300));
console.log('raise', call.proc_raise(0), call.proc_raise(99));
process.on('SIGUSR2', () => {
  console.log('SIGUSR2');
  process.exit();
});
console.log(call.proc_raise(12));
setTimeout(() => {}, 5000);
