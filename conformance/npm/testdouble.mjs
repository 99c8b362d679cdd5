// testdouble: doubles in the place of modules, by hooks on a thread of their own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as td from 'testdouble';

const folder = mkdtempSync(join(tmpdir(), 'testdouble-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'greet.mjs'), 'export const greet = (name) => `hello ${name}`; export default () => "real";');
writeFileSync(join(folder, 'use.mjs'), `import real, { greet } from './greet.mjs'; import { platform } from 'node:os';
export const use = () => [greet('you'), real(), platform()];`);

const { default: standIn, greet } = await td.replaceEsm(join(folder, 'greet.mjs'));
td.when(greet('you')).thenReturn('doubled');
td.when(standIn()).thenReturn('default');
await td.replaceEsm('node:os', { platform: () => 'none' });
const { use } = await import(join(folder, 'use.mjs'));
console.log(use());
try {
  td.verify(greet('me'));
} catch (error) {
  console.log(error.message.split('\n')[0].replace(folder, ''));
}
td.reset();
const { use: real } = await import(join(folder, 'use.mjs'));
console.log(real().slice(0, 2), real()[2] === process.platform);
