// Errors whose parts are not what they should be: their stacks, and how they print.
const { inspect } = require('util');

const changes = {
  'a symbol as name': (error) => { error.name = Symbol('x'); },
  'a symbol as message': (error) => { error.message = Symbol('x'); },
  'numbers': (error) => { error.name = 5; error.message = 7; },
  'nothing': (error) => { error.name = null; error.message = null; },
  'empty': (error) => { error.name = ''; error.message = ''; },
  'an object as name': (error) => { error.name = { toString: () => 'Named' }; },
  'a name that throws': (error) => Object.defineProperty(error, 'name', { get() { throw new Error('no name'); } }),
  'a message that throws': (error) => Object.defineProperty(error, 'message', { get() { throw new Error('no message'); } }),
  'a text that throws': (error) => { error.message = { toString() { throw new Error('no text'); } }; },
  'an empty stack': (error) => { error.stack = ''; },
  'no stack': (error) => { error.stack = undefined; },
  'an object as stack': (error) => { error.stack = { a: 1 }; },
};
for (const [name, change] of Object.entries(changes)) {
  const make = () => {
    const error = new Error('message');
    change(error);
    return error;
  };
  for (const text of [() => make().stack, () => inspect(make())]) {
    let said;
    try {
      said = `${text()}`;
    } catch (error) {
      said = `throws ${error.message}`;
    }
    console.log(`${name}: ${said.split('\n')[0]}`);
  }
}
