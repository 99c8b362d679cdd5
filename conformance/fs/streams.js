'use strict';
// fs.ReadStream and fs.WriteStream: events, ranges, errors.
const fs = require('fs');
const os = require('os');
const path = require('path');
const { finished, pipeline } = require('stream/promises');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'streams-'));
const file = path.join(folder, 'file');
const hide = (text) => String(text).replaceAll(folder, '<folder>');
const log = (...args) => console.log(...args);

function watch(name, stream) {
  for (const event of ['open', 'ready', 'readable', 'end', 'drain', 'finish', 'error', 'close']) {
    if (event === 'readable' && name !== 'paused') continue;
    stream.on(event, (value) => log(name, event, value instanceof Error ? `${value.code} ${hide(value.message)}` : typeof value));
  }
  return stream;
}

(async () => {
  const out = watch('write', fs.createWriteStream(file, { highWaterMark: 4 }));
  log(out.pending, out.fd, out.autoClose, out.bytesWritten);
  log(out.write('hello '), out.write(Buffer.from('world')), out.write('!', (error) => log('callback', error)));
  out.end('\n', () => log('ended'));
  await finished(out);
  log(out.bytesWritten, out.fd, out.closed, JSON.stringify(fs.readFileSync(file, 'utf8')));

  const into = watch('read', fs.createReadStream(file, { encoding: 'utf8', highWaterMark: 5 }));
  into.on('data', (chunk) => log('data', JSON.stringify(chunk)));
  await finished(into);
  log(into.bytesRead, into.destroyed);

  for (const range of [{ start: 2, end: 4 }, { start: 6 }, { end: 0 }, { start: 100 }]) {
    let text = '';
    for await (const chunk of fs.createReadStream(file, { ...range, encoding: 'utf8' })) text += chunk;
    log(range, JSON.stringify(text));
  }
  const paused = watch('paused', fs.createReadStream(file));
  await new Promise((resolve) => paused.once('readable', resolve));
  log(String(paused.read(5)), String(paused.read()), paused.read());
  paused.once('readable', () => log('at the end', paused.read()));
  await finished(paused);

  await finished(watch('missing', fs.createReadStream(path.join(folder, 'nope')))).catch((error) => log(error.code));
  await finished(watch('folder', fs.createWriteStream(folder))).catch((error) => log(error.code));
  for (const call of [
    () => fs.createReadStream(file, { start: 5, end: 1 }), () => fs.createReadStream(file, { start: 'x' }),
    () => fs.createReadStream(1), () => fs.createReadStream(file, { fd: 'x' }), () => fs.createWriteStream(file, 'nope'),
    () => fs.createWriteStream(file, { flush: 1 }), () => fs.createReadStream(file, { fs: {} }),
  ]) {
    try { call(); log('no error'); } catch (error) { log(error.name, error.code, hide(error.message).slice(0, 160)); }
  }
  await finished(fs.createWriteStream(file, { flags: 'r+', start: 6 }).end('WORLD'));
  log(JSON.stringify(fs.readFileSync(file, 'utf8')));
  await pipeline(fs.createReadStream(file), fs.createWriteStream(`${file}2`, { flags: 'wx' }));
  log(fs.readFileSync(`${file}2`).equals(fs.readFileSync(file)));

  const handle = await fs.promises.open(file, 'r+');
  let text = '';
  for await (const chunk of handle.createReadStream({ encoding: 'utf8', autoClose: false, start: 0, end: 4 })) text += chunk;
  log(text, handle.fd !== -1);
  const last = handle.createWriteStream({ start: 0 });
  last.end('J');
  await finished(last);
  log(handle.fd, JSON.stringify(fs.readFileSync(file, 'utf8')));
  const early = watch('destroyed', fs.createReadStream(file));
  early.destroy(new Error('early'));
  await finished(early).catch((error) => log(error.message));
  const closed = fs.createReadStream(file);
  closed.close((error) => log('closed', error?.code));
  await finished(closed).catch((error) => log(error.code));
  fs.rmSync(folder, { recursive: true });
})();
