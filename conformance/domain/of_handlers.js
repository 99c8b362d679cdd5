// Which domain is the active one where an error is heard, and after.
const domain = require('domain');
const EventEmitter = require('events');
const d = domain.create();
const outer = domain.create();
const name = () => (process.domain === outer ? 'outer' : process.domain === d ? 'own' : String(process.domain));
d.on('error', (error) => console.log('heard', error.message, name()));
setTimeout(() => d.run(() => { throw new Error('thrown'); }), 1);
setTimeout(() => {
  console.log('after', name());
  outer.run(() => d.run(() => { throw new Error('within another'); }));
}, 10);
setTimeout(() => {
  console.log('after', name());
  const emitter = new EventEmitter();
  d.add(emitter);
  emitter.emit('error', new Error('emitted'));
  console.log('after', name());
  d.run(() => console.log('in', name()));
  console.log('after', name());
}, 20);
