// esmock: modules in the place of others, by hooks on a thread of their own.
import esmock from 'esmock';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'esmock-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
const put = (name, text) => writeFileSync(join(folder, name), text);
put('greet.mjs', 'export const greet = (name) => `hello ${name}`; export default () => "real";');
put('use.mjs', `import real, { greet } from './greet.mjs'; import { readFileSync } from 'node:fs';
export const use = () => [greet('you'), real(), readFileSync('/nowhere')];`);

const use = join(folder, 'use.mjs');
const greeting = join(folder, 'greet.mjs');
const one = await esmock(use, { [greeting]: { greet: () => 'mocked', default: () => 'default' }, 'node:fs': { readFileSync: () => 'text' } });
console.log(one.use());
const two = await esmock(use, { [greeting]: { greet: () => 'again', default: () => 1 }, fs: { readFileSync: () => 2 } });
console.log(two === one, two.use());
const kept = await esmock.p(use, { [greeting]: { greet: () => 'kept', default: () => 3 }, fs: { readFileSync: () => 4 } });
console.log(kept.use());
esmock.purge(kept);
const strict = await esmock.strict(use, { [greeting]: { greet: () => 1, default: () => 2 }, fs: { readFileSync: () => 3 } });
console.log(strict.use());
const { use: real } = await import(use);
try {
  real();
} catch (error) {
  console.log(error.code);
}
await esmock(join(folder, 'missing.mjs'), {}).catch((error) => console.log(error.message.replace(folder, '').split(' (')[0]));
