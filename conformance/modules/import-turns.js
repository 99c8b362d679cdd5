// How many microtasks go by before a body runs that import() asks for, and before who asked goes on. A file for each case would
// hide that the modules of one are known to the next: each case runs in a process of its own.
const { execFileSync } = require('child_process');
if (process.argv[2] === undefined) {
  const json = JSON.stringify({ with: { type: 'json' } });
  const alone = [
    'os', './a.mjs', './k.cjs', './j.json', `./j.json ${json}`, './b.mjs', './c.mjs', './d.mjs', './wide.mjs', './diamond.mjs', './os.mjs',
    './uneven.mjs', './over_k.mjs', './ring1.mjs', './over_ring.mjs', './waits.mjs', './over_waits.mjs', './ringw1.mjs', './throws.mjs',
    './over_throws.mjs', './throws.cjs', './over_throwsk.mjs', './wrong.mjs', './over_wrong.mjs', './nothing.mjs', './over_nothing.mjs',
    './over_over.mjs', './late_nothing.mjs', './unknown.mjs', './lacks.mjs', `./bad.json ${json}`, `./a.mjs ${json}`, './js.js',
    './requires.cjs', './needs.mjs', 'node:nothing', 'nothing', './', './what.foo', 'data:text/javascript,note("data")', 'data:text/css,x', 'http://x/',
    'foo:bar', './a%2fb.mjs',
  ];
  const together = [
    './a.mjs|os', 'os|./a.mjs', './b.mjs|./a.mjs', './a.mjs|./b.mjs', './b.mjs|./c.mjs', './c.mjs|./b.mjs', './b.mjs|os|./d.mjs', 'os|path', 'os|os',
    './d.mjs|./b.mjs|os', './waits.mjs|./waits.mjs', './over_waits.mjs|./waits.mjs', './waits.mjs|./over_waits.mjs', './k.cjs|./over_k.mjs',
    './over_k.mjs|./k.cjs', './throws.mjs|./over_throws.mjs', './throws.mjs|./throws.mjs', './wrong.mjs|./wrong.mjs', './ring1.mjs|./ring2.mjs',
    './over_nothing.mjs|./over_over.mjs', './lacks.mjs|./lacks.mjs', './nothing.mjs|os', 'os|nothing', './requires.cjs|./a.mjs', './a.mjs|./requires.cjs',
  ];
  for (const one of [...alone, ...together]) {
    console.log(one);
    process.stdout.write(execFileSync(process.execPath, [__filename, one]));
  }
} else {
  let turn;
  let notes;
  let over;
  globalThis.note = (what) => notes.push(`${turn} ${what}`);
  const count = () => {
    turn++;
    if (!over) Promise.resolve().then(count);
  };
  const twice = async () => {
    for (const time of ['first', 'again']) {
      notes = [];
      turn = 0;
      over = false;
      const all = process.argv[2].split('|').map((one) => {
        const [specifier, options] = one.split(/ (?=\{)/);
        const promise = import(specifier.replace(/^\.\//, './trees/turns/'), options === undefined ? undefined : JSON.parse(options));
        return promise.then(() => note(`${specifier} is there`), (error) => note(`${specifier} ${error.code ?? error.name}`));
      });
      count();
      await Promise.all(all);
      over = true;
      await new Promise(setImmediate);
      console.log(`  ${time}: ${notes.join(', ')}`);
    }
  };
  twice();
}
