'use strict';
// Wrong arguments, and errors of the system: thrown at once, given to callbacks, rejecting promises.
const fs = require('fs');
const show = (error) => {
  const { code, errno, syscall, path, dest } = error;
  return `${error.name} ${error.message} ${JSON.stringify({ code, errno, syscall, path, dest })}`;
};
const t = (name, work) => {
  try {
    console.log(name, '->', work());
  } catch (error) {
    console.log(name, '->', show(error));
  }
};
for (const bad of [undefined, null, 5, {}, true, 'a\0b', Buffer.from('a\0b')]) {
  for (const call of ['accessSync', 'openSync', 'readFileSync', 'statSync', 'readdirSync', 'unlinkSync', 'mkdirSync']) {
    if (call === 'readFileSync' && bad === 5) continue;
    t(`${call} ${typeof bad}`, () => fs[call](bad));
  }
  t(`renameSync ${typeof bad}`, () => fs.renameSync('/x', bad));
  t(`writeFileSync data ${typeof bad}`, () => fs.writeFileSync('/nonexistent/x', bad));
}
for (const call of ['open', 'stat', 'readFile', 'writeFile', 'readdir', 'rm', 'access', 'rename', 'exists']) {
  t(`${call} without callback`, () => fs[call]('/x', 'y'));
}
t('flags', () => fs.openSync('/x', 'q'));
t('mode text', () => fs.openSync('/x', 'w', '9'));
t('encoding', () => fs.readFileSync('/x', 'nonsense'));
t('options', () => fs.readFileSync('/x', 7));
t('fd', () => fs.closeSync('1'));
t('fd range', () => fs.closeSync(-3));
t('fd unknown', () => fs.closeSync(900));
t('fstat unknown', () => fs.fstatSync(900));
t('read buffer', () => fs.readSync(0));
t('read length', () => fs.readSync(0, Buffer.alloc(5), 0, 6));
t('read position', () => fs.readSync(0, Buffer.alloc(5), 0, 3, 'a'));
t('read empty', () => fs.readSync(0, Buffer.alloc(0), 0, 1));
t('write value', () => fs.writeSync(1, {}));
t('write offset', () => fs.writeSync(1, Buffer.alloc(3), 5));
t('writev', () => fs.writevSync(1, [5]));
t('uid', () => fs.chownSync('/nonexistent'));
t('uid range', () => fs.chownSync('/nonexistent', -2, 1));
t('time', () => fs.utimesSync('/nonexistent', 'a', 1));
t('chmod', () => fs.chmodSync('/nonexistent', 'rwx'));
t('truncate', () => fs.ftruncateSync(5, 'a'));
t('mkdir recursive', () => fs.mkdirSync('/x', { recursive: 1 }));
t('rm options', () => fs.rmSync('/x', { retryDelay: -1 }));
t('symlink type', () => fs.symlinkSync('/a', '/nonexistent/b', 'other'));
const gone = '/nonexistent/a';
for (const call of [
  'accessSync', 'openSync', 'readFileSync', 'statSync', 'lstatSync', 'readdirSync', 'unlinkSync', 'mkdirSync', 'rmSync',
  'rmdirSync', 'readlinkSync', 'realpathSync', 'truncateSync', 'statfsSync', 'opendirSync', 'mkdtempSync',
]) {
  t(call, () => fs[call](gone));
}
t('realpathSync.native', () => fs.realpathSync.native(gone));
t('renameSync', () => fs.renameSync(gone, '/nonexistent/b'));
t('linkSync', () => fs.linkSync(gone, '/nonexistent/b'));
t('symlinkSync', () => fs.symlinkSync(gone, '/nonexistent/b'));
t('copyFileSync', () => fs.copyFileSync(gone, '/nonexistent/b'));
t('writeFileSync', () => fs.writeFileSync(gone, 'x'));
t('chmodSync', () => fs.chmodSync(gone, 0o600));
t('utimesSync', () => fs.utimesSync(gone, 1, 1));
t('a directory', () => fs.readFileSync('/'));
t('not a directory', () => fs.readdirSync('/etc/passwd'));
t('in the way', () => fs.mkdirSync('/etc/passwd/x/y', { recursive: true }));
t('no entry', () => fs.statSync(gone, { throwIfNoEntry: false }));
t('exists', () => [fs.existsSync(gone), fs.existsSync('/'), fs.existsSync(7)].join());
t('a path of bytes', () => fs.openSync(Buffer.from(gone)));

const later = [
  ['stat', gone], ['readFile', gone], ['readdir', gone], ['mkdir', gone], ['rm', gone], ['unlink', gone], ['access', gone],
  ['realpath', gone], ['opendir', gone], ['truncate', gone], ['readFile', '/'], ['writeFile', gone, 'x'],
  ['appendFile', gone, 'x'], ['rename', gone, '/nonexistent/b'], ['copyFile', gone, '/nonexistent/b'], ['open', gone],

];
const call = ([name, ...args]) => new Promise((resolve) => {
  fs[name](...args, (...results) => {
    console.log('callback', name, results.length, show(results[0]), results[0].stack.split('\n').length);
    fs.promises[name](...args).catch((error) => {
      console.log('promise', name, show(error));
      resolve();
    });
  });
});
later.reduce((before, one) => before.then(() => call(one)), Promise.resolve()).then(async () => {
  for (const [name, ...args] of [['stat', 5], ['open', '/x', 'q'], ['readFile', '/x', 7], ['chmod', '/x', 'z'], ['lchmod', '/x', 1]]) {
    await fs.promises[name](...args).catch((error) => console.log('promise', name, show(error)));
  }
  const signal = AbortSignal.abort();
  await fs.promises.readFile('/etc/passwd', { signal }).catch((error) => console.log(error.name, error.code));
  fs.readFile('/etc/passwd', { signal }, (error) => console.log('callback', error.name, error.code));
  const controller = new AbortController();
  fs.readFile('/etc/passwd', { signal: controller.signal }, (error) => console.log('stopped', error.name, error.code));
  controller.abort();
});
