// What fs looks at first, and how it names what is wrong; an empty path is named too.
const fs = require('fs');
const tell = (name, call) => {
  try {
    console.log(name, call());
  } catch (error) {
    console.log(name, error.name, error.code, error.message, error.path, error.dest);
  }
};
const nothing = () => {};
for (const name of ['accessSync', 'lstatSync', 'mkdirSync', 'openSync', 'readdirSync', 'readFileSync', 'readlinkSync',
  'rmSync', 'rmdirSync', 'statSync', 'unlinkSync']) {
  tell(`${name} of nothing`, () => fs[name](''));
}
tell('rename', () => fs.renameSync('no/x', ''));
tell('link', () => fs.linkSync('', 'no/x'));
for (const mode of [NaN, Infinity, 1e300, 1.5, -1, -0.5, 7.9, 8, 1n, Symbol('m'), Object.create(null), '1', true, [], {},
  { valueOf() { throw new Error('called'); } }, null, undefined]) {
  const shown = typeof mode === 'object' && mode ? 'object' : String(mode);
  tell(`access ${shown}`, () => fs.accessSync('no/x', mode));
  tell(`copy ${shown}`, () => fs.copyFileSync('no/x', 'no/y', mode));
  tell(`symlink ${shown}`, () => fs.symlinkSync('no/x', 'no/y', mode));
}
tell('no callback, no path', () => fs.access());
tell('no callback', () => fs.access('x'));
tell('chmod', () => fs.chmod());
tell('chmod mode', () => fs.chmod('x', 'y'));
tell('copy', () => fs.copyFile());
tell('copy to', () => fs.copyFile('x'));
tell('futimes', () => fs.futimes(1));
tell('ftruncate', () => fs.ftruncate(1, 'x'));
tell('truncate', () => fs.truncate('x', null, nothing));
tell('ftruncate null', () => fs.ftruncateSync(1, null));
tell('flags', () => fs.openSync('no/x', Object.create(null)));
tell('flags called', () => fs.openSync('no/x', { toString() { throw new Error('called'); } }));
fs.stat('', (error) => {
  console.log(error.message);
  // Only now: of two that are under way together either may be first.
  fs.promises.access('').catch((error) => console.log(error.message));
});
tell('access mode', () => fs.access('x', 'y'));
tell('copy mode', () => fs.copyFile('x', 'y', 'z'));
