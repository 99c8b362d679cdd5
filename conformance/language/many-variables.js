'use strict';
// Scopes with so many variables that they are looked up in a table: what a name stands for, and what may not be declared.
const many = (count, kind = 'let') => Array.from({ length: count }, (_, i) => `${kind} v${i} = ${i};`).join(' ');
const tries = (text, ...args) => {
  try {
    return new Function(text)(...args);
  } catch (error) {
    return error.name;
  }
};

for (const count of [1, 20, 26, 27, 28, 60, 1000]) {
  const all = many(count);
  const last = `v${count - 1}`;
  console.log(count,
    tries(`${all} return ${last}`),
    tries(`${all} { let ${last} = 'inner'; { return ${last} } }`),
    tries(`${all} { let ${last} = 'inner' } return ${last}`),
    tries(`${all} return (() => ${last})()`),
    tries(`${all} let f = () => later; let later = 'later'; return f()`),
    tries(`${all} return late; let late = 1`),
    tries(`${all} { return late; } let late = 1`),
    tries(`${all} const c = 1; c = 2`),
    tries(`${all} ${last} = 'written'; return ${last}`));
  console.log('  refused',
    tries(`${all} let ${last}`), tries(`${all} var ${last}`), tries(`${all} { var ${last} }`), tries(`${all} function ${last}() {}`),
    tries(`${all} class ${last} {}`), tries(`${many(count, 'var')} let ${last}`), tries(`${many(count, 'var')} { let ${last} } return ${last}`),
    tries(`{ ${all} } var ${last} = 'outer'; return ${last}`), tries(`${all} try { throw 1 } catch (e) { let e }`),
    tries(`${all} try { throw 'caught' } catch (e) { { let e = 1 } return e }`), tries(`${all} try { throw 1 } catch (${last}) { return ${last} }`));
  console.log('  others',
    tries(`${all} with ({ ${last}: 'of the object' }) { return ${last} }`),
    tries(`${all} with ({ other: 'of the object' }) { return other }`),
    tries(`${all} with ({}) { let inner = 'in with'; return inner }`),
    tries(`return ((a, b = () => a) => { ${all} var a = 'own'; return [a, b()] })('given').join()`),
    tries(`return ((a = 1, b = typeof ${last}) => { ${all} return b })()`),
    tries(`${all} return eval('${last}')`), tries(`${all} eval('var ${last}')`), tries(`${all} return eval('let ${last} = "own"; ${last}')`),
    tries(`${all} return typeof arguments + arguments.length`, 1, 2), tries(`${all} return (function own() { ${all} return typeof own })()`),
    tries(`${all} switch (1) { case 1: let ${last} = 'in switch'; return ${last} }`),
    tries(`${all} const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i); return fs.map((f) => f()).join()`),
    tries(`${all} { function ${last === 'v0' ? 'w' : 'v0x'}() { return 'hoisted' } } return ${last === 'v0' ? 'w' : 'v0x'}()`),
    tries(`${all} class A { #v0 = 'private'; get() { return this.#v0 } } return new A().get()`),
    tries(`${all} label: { break label } return label`), tries(`${all} return undeclared`), tries(`'use strict'; ${all} undeclared = 1`));
}

const count = 3000;
const all = many(count);
const sum = Array.from({ length: count }, (_, i) => `v${i}`).join(' + ');
console.log(tries(`${all} return ${sum}`), tries(`${all} return (() => { ${all} return ${sum} })() + ${sum}`));
console.log(tries(`${all} let f = 0; ${Array.from({ length: 200 }, (_, i) => `{ let v${i * 7} = 1; f += v${i * 7} }`).join('\n')} return f`));
