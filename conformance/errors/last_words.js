// A process that ends by an exception says so, whatever its script has done to the language.
const { spawnSync } = require('child_process');
const { mkdtempSync, rmSync, writeFileSync } = require('fs');
const { join } = require('path');

const folder = mkdtempSync('/tmp/last-words-');
process.on('exit', () => rmSync(folder, { recursive: true }));

function run(name, ...lines) {
  const file = join(folder, 'script.js');
  writeFileSync(file, lines.join('\n'));
  const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', env: {} });
  const said = stderr.replaceAll(folder, '').replace('(Use `phasor ', '(Use `node ').split('\n')
    .filter((line) => !/^ {4}at |^(?:Node\.js|Phasor) v|^node:internal/.test(line));
  console.log(`${name}: ${status}\n${said.join('\n').trim()}\n`);
}

const broken = (...names) => names.map((name) => `${name} = function () { throw new Error('no ${name}') };`).join('\n');

run('lists', broken('Array.prototype.push', 'Array.prototype.map', 'Array.prototype.slice', 'Array.prototype.join',
  'Array.prototype.filter', 'Array.prototype.find'), "throw new TypeError('x')");
run('iteration', broken('Array.prototype[Symbol.iterator]'), "throw new TypeError('x')");
run('texts', broken('String.prototype.split', 'String.prototype.startsWith', 'String.prototype.slice'), 'null.x');
run('patterns', broken('RegExp.prototype.exec', 'RegExp.prototype.test'), "throw new RangeError('x')");
run('functions', broken('Function.prototype.call', 'Function.prototype.apply'), "throw new Error('x')");
run('maps', broken('Map.prototype.get', 'Map.prototype.set', 'Set.prototype.has', 'Set.prototype.add'), "throw new Error('x')");
run('rejection', broken('Array.prototype.map', 'Array.prototype.filter'), "Promise.reject(new Error('x'))");
run('later', 'setTimeout(() => {', broken('Array.prototype.push', 'Array.prototype.map'), "throw new Error('x')", '})');
run('a stack of its own', "throw Object.assign(new Error('x'), { stack: 5 })");
run('a revoked proxy', 'const { proxy, revoke } = Proxy.revocable({}, {});', 'revoke();', 'throw proxy;');
run('an object', 'throw { a: 1, [Symbol("b")]: [2] };');
run('a proxy rejected', "Promise.reject(new Proxy({}, { get() { throw new Error('trap') } }));");
