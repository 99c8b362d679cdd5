// What a timer was given goes with it, also if it has nothing to call when its turn comes.
'use strict';
const { spawnSync } = require('child_process');

function program(take) {
  let freed = 0;
  const registry = globalThis.registry = new FinalizationRegistry(() => freed++);
  for (let i = 0; i < 100; i++) {
    const given = {};
    registry.register(given);
    take(given);
  }
  const after = (next) => setTimeout(() => { gc(); next(); }, 10);
  after(() => after(() => after(() => console.log(freed))));
}
const takes = {
  callback: (given) => { setTimeout(() => {}, 1, given)._onTimeout = null; },
  fired: (given) => { setTimeout(() => {}, 1, given); },
  cleared: (given) => { clearTimeout(setTimeout(() => {}, 1, given)); },
  again: (given) => {
    const one = setTimeout(() => { clearTimeout(one); one.refresh(); }, 1, given);
  },
};
for (const [name, take] of Object.entries(takes)) {
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', '-e', `(${program})(${take})`], { encoding: 'utf8' });
  console.log(name, stdout.trim());
}
