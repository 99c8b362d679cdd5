// What `RegExp` tells of the last match: `$1` and its like.
const parts = ['$1', '$2', '$9', 'input', '$_', 'lastMatch', '$&', 'lastParen', '$+', 'leftContext', '$`', 'rightContext', "$'"];
const show = (what) => console.log(what, JSON.stringify(parts.map((part) => RegExp[part])));
const vm = require('vm');

/(b)(c)?/.exec('abd');
show('exec, a group that takes no part');
/nothing/.test('abc');
show('no match leaves it');
console.log(/^\s*([^;\s]*)/.test(' text/html; charset=utf-8') && RegExp.$1);
'one two'.replace(/(\w+) (\w+)/, '$2');
show('replace');
'x1y2'.replace(/([a-z])(\d)/g, () => '');
show('replace of all');
'k=v'.match(/(.)=(.)/);
show('match');
'a-b'.split(/(-)/);
show('split');
'find é here'.search(/(é)/);
show('search');
'ab'.replace(/b/g, '');
show('taken out');
'é😀z'.match(/(😀)(z)/u);
show('beyond ASCII');
[...'a1b2'.matchAll(/([a-z])(\d)/g)];
show('matchAll');
/(1)(2)(3)(4)(5)(6)(7)(8)(9)(0)(a)/.exec('x1234567890ay');
show('more than nine groups');
/()/.exec('empty');
show('an empty match');
RegExp.$1 = 'set';
RegExp.lastMatch = 'set';
show('not to be set');
RegExp.input = 12;
show('input is set');
/i(n)/.exec('in');
show('and is gone');
try { RegExp.input = Symbol('s'); } catch (error) { console.log(error.name); }
try { Object.getOwnPropertyDescriptor(RegExp, '$1').get.call(5); } catch (error) { console.log(error.name); }
class Sub extends RegExp {}
console.log(Sub.$1, new Sub('(q)').test('q'), RegExp.$1);
console.log(vm.runInNewContext('const before = RegExp.$1; /(z)/.test("z"); [before, RegExp.$1, RegExp.rightContext]'));
console.log(parts.every((part) => Object.hasOwn(RegExp, part)));
Object.freeze(RegExp);
/(f)/.test('frozen');
console.log(RegExp.$1);
