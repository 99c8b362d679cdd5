// Where stacks say that errors were made: names of methods, places of calls.
class Foo {
  constructor(fails) { if (fails) throw new Error('constructor'); }
  bar() { throw new Error('method'); }
  static make() { throw new RangeError('static'); }
  get value() { throw new Error('getter'); }
  #own() { throw new Error('private'); }
  callOwn() { this.#own(); }
  *each() { throw new Error('generator'); }
  arrow = () => { throw new Error('field'); };
}
class Sub extends Foo { constructor() { super(true); } }
function plain() { throw new Error('function'); }
const object = { method() { throw new Error('method'); }, value: function() { throw new Error('value'); }, arrow: () => { throw new Error('arrow'); } };
const expression = function() { throw new Error('expression'); };
exports.exported = function() { throw new Error('exported'); };
Foo.prototype.added = function() { throw new Error('added'); };
let nothing;

function show(run) {
  try {
    run();
  } catch (error) {
    const lines = error.stack.split('\n');
    // Frames of the runtime's own are its own.
    const end = lines.findIndex((line) => line.includes('node:'));
    console.log(lines.slice(0, end === -1 ? lines.length : end).join('\n').replaceAll(__dirname, ''));
  }
}
show(() => new Foo(true));
show(() => new Foo().bar());
show(() => Foo.make());
show(() => new Foo().value);
show(() => new Foo().callOwn());
show(() => new Foo().arrow());
show(() => new Foo().added());
show(() => new Sub());
show(plain);
show(() => object.method(1, nothing));
show(() => object.value());
show(() => object.arrow());
show(expression);
show(() => exports.exported());
show(() => [1].map((x) => { throw new Error('map'); }));
show(() => [1].map(x => plain(x)));
show(() => 'a'.replace(/a/, () => nothing.x));
show(() => JSON.parse('{'));
show(() => nothing.property);
show(() => nothing.property());
show(() => { nothing.property = 1; });
show(() => object.nothing());
show(() => object.nothing(nothing));
show(() => new object.nothing(nothing));
show(() => plain.call(null));
show(() => Reflect.apply(plain, null, []));
show(() => undeclared);
show(() => { const fixed = 1; fixed = 2; });
show(() => (() => plain())());

// The first line is what the error is called when the stack is first asked for.
const renamed = new Error('before');
renamed.message = 'after';
renamed.name = 'Other';
console.log(renamed.stack.split('\n')[0]);
class Named extends Error { constructor(message) { super(message); this.name = 'Named'; } }
console.log(new Named('x').stack.split('\n')[0]);
const target = {};
Error.captureStackTrace(target);
console.log(target.stack.split('\n').slice(0, 2).join('\n').replaceAll(__dirname, ''), Object.keys(target));

// A function of the user's makes the stack when it is asked for.
Error.prepareStackTrace = (error, sites) => `${error.message} ${sites[0].getLineNumber()} ${sites[0].getFunctionName()} ${Object.keys(sites).length > 0}`;
function made() { return new Error('prepared'); }
const prepared = made();
prepared.message = 'late';
console.log(prepared.stack);
Error.prepareStackTrace = undefined;
console.log(new Error('again').stack.split('\n')[0]);
