// eslint: many of its rules on a text, what it would mend, a rule of one's own, and its command.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { ESLint, Linter, RuleTester } = require('eslint');

const text = `var x = 1
let y = 2;
if (x == y) { foo(); }
export function big(a) { if (a) { if (a > 1) return 1; else if (a > 2) return 2; else if (a > 3) return 3; } for (;;) { while (a) {} } }
class Q { #p = 1; static { this.z = 1; } get p() { return this.#p } set p(v) { return v } }
const re = /(?<year>\\d{4})[\\u{1F600}]/, dup = { a: 1, a: 2 }, s = 'a' + 'b' + x;
async function waits() { for (const k in dup) { await k } return await 1; }
switch (x) { case 1: y = 1; case 2: break; default: debugger }
label: for (const unused of []) { continue label }
new Promise(async (resolve) => { resolve(typeof x === 'strnig', x === NaN, !x in y, [,].length) });
`;

const linter = new Linter();
const names = [...new Set([...require('eslint/use-at-your-own-risk').builtinRules.keys()])].filter((name) => !/capitalized|sort-|one-var|max-|id-|func-|no-magic|no-ternary|prefer-named/.test(name));
const config = { languageOptions: { ecmaVersion: 2024, sourceType: 'module' }, rules: Object.fromEntries(names.map((name) => [name, 2])) };
for (const { ruleId, line, column, endColumn, message } of linter.verify(text, config, 'text.js')) {
  console.log(`${line}:${column}-${endColumn} ${ruleId}: ${message}`);
}
console.log(linter.verifyAndFix(text, config, 'text.js').output);
console.log(linter.verify('let a = ;', {}), linter.verify('/* eslint no-undef: 2 */ missing; // eslint-disable-line', {}, { reportUnusedDisableDirectives: true }));

const own = { meta: { fixable: 'code', messages: { odd: 'Odd {{name}}' } }, create: (context) => ({
  'CallExpression[callee.name=/^odd/]'(node) {
    context.report({ node, messageId: 'odd', data: { name: node.callee.name }, fix: (fixer) => fixer.replaceText(node.callee, 'even') });
  },
}) };
Object.assign(RuleTester, { describe: (title, run) => run(), it: (title, run) => { try { run(); console.log('ok', title); } catch (error) { console.log(title, error.message); } } });
new RuleTester().run('own', own, { valid: ['even()'], invalid: [{ code: 'oddly(1)', output: 'even(1)', errors: [{ messageId: 'odd' }] }, { code: 'odd()', output: 'odd()', errors: 1 }] });

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'eslint-'));
  process.on('exit', () => fs.rmSync(folder, { recursive: true }));
  fs.writeFileSync(path.join(folder, 'a.js'), text);
  fs.writeFileSync(path.join(folder, 'eslint.config.mjs'), 'export default [{ ignores: ["skip.js"] }, { rules: { eqeqeq: "error", "no-var": "warn", semi: "error" } }];');
  const eslint = new ESLint({ cwd: folder, fix: true });
  const [result] = await eslint.lintFiles('*.js');
  console.log(path.basename(result.filePath), result.errorCount, result.warningCount, result.output);
  for (const words of [['--fix-dry-run', 'a.js'], ['none.js']]) {
    const ran = spawnSync(process.execPath, [path.join(path.dirname(require.resolve('eslint/package.json')), 'bin/eslint.js'), ...words], { cwd: folder, encoding: 'utf8' });
    console.log(ran.status, ran.stdout.replaceAll(folder, '.'), ran.stderr.replaceAll(folder, '.'));
  }
}

main();
