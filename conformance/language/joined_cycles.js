// An array that is an element of its own is no text there.
const own = [1, 2];
own.push(own);
console.log(JSON.stringify([String(own), own.join(), own.join('-'), own.toString(), own.toLocaleString(), own + '', `${own}`]));
const left = ['left'], right = ['right', left, 3];
left.push(right, 'end');
console.log(String(left), '|', String(right), '|', left.join(';'), '|', left.toLocaleString());
console.log(String([left, left, right]), String([[1, [2, [own]]], own]));
const shared = [7];
console.log(String([shared, shared, [shared]]));

// The same with what is no array.
const like = { length: 2, 0: 'a', toString() { return Array.prototype.join.call(this, '+'); } };
like[1] = like;
console.log(String(like), Array.prototype.join.call({ length: 1, 0: like }), Array.prototype.toString.call(like));
const sub = new (class Sub extends Array {})(1, 2);
sub.push([sub]);
console.log(String(sub), JSON.stringify([sub, 1].join ? String([sub, 1]) : ''));
const sparse = [, 1];
sparse[4] = sparse;
console.log(String(sparse));

// It is known who is joined from when the length and the separator have been asked for.
const asked = [1, 2];
console.log(asked.join({ toString() { return '<>'; } }));
const empty = [];
console.log(JSON.stringify(String(empty)));
const getter = { get length() { return inner.join('/').length; }, 0: 'x' };
const inner = [1, getter, 2];
getter.toString = () => Array.prototype.join.call(getter);
console.log(inner.join('/'));

// Who throws is joined no longer.
const thrown = [1, { toString() { throw new Error('no text'); } }];
for (let at = 0; at < 2; at++) try { String(thrown); } catch (error) { console.log(error.message); }
thrown[1] = 2;
console.log(String(thrown));
const replaced = [1];
replaced.push({ toString() { return `(${replaced.join()})`; } });
console.log(replaced.join());

// Typed arrays have nothing but numbers.
const typed = new Uint8Array([1, 2]);
console.log(typed.toLocaleString(), typed.join({ toString() { return typed.join(); } }));

// Deep ones are read to the end.
let deep = [1];
for (let at = 0; at < 1000; at++) deep = [deep, at % 10];
console.log(String(deep).length);
const json = [1, { toJSON() { return String(json); } }];
json.push(json.toString === Array.prototype.toString);
console.log(JSON.stringify(json));
