// What is spread into an object, and what is left of it.
console.log({...'abc'}, Object.assign({}, 'abc'), {...'é😀'}, {...null, ...1, ...true, ...new String('xy')});
const {0: a, ...rest} = 'hello'; console.log(a, rest);
const {length, ...none} = 'hi'; console.log(length, none);
console.log({...[1,2]}, {...new Uint8Array(2)}, {...Symbol('x')}, {...10n});
