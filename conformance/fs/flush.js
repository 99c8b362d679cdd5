'use strict';
// A file that is to be flushed is so by the functions of the module, also by those that a script has put there.
const fs = require('fs');
const path = require('path');
const folder = fs.mkdtempSync(path.join(require('os').tmpdir(), 'flush-'));
const file = path.join(folder, 'a');
const { fsync, fsyncSync } = fs;
fs.fsyncSync = (...args) => {
  console.log('fsyncSync', args.map((arg) => typeof arg));
  return fsyncSync(...args);
};
fs.fsync = (...args) => {
  console.log('fsync', args.map((arg) => typeof arg));
  return fsync(...args);
};
const told = (error) => console.log(error === null ? fs.readFileSync(file, 'utf8') : error.code);

fs.writeFileSync(file, 'a', { flush: true });
fs.appendFileSync(file, 'b', { flush: true });
fs.writeFileSync(file, 'c');
const fd = fs.openSync(file, 'a');
fs.writeFileSync(fd, 'd', { flush: true });
fs.closeSync(fd);
fs.writeFile(file, 'e', { flush: true }, (error) => {
  told(error);
  fs.appendFile(file, 'f', { flush: true }, async (error) => {
    told(error);
    await fs.promises.writeFile(file, 'g', { flush: true });
    await fs.promises.appendFile(file, 'h', { flush: true });
    told(null);
    fs.fsync = (fd, callback) => process.nextTick(callback, Object.assign(new Error(), { code: 'EIO' }));
    fs.fsyncSync = () => { throw Object.assign(new Error(), { code: 'EIO' }); };
    try {
      fs.writeFileSync(file, 'i', { flush: true });
    } catch (error) {
      told(error);
    }
    fs.writeFile(file, 'j', { flush: true }, (error) => {
      told(error);
      fs.rmSync(folder, { recursive: true });
    });
  });
});
