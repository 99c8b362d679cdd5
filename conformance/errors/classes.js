'use strict';
// Constructors of an error are not in its stack.
const shown = (error) => error.stack.split('\n').slice(1, 4).filter((line) => !line.includes('node:')).map((line) => line.trim().replace(/\(?\/.*\//, '')).join(' | ');
class Base extends Error { constructor(message) { super(message); } }
class Implicit extends Base {}
class Nests extends Base {
  constructor(inner) {
    super('nests');
    if (inner) this.inner = new Nests(false);
  }
}
function captures(message) {
  Error.captureStackTrace(this, captures);
  this.message = message;
}
const outer = (Class) => inner(Class);
const inner = (Class) => new Class('x');
for (const Class of [Error, TypeError, Base, Implicit, captures]) console.log(Class.name, shown(outer(Class)));
console.log(shown(new Nests(true).inner));
Error.stackTraceLimit = 0;
console.log(JSON.stringify(shown(outer(Base))));
Error.stackTraceLimit = 10;
console.log(shown(Error('no new')));
try { new (class extends Base { constructor() { super(); throw new Base('in it'); } })(); } catch (error) { console.log(shown(error)); }
try { new (class { constructor() { null.x; } })(); } catch (error) { console.log(shown(error)); }
