'use strict';
// Constructors of an error are not in its stack, and are not counted.
const shown = (error) => error.stack.split('\n').slice(1).map((line) => line.trim().replace(/\(?\/.*\//, '')).join(' | ');
class Base extends Error { constructor(message) { super(message); } }
class Few extends Base {
  constructor(message) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 2;
    super(message);
    Error.stackTraceLimit = limit;
  }
}
class Implicit extends Few {}
class Nests extends Base {
  constructor(inner) {
    super('nests');
    if (inner) this.inner = new Nests(false);
  }
}
function Old(message) { return Reflect.construct(Error, [message], Old); }
Object.setPrototypeOf(Old.prototype, Error.prototype);
function captures(message) {
  Error.captureStackTrace(this, captures);
  this.message = message;
}
const outer = (Class) => inner(Class);
const inner = (Class) => new Class('x');
Error.stackTraceLimit = 3;
for (const Class of [Error, TypeError, Base, Few, Implicit, Old, captures]) console.log(Class.name, shown(outer(Class)));
Error.stackTraceLimit = 2;
console.log(shown(new Nests(true).inner));
Error.stackTraceLimit = 1;
console.log(shown(outer(Base)));
Error.stackTraceLimit = 0;
console.log(JSON.stringify(shown(outer(Base))));
Error.stackTraceLimit = 1;
console.log(shown(Error('no new')));
try { new (class extends Base { constructor() { super(); throw new Base('in it'); } })(); } catch (error) { console.log(shown(error)); }
try { new (class { constructor() { null.x; } })(); } catch (error) { console.log(shown(error)); }
