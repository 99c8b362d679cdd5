'use strict';
// Replacing and matching by random expressions, with all that is seen of it.
let seed = 5;
const N = 400;
const rnd = (n) => { seed = (seed * 1103515245 + 12345) & 0x7fffffff; return (seed >> 8) % n; };
const pick = (list) => list[rnd(list.length)];
const atoms = [
  'a', 'b', '.', '\\w', '\\d', '[ab]', '[^a]', '(a)', '(b|c)', '(?:ab)', 'a?', 'b*', 'c+?', '(a)?', '(x*)', '\\b', '$', '^', '(?=b)',
  '(?!a)', '\\u{1F600}', 'é', '(?<n>a)', '(a)(b)?', '\\1', '',
];
const texts = ['', 'a', 'ab', 'aabbcc', 'abcabc xyz', 'é😀a😀', 'aXbXc', '1a2b3c', 'a\nb\nc', 'xxxx', '\ud83d', 'b a b a', 'aAaA', '$1$&'];
const replacements = [
  '', 'x', '$1', '$&', '$$', '[$`]', "[$']", '$2$1', '$10', '$01', '$0', '$', 'a$', '$<n>', '$11x', 'é$&', '$a', '😀',
];
const flags = ['', 'g', 'gi', 'gu', 'gm', 'i', 'u', 'gs', 'gy', 'y', 'gd', 'gv'];

function lines(source, flag, text, replacement) {
  const expression = new RegExp(source, flag);
  const from = (expression.lastIndex = rnd(3));
  const seen = [text.replace(expression, replacement), expression.lastIndex, RegExp.$1, RegExp.lastMatch, RegExp.lastParen];
  expression.lastIndex = from;
  seen.push(text.replace(expression, function (...args) {
    return `<${args.slice(0, -1).join('|')} ${this === undefined} ${expression.lastIndex}>`;
  }), expression.lastIndex);
  expression.lastIndex = from;
  seen.push(text.match(expression), expression.lastIndex, RegExp['$`'], RegExp["$'"]);
  if (flag.includes('g')) seen.push(text.replaceAll(expression, replacement), [...text.matchAll(expression)].map((match) => [match.index, ...match]));
  return seen;
}

// Before the first match, the legacy properties of RegExp differ between engines.
/a/.exec('a');
for (let i = 0; i < N; i++) {
  let source = '';
  for (let left = rnd(4); left >= 0; left--) source += pick(atoms);
  const args = [source, pick(flags), pick(texts) + pick(texts), pick(replacements)];
  let seen;
  try { seen = lines(...args); } catch (error) { seen = [error.name]; }
  console.log(JSON.stringify(args), JSON.stringify(seen));
}

// What a program may have changed, or changes on the way.
const plain = /a(b)?/g;
const { exec } = RegExp.prototype;
RegExp.prototype.exec = function (text) { const found = exec.call(this, text); if (found) found[0] += '!'; return found; };
console.log('abaab'.replace(plain, '<$&>'), 'abaab'.match(plain));
RegExp.prototype.exec = exec;
const own = Object.assign(/a/g, { exec() { return null; } });
console.log('aa'.replace(own, 'b'), 'aa'.match(own));
class Other extends RegExp { exec(text) { const found = super.exec(text); return found && Object.assign(found, { index: 0 }); } }
console.log('xaxa'.replace(new Other('a', 'g'), 'b'));
const frozen = Object.freeze(/a/g);
for (const use of [() => 'aa'.replace(frozen, 'b'), () => 'aa'.match(frozen), () => 'aa'.replace(Object.freeze(/a/), 'b')]) {
  try { console.log(use()); } catch (error) { console.log(error.name); }
}
const compiled = /a/g;
console.log('aXaX'.replace(compiled, () => { compiled.compile('X', 'g'); compiled.lastIndex = 7; return 'b'; }), compiled.source, compiled.lastIndex);
console.log('abc'.replace(/./g, (c) => ({ toString: () => c + c })), 'abc'.replace(/./g, () => undefined), 'abc'.replace(/b/, null));
try { 'abc'.replace(/./g, () => { throw new RangeError('thrown'); }); } catch (error) { console.log(error.message, RegExp.lastMatch); }
try { 'abc'.replace(/./g, () => Symbol('s')); } catch (error) { console.log(error.name); }
console.log(('a'.repeat(70000) + 'é').replace(/a/g, 'bb').length, ('ab'.repeat(50000)).match(/b/g).length);

// One that is not global asks what its last index is, and does not use it.
{
  const asked = [];
  const one = /a/;
  one.lastIndex = { valueOf() { asked.push('asked'); return 0; } };
  console.log('cab'.replace(one, 'b'), 'cab'.match(one).index, asked);
}
