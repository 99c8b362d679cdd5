'use strict';
// A folder that cannot be removed keeps what is in it. And what mkdir says of a link to nothing.
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'removed-'));
const told = (error) => String(error?.message).replaceAll(root, '');
const callback = (name, ...args) => new Promise((resolve) => fs[name](...args, resolve));

(async () => {
  fs.mkdirSync(`${root}/a/b`, { recursive: true });
  fs.writeFileSync(`${root}/a/f`, '');
  fs.symlinkSync('nowhere', `${root}/dead`);
  fs.symlinkSync('loop', `${root}/loop`);
  for (const force of [false, true]) {
    const options = { recursive: true, force };
    try { fs.rmSync(`${root}/a/.`, options); } catch (error) { console.log(told(error)); }
    await fs.promises.rm(`${root}/a/.`, options).catch((error) => console.log(told(error)));
    console.log(told(await callback('rm', `${root}/a/.`, options)));
    console.log(fs.readdirSync(`${root}/a`));
  }

  for (const name of ['dead', 'loop', 'loop/x', 'a/f', 'a/f/x']) {
    const full = `${root}/${name}`;
    try { fs.mkdirSync(full, { recursive: true }); } catch (error) { console.log(name, error.code, error.syscall, told(error)); }
    await fs.promises.mkdir(full, { recursive: true }).catch((error) => console.log(name, error.code, told(error)));
    console.log(name, told(await callback('mkdir', full, { recursive: true })));
  }

  try { fs.symlinkSync('a', 'a\0', 'other'); } catch (error) { console.log(error.code); }
  try { fs.symlinkSync('a', `${root}/x`, 'other'); } catch (error) { console.log(error.code); }
  fs.rmSync(root, { recursive: true });
})();
