'use strict';
// What fails inside of a domain is the domain's to hear of.
const domain = require('domain');
const EventEmitter = require('events');
const say = (name) => (error) => console.log(name, error.message, error.domainThrown, error.domain === undefined ? 'none' : error.domain.name_, process.domain?.name_);
const make = (name) => { const d = domain.create(); d.name_ = name; d.on('error', say(name)); return d; };
const a = make('a');
a.run(() => { setTimeout(() => { console.log('in', process.domain === a); throw new Error('timer'); }, 1); });
console.log(process.domain, domain.active);
setTimeout(() => {
  const b = make('b');
  console.log(b.run((x, y) => x + y, 1, 2));
  b.run(() => { process.nextTick(() => { throw new Error('tick'); }); });
  setTimeout(next, 5);
}, 10);
function next() {
  const c = make('c');
  c.run(() => { Promise.resolve().then(() => { console.log('then', process.domain === c); require('fs').stat('/', () => { throw new Error('stat'); }); }); });
  setTimeout(emitters, 20);
}
function emitters() {
  const d = make('d');
  let inside;
  d.run(() => { inside = new EventEmitter(); });
  console.log(inside.domain === d, new EventEmitter().domain, Object.keys(inside).includes('domain'));
  inside.on('x', () => { console.log('handler', process.domain === d); });
  inside.emit('x');
  inside.emit('error', new Error('emitted'));
  const other = new EventEmitter();
  d.add(other);
  console.log(d.members.length, other.domain === d);
  other.emit('error', new Error('added'));
  d.remove(other);
  try { other.emit('error', new Error('loose')); } catch (error) { console.log('thrown', error.message); }
  const bound = d.bind((value) => { console.log('bound', value, process.domain === d); throw new Error('in bound'); });
  setTimeout(() => bound(7), 1);
  const intercepted = d.intercept((value) => console.log('intercepted', value));
  intercepted(null, 8);
  intercepted(new Error('given'));
  setTimeout(nested, 10);
}
function nested() {
  const outer = make('outer');
  const inner = make('inner');
  outer.run(() => {
    inner.run(() => { console.log(process.domain === inner); });
    console.log(process.domain === outer);
    inner.enter();
    console.log(domain._stack === undefined || domain._stack.length);
    inner.exit();
    setImmediate(() => { inner.run(() => { throw new Error('nested'); }); });
  });
  setTimeout(() => {
    const e = make('e');
    console.log(e instanceof domain.Domain, e instanceof EventEmitter, typeof domain.createDomain);
    setTimeout(last, 10);
  }, 10);
}
function last() {
  const f = domain.create();
  f.run(() => { setTimeout(() => { throw new Error('nobody listens'); }, 1); });
  process.on('uncaughtException', (error) => console.log('uncaught', error.message, error.domain === undefined));
}
