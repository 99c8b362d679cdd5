// chokidar: a folder is watched while files come, change, move and go; each step waits for its event.
import chokidar from 'chokidar';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const log = (...words) => console.log(...words);
const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'npm-chokidar-')));
const at = (name) => path.join(root, name);
fs.mkdirSync(at('first/below'), { recursive: true });
fs.writeFileSync(at('first/below/old.txt'), 'old');
fs.writeFileSync(at('first/skip.log'), 'skipped');

// The watcher's events, in the order in which they come; `until` waits for one.
function follow(watcher, folder = root) {
  const seen = [];
  const waiting = new Set();
  watcher.on('all', (event, file, stats) => {
    seen.push(`${event} ${path.relative(folder, file) || '.'}${stats?.isFile() ? ` ${stats.size}` : ''}`);
    for (const check of waiting) check();
  });
  watcher.on('error', (error) => log('error', error.message));
  return {
    until: (text) => new Promise((resolve) => {
      const check = () => { if (seen.some((line) => line.startsWith(text))) { waiting.delete(check); resolve(); } };
      waiting.add(check);
      check();
    }),
    take: () => seen.splice(0).sort(),
  };
}

const watcher = chokidar.watch(root, { ignored: (file) => file.endsWith('.log'), alwaysStat: true });
const events = follow(watcher);
await once(watcher, 'ready');
log('ready', events.take());
const watched = watcher.getWatched();
log(Object.entries(watched).filter(([folder]) => folder.startsWith(root)).map(([folder, names]) => [path.relative(root, folder), names.sort()]).sort());

fs.writeFileSync(at('first/new.txt'), 'new');
await events.until('add first/new.txt');
log(events.take());
fs.appendFileSync(at('first/new.txt'), ' and more');
await events.until('change first/new.txt');
log(events.take());
fs.mkdirSync(at('second/third'), { recursive: true });
fs.writeFileSync(at('second/third/deep.txt'), 'deep');
await events.until('add second/third/deep.txt');
log(events.take());
fs.renameSync(at('first/new.txt'), at('second/moved.txt'));
await Promise.all([events.until('unlink first/new.txt'), events.until('add second/moved.txt')]);
log(events.take());
fs.writeFileSync(at('second/noise.log'), 'ignored');
fs.unlinkSync(at('second/moved.txt'));
await events.until('unlink second/moved.txt');
log(events.take());
fs.rmSync(at('second'), { recursive: true });
await events.until('unlinkDir second');
log(events.take().filter((line) => line !== 'unlinkDir second/third' && line !== 'unlink second/third/deep.txt').length);
watcher.unwatch(at('first/below'));
await watcher.close();
log('closed', watcher.closed, Object.keys(watcher.getWatched()).length);

// Without what is there at first; a write that must come to rest.
const two = chokidar.watch([at('first/below/old.txt'), at('first')], { ignoreInitial: true, awaitWriteFinish: { stabilityThreshold: 60, pollInterval: 15 } });
const later = follow(two);
await once(two, 'ready');
log('nothing yet', later.take());
fs.writeFileSync(at('first/later.txt'), 'a');
fs.appendFileSync(at('first/later.txt'), 'bcd');
await later.until('add first/later.txt');
log(later.take().map((line) => line.split(' ').slice(0, 2).join(' ')), fs.readFileSync(at('first/later.txt'), 'utf8'));
await two.close();

// By looking, with fs.watchFile.
const polled = chokidar.watch('.', { cwd: at('first'), usePolling: true, interval: 20, atomic: false });
const looks = follow(polled, '.');
await once(polled, 'ready');
log('polled', looks.take());
// The first look may come after a change: there is one until it is seen.
const changing = setInterval(() => fs.appendFileSync(at('first/below/old.txt'), 'more'), 50);
await looks.until('change below/old.txt');
clearInterval(changing);
log(looks.take().some((line) => line.startsWith('change')));
await polled.close();
fs.rmSync(root, { recursive: true });
