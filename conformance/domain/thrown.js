'use strict';
// `domain`: who hears of which error.

const domain = require('domain');
const EventEmitter = require('events');

const { log } = console;
const named = (name) => {
  const made = domain.create();
  made.name = name;
  made.on('error', (error) => log(name, 'heard', error.message, error.domainThrown, error.domain === made, process.domain?.name));
  return made;
};

log(process.domain, domain.active, EventEmitter.usingDomains);
const first = named('first');
const second = named('second');

// What is emitted.
const emitter = first.run(() => new EventEmitter());
log(emitter.domain === first, process.domain);
log(emitter.emit('error', new Error('emitted')));
emitter.on('event', () => log('inside', process.domain.name));
emitter.emit('event');
const added = new EventEmitter();
second.add(added);
added.emit('error', new Error('added'));
log(second.members.length);
second.remove(added);
log(second.members.length, added.domain);

// What is called back.
const bound = first.bind((text) => `${text} ${process.domain.name}`);
log(bound('bound'), bound.domain === first);
const intercepted = second.intercept((text) => `${text} ${process.domain.name}`);
log(intercepted(null, 'intercepted'), intercepted(new Error('intercepted')));

// What is thrown later.
first.run(() => {
  setTimeout(() => {
    log('timer', process.domain.name);
    throw new Error('from a timer');
  }, 1);
  process.nextTick(() => {
    log('tick', process.domain.name);
    second.run(() => {
      log('nested', domain._stack.length);
      Promise.resolve().then(() => log('promise', process.domain.name, domain._stack.length));
      setTimeout(() => { throw new Error('from a nested timer'); }, 10);
    });
  });
});
log('outside', process.domain);

// Who throws in its handler leaves it to the one outside.
setTimeout(() => {
  const thrower = domain.create();
  thrower.on('error', () => { throw new Error('from a handler'); });
  first.run(() => thrower.run(() => { throw new Error('first of two'); }));
}, 20);

setTimeout(() => {
  process.on('uncaughtException', (error) => log('uncaught', error.message, process.domain));
  domain.create().run(() => { throw new Error('unheard'); });
}, 40);
