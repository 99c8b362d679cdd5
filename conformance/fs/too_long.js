// A file that is longer than text may be: the callback hears of it, and so does who waits for the promise.
const fs = require('fs');
const os = require('os');
const path = require('path');

const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'phasor-too-long-')), 'file');
fs.writeFileSync(file, '');
// Nothing but a hole.
fs.truncateSync(file, require('buffer').constants.MAX_STRING_LENGTH + 1);

try {
  fs.readFileSync(file, 'utf8');
} catch (error) {
  console.log('sync', error.name, error.code, error.message);
}
fs.readFile(file, 'utf8', (error, text) => {
  console.log('callback', error.name, error.code, error.message, text);
  fs.readFile(file, 'latin1', (error, text) => {
    console.log('another encoding', error.name, error.code, error.message, text);
    fs.promises.readFile(file, 'utf8').catch((error) => {
      console.log('promise', error.name, error.code, error.message);
      fs.rmSync(path.dirname(file), { recursive: true });
    });
  });
});
