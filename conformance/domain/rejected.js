// Which domain hears of a promise that nobody handles: the one that it was rejected in.
const domain = require('domain');
const d = domain.create();
d.on('error', (error) => console.log('heard', error.message, process.domain === d, error.domain === d, error.domainThrown));
process.on('unhandledRejection', (error) => console.log('unhandled', error.message, process.domain === d));
d.run(() => { Promise.reject(new Error('at once')); });
d.run(async () => {
  await 1;
  throw new Error('after an await');
});
let rejectOutside;
d.run(() => { new Promise((resolve, reject) => { rejectOutside = reject; }); });
setTimeout(() => rejectOutside(new Error('made within, rejected outside')), 1);
let rejectWithin;
new Promise((resolve, reject) => { rejectWithin = reject; });
d.run(() => setTimeout(() => rejectWithin(new Error('made outside, rejected within')), 10));
d.run(() => setTimeout(() => Promise.resolve().then(() => { throw new Error('by a reaction'); }), 20));
setTimeout(() => {
  Promise.reject(new Error('outside'));
  d2.run(() => { Promise.reject(new Error('nobody listens to this one')); });
}, 30);
const d2 = domain.create();
process.on('uncaughtException', (error) => console.log('uncaught', error.message));
