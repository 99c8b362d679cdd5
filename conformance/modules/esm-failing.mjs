// Graphs with cycles that fail: at a missing file, a syntax error, a missing name, while they run; twice each.
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
for (const s of ['./trees/failing/a.mjs','./trees/failing/b.mjs','./trees/failing/c.mjs','./trees/failing/a.mjs','./trees/failing/b.mjs','./trees/failing/s1.mjs','./trees/failing/s2.mjs','./trees/failing/s2.mjs','./trees/failing/l1.mjs','./trees/failing/l2.mjs','./trees/failing/l1.mjs','./trees/failing/t1.mjs','./trees/failing/t2.mjs','./trees/failing/t1.mjs']) {
  try { console.log(s, await import(s)); } catch (e) { console.log(s, e.name, e.message.split('/').pop()); }
}
for (const s of ['./trees/failing/a.mjs','./trees/failing/b.mjs','./trees/failing/c.mjs','./trees/failing/t1.mjs','./trees/failing/s1.mjs', './trees/failing/l1.mjs']) {
  try { console.log(s, require(s)); } catch (e) { console.log(s, e.name, e.code, e.message.split('/').pop().slice(0, 60)); }
}
const all = await Promise.allSettled([import('./trees/failing/x1.mjs'), import('./trees/failing/c.mjs'), import('./trees/failing/t3.mjs'), import('./trees/failing/t3.mjs')]);
console.log(all.map((x) => x.status));
gc: for (let i = 0; i < 300; i++) { await import(`./trees/failing/c.mjs?${i}`); await import(`data:text/javascript,export default ${i}`); }
// The line of the import that fails, and what in it.
const { spawnSync } = await import('node:child_process');
for (const file of ['l1.mjs', 'd1.mjs']) {
  const { stderr } = spawnSync(process.execPath, [`${import.meta.dirname}/trees/failing/${file}`], { encoding: 'utf8' });
  console.log(stderr.split('\n').slice(0, 3).join('\n').replace(/.*\//, ''));
}
