// Texts and expressions, also where the ways are short: searching, splitting, repeating, changing case, putting arrays together.
const show = (name, make) => {
  let seen;
  try {
    seen = make();
  } catch (error) {
    seen = error.name;
  }
  console.log(name, JSON.stringify(seen));
};

const long = 'The quick brown fox jumps over the lazy dog; '.repeat(6);
const wide = 'Zwölf Boxkämpfer jagen Viktor quer über den Sylter Deich — 日本 😀 '.repeat(3);

// Where a text is.
for (const [name, text] of [['long', long], ['wide', wide], ['joined', long + wide], ['part', wide.slice(5, 90)], ['empty', '']]) {
  for (const wanted of ['', 'q', 'dog', 'über', '日', '😀', '\ude00', 'zz', 'Deich — 日', text, `${text}x`]) {
    show(`${name} ${wanted.slice(0, 9)}`, () => [
      text.indexOf(wanted), text.indexOf(wanted, 40), text.indexOf(wanted, -5), text.indexOf(wanted, 1e9), text.indexOf(wanted, NaN),
      text.lastIndexOf(wanted), text.includes(wanted), text.includes(wanted, 60), text.includes(wanted, '3'),
      text.split(wanted).length, text.replace(wanted, '#').length, text.replaceAll(wanted, '#').length,
    ]);
  }
}
show('of what is no text', () => ['12345'.indexOf(34), 'a null'.indexOf(null), 'undefined'.includes(), String.prototype.indexOf.call(12345, 4)]);
show('from what throws', () => 'abc'.indexOf('b', { valueOf() { throw new Error('asked'); } }));
show('in nothing', () => String.prototype.includes.call(null, 'a'));
show('an expression', () => 'abc'.includes(/b/));

// Repeated, and in another case.
for (const text of ['ab', 'aé', '日本', 'x', '']) {
  show(`repeat ${text}`, () => [0, 1, 2, 3, 7, 2.9].map((count) => text.repeat(count)));
}
show('too often', () => 'ab'.repeat(2 ** 29));
show('less than never', () => 'ab'.repeat(-1));
for (const text of [long.slice(0, 60), 'straße', 'ÿ µ', 'İI', 'ΑΣ', '@[`{', '', 'ﬁ', wide.slice(0, 40)]) {
  show(`case ${text.slice(0, 9)}`, () => [text.toUpperCase(), text.toLowerCase(), text.toLocaleUpperCase()]);
}

// Split by an expression.
const texts = ['', 'a', 'a,b;c', ',a,', 'ab12cd34', 'x\r\ny\nz\r', '😀a😀', 'aXbxc', long.slice(0, 60), wide.slice(40, 70)];
const expressions = [/,|;/, /(\d)(\d)?/, /\r\n|\n|\r/, /\s+/, /(?:)/, /(?:)/u, /$/, /^/, /x/i, /a*/, /a*?/, /(a)|b/, /(?<=a)/, /(?!b)/, /./, /./su,
  /,/y, /,/g, /[^\x00-\x7f]/, /\b/, /q(?=u)/, /ö|日/, /^T|g/];
for (const expression of expressions) {
  show(`split ${expression}`, () => texts.map((text) => text.split(expression)));
}
show('with a limit', () => [0, 1, 2, 3, -1, 2 ** 32, 2 ** 32 + 1, '2', null, 1.5].map((limit) => 'a1b2c3d'.split(/(\d)/, limit)));
const kept = /,/g;
kept.lastIndex = 3;
show('lastIndex stays', () => ['a,b,c'.split(kept), kept.lastIndex]);
show('the end is none', () => 'abc'.split(/(b)|$/));
show('the last match is told', () => ['a1b2c'.split(/(\d)/), RegExp.$1, RegExp['$`'], RegExp.input]);

// Split where somebody listens in.
class Noisy extends RegExp {
  exec(text) {
    console.log('exec', this.flags, this.lastIndex);
    return super.exec(text);
  }
}
show('a class of its own', () => 'a,b'.split(new Noisy(',')));
const own = /,/;
own.exec = () => null;
show('an exec of its own', () => 'a,b'.split(own));
const { exec } = RegExp.prototype;
RegExp.prototype.exec = function(text) { console.log('exec', this.source); return exec.call(this, text); };
show('another exec', () => 'a,'.split(/,/));
RegExp.prototype.exec = exec;
const flags = Object.getOwnPropertyDescriptor(RegExp.prototype, 'flags');
Object.defineProperty(RegExp.prototype, 'flags', { ...flags, get() { console.log('flags'); return 'i'; } });
show('other flags', () => 'aXbxc'.split(/X/));
Object.defineProperty(RegExp.prototype, 'flags', flags);
const ignoreCase = Object.getOwnPropertyDescriptor(RegExp.prototype, 'ignoreCase');
Object.defineProperty(RegExp.prototype, 'ignoreCase', { ...ignoreCase, get() { return true; } });
show('another flag', () => 'aXbxc'.split(/X/));
Object.defineProperty(RegExp.prototype, 'ignoreCase', ignoreCase);
const unicode = Object.getOwnPropertyDescriptor(RegExp.prototype, 'unicode');
Object.defineProperty(RegExp.prototype, 'known', unicode);
Object.defineProperty(RegExp.prototype, 'unicode', { ...unicode, get() { return true; } });
show('a flag elsewhere', () => '😀'.split(/(?:)/).length);
Object.defineProperty(RegExp.prototype, 'unicode', unicode);
delete RegExp.prototype.known;
const species = Object.getOwnPropertyDescriptor(RegExp, Symbol.species);
Object.defineProperty(RegExp, Symbol.species, { ...species, get() { return Noisy; } });
show('another species', () => 'a,b'.split(/,/));
Object.defineProperty(RegExp, Symbol.species, species);
show('as before', () => 'a,b'.split(/,/));

// Where a match begins.
const places = [/lazy\s+dog/, /^lazy/, /^lazy|fox/, /(?:^|; )The (\w+)/g, /[xyz]/, /[XYZ]/i, /D(o)(g)?;/i, /\bo/, /\Bo/g, /(?=j)\w+/, /(?<=j)\w+/,
  /(?<!j)um/, /(q)?uick/, /(o)|z/g, /$/, /o*/g, /\s/, /\S+$/, /.{3};/, /(?:lazy|dog){1}/, /[^\x00-\x7f]+/g, /[日本]/, /😀/, /😀/u, /\p{Lu}\w+/gu,
  /[^T]/, /K/iu, /ſ/i, /k/iu, /\u{1f600}/u, /\ude00/, /\ude00/u, /^[^]*Viktor/m, /(a)|(b)|c/g, /not there/, /x{2}/, /((q)|(u))+i/];
for (const expression of places) {
  show(`find ${expression}`, () => [long, wide, `${long}K`, 'line\nlazy\ndog', ''].map((text) => {
    expression.lastIndex = 0;
    const found = expression.exec(text);
    const all = expression.global ? [...text.matchAll(expression)].map((one) => [one.index, ...one]) : null;
    return [found && [found.index, ...found], expression.lastIndex, text.search(expression), all && all.slice(0, 4), all?.length];
  }));
}
show('groups of places tried in vain', () => /(a)?(b)?xyz|(c)d/.exec('ab ab ab ab ab ab ab cd'));
show('sets', () => [/a-b/v.test('a-b'), /\/&&!!/v.test('/&&!!'), /-[a--b]-/v.exec('b-a-')?.[0]]);
for (const source of ['[a-]', '[a(]', '[a&&&b]', '(', 'a]']) {
  show(`not as a set ${source}`, () => { try { return new RegExp(source, 'v').source; } catch (error) { return error.name; } });
}

// Arrays put together.
const holes = [1, , 3];
const like = { length: 2, 0: 'x', 1: 'y', [Symbol.isConcatSpreadable]: true };
show('concat', () => [[1, 2].concat([3], 4, [[5]]), [].concat(holes).length, 1 in [].concat(holes), [0].concat(like, 'text')]);
show('many', () => Array.from({ length: 3000 }, (_, i) => i).concat(Array.from({ length: 3000 }, (_, i) => -i)).reduce((a, b) => a + b, 6000));
const closed = [1, 2];
closed[Symbol.isConcatSpreadable] = false;
show('not spread', () => [0].concat(closed));
class Other extends Array {}
show('another class', () => [Other.from([1]).concat([2]) instanceof Other, Other.from([1]).concat([2]).length, [].concat(Other.from([1]))]);
const short = [1, 2, 3];
short.length = 5;
show('longer than it is', () => { const all = [0].concat(short, 9); return [all.length, 4 in all, all]; });
show('to itself', () => { const list = [1, 2]; return list.concat(list, list); });
show('frozen', () => Object.freeze([1]).concat(Object.freeze([2])));
const taken = [];
const taking = Array.from({ length: 200000 }, () => ({}));
taking.constructor = { [Symbol.species]: function() { return taken; } };
show('to what is put to it', () => [taking.concat(taken) === taken, taken.length, typeof taken[399999]]);

// Nobody hides from who stops a script.
const vm = require('vm');
for (const code of [`split(/,/)`, `replace(/x|y/g, '')`, `indexOf('zz')`]) {
  show(`stopped ${code}`, () => {
    const sandbox = { caught: 0 };
    try {
      vm.runInNewContext(`const text = 'a,b'.repeat(50); for (;;) try { text.${code} } catch { caught++ }`, sandbox, { timeout: 50 });
    } catch (error) {
      return [error.code, sandbox.caught];
    }
  });
}
