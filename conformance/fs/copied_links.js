'use strict';
// Links that lead to files, to folders and nowhere, copied onto each other. Now and later are not alike in Node.
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'links-'));
const shown = (text) => String(text).replaceAll(root, '');

function make() {
  fs.rmSync(root, { recursive: true, force: true });
  fs.mkdirSync(`${root}/a/b`, { recursive: true });
  fs.mkdirSync(`${root}/e`);
  fs.writeFileSync(`${root}/f`, 'hello');
  fs.writeFileSync(`${root}/a/g`, 'g');
  fs.writeFileSync(`${root}/e/g`, 'eg');
  fs.symlinkSync('f', `${root}/l`);
  fs.symlinkSync('a/g', `${root}/lg`);
  fs.symlinkSync('a', `${root}/la`);
  fs.symlinkSync('nowhere', `${root}/dead`);
  fs.symlinkSync('../f', `${root}/e/k`);
}

const tree = (folder) => fs.readdirSync(folder).sort().map((name) => {
  const full = `${folder}/${name}`;
  const found = fs.lstatSync(full);
  if (found.isSymbolicLink()) return `${name}>${shown(fs.readlinkSync(full))}`;
  return found.isDirectory() ? `${name}(${tree(full)})` : `${name}:${found.size}`;
}).join();

const told = (error) => shown(`${error.code} ${error.syscall} ${error.message}`);

(async () => {
  for (const from of ['l', 'la', 'lg', 'dead', 'e', 'f', 'none']) {
    for (const to of ['l', 'la', 'lg', 'dead', 'f', 'a', 'new', 'a/b']) {
      for (const options of [{}, { recursive: true }, { recursive: true, dereference: true }]) {
        const name = `${from} ${to} ${Object.keys(options)}`;
        const args = [`${root}/${from}`, `${root}/${to}`, options];
        // The words that Node has from another library.
        const isOdd = options.dereference && ['a', 'a/b', 'la', 'dead'].includes(to);
        if (!isOdd) {
          make();
          try {
            fs.cpSync(...args);
            console.log(name, 'now', tree(root));
          } catch (error) {
            console.log(name, 'now', told(error));
          }
        }
        make();
        try {
          await fs.promises.cp(...args);
          console.log(name, 'later', tree(root));
        } catch (error) {
          console.log(name, 'later', told(error));
        }
      }
    }
  }

  // What is in the way deeper down.
  make();
  fs.mkdirSync(`${root}/a/k`);
  await fs.promises.cp(`${root}/e`, `${root}/a`, { recursive: true }).catch((error) => console.log(told(error)));
  make();
  fs.rmSync(`${root}/a/g`);
  fs.linkSync(`${root}/e/g`, `${root}/a/g`);
  await fs.promises.cp(`${root}/e`, `${root}/a`, { recursive: true }).catch((error) => console.log(told(error)));
  fs.rmSync(root, { recursive: true });
})();
