// What is awaited and is no promise takes one turn, whatever it is, and is asked for `then` once.
const log = [];
const turns = async (name, count) => { for (let i = 1; i <= count; i++) { await null; log.push(`${name}${i}`); } };

const asked = [];
const withGetter = { get then() { asked.push('getter'); return undefined; } };
const withThrower = { get then() { throw new Error('asked for then'); } };
const proxy = new Proxy({}, { get(target, key) { asked.push(String(key)); return undefined; } });
const bytes = new Uint8Array(2);
const thenable = { then(resolve) { asked.push('then'); resolve('resolved'); } };
const listWithThen = Object.assign([1], { then(resolve) { resolve('from a list'); } });
const bytesWithThen = Object.assign(new Uint8Array(1), { then(resolve) { resolve('from bytes'); } });
class Later extends Promise {}
const values = {
  number: 1, text: 'a', object: { a: 1 }, list: [1], bytes, buffer: Buffer.from('b'), function: function f() {}, date: new Date(0),
  none: Object.create(null), notCallable: { then: 1 }, inherited: Object.create({ then: 'text' }), regexp: /a/,
  arguments: (function() { return arguments; })(1), boxed: Object('ab'), withGetter, proxy, thenable, listWithThen, bytesWithThen,
  promise: Promise.resolve('p'), later: Later.resolve('l'), withThrower,
};

async function* yielding(value) { yield value; }
async function* delegating(value) { yield* [value]; }

async function main() {
  for (const [name, value] of Object.entries(values)) {
    for (const way of ['await', 'yield', 'yield*', 'return']) {
      log.length = asked.length = 0;
      const beside = turns('t', 5);
      let got;
      try {
        if (way === 'await') got = await value;
        else if (way === 'return') got = await (async () => value)();
        else for await (got of way === 'yield' ? yielding(value) : delegating(value));
      } catch (error) {
        got = error.message;
      }
      const after = log.join('');
      await beside;
      const shown = got === value ? 'the same' : got;
      console.log(name, way, shown, 'after', after || 'none', asked.join());
    }
  }
  // Somebody makes every object a thenable.
  Object.prototype.then = function(resolve) { delete Object.prototype.then; resolve('from the prototype'); };
  console.log(await { a: 1 });
  Array.prototype.then = 5;
  console.log(await [1]);
  delete Array.prototype.then;
  // The functions that settle a promise are like others.
  new Promise((resolve, reject) => {
    for (const settle of [resolve, reject]) console.log(Object.getOwnPropertyDescriptors(settle), Reflect.ownKeys(settle));
    resolve.more = 1;
    delete resolve.name;
    console.log(Reflect.ownKeys(resolve), Reflect.ownKeys(reject));
    resolve();
  });
  const { proxy: one, revoke } = Proxy.revocable({}, {});
  console.log(typeof one, Reflect.ownKeys(revoke));
  async function* closing() { try { yield 1; yield 2; } finally { await { a: 1 }; console.log('closed'); } }
  for await (const x of closing()) { console.log(x); break; }
  const generator = closing();
  console.log(await generator.next(), await generator.throw(new Error('thrown in')).catch((error) => error.message), await generator.next());
}
main();
