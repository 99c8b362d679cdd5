// A session of the inspector: what it refuses, and the answer to a command that the inspector does not know.
const inspector = require('inspector');
const promises = require('inspector/promises');
const { Worker, isMainThread } = require('worker_threads');

const attempt = (what, act) => {
  try { console.log(what, act()); } catch (error) { console.log(what, error.name, error.code, error.message); }
};
const session = new inspector.Session();
if (!isMainThread) {
  attempt('to the main thread', () => session.connectToMainThread());
  attempt('twice', () => session.connectToMainThread());
  session.post('None.such', (error) => console.log('answered', error.message));
  console.log('asked');
  setImmediate(() => session.disconnect());
  return;
}
attempt('not connected', () => session.post('None.such'));
attempt('disconnect', () => session.disconnect());
attempt('connect', () => session.connect());
attempt('twice', () => session.connect());
attempt('to the main thread', () => session.connectToMainThread());
for (const words of [[], [5], ['None.such', 5], ['None.such', {}, 5], ['None.such', null, null], ['None.such']]) {
  attempt(words.length, () => session.post(...words));
}
session.post('None.such', function(error) { console.log(error.name, error.code, error.message, Object.keys(error), arguments.length); });
session.post('', { some: 1 }, (error) => console.log(error.message));
console.log('asked');
attempt('disconnect', () => session.disconnect());
attempt('again', () => session.post('None.such'));
attempt('connect', () => session.connect());
const promised = new promises.Session();
console.log(promised instanceof inspector.Session, typeof promises.url);
promised.connect();
promised.post('None.such').catch((error) => console.log('rejected', error.code, error.message)).then(() => new Worker(__filename));
