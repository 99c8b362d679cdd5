// What JSON.parse and JSON.stringify say about what they do not take.
const texts = [
  '', '   ', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{,}', "{'a':1}", '{1:2}', '{"a" 1}', '{"a":1 "b"}', '[', '[1', '[1,',
  '[1,]', '[,1]', '[1 2]', '[tru]', '01', '-', '1.', '1e', '1e+', '--1', '+1', '.5', '1 2', '"a" "b"', '"abc', '"\\x"', '"\\u12"', '"a\nb"',
  '"\\', 'nul', 'truex', 'abc', 'undefined', 'NaN', 'Infinity', '[object Object]', '{"a":\n nope}', '{"a": 1}\n\n}', '//x', '\ufeff{}',
  '{"aaaaaaaaaaaaaaaaaaaaaaaaaaa": x, "bbbbbbbbbbbbbbbbbbbbbbb": 1}', '<!DOCTYPE html><html></html>', '<html>', '["aaaaaaaaaaaaaaaaaaaaa", x]',
];
for (const text of [...texts, undefined, {}, Symbol.iterator, null, 5]) {
  try {
    console.log(JSON.stringify(text) ?? String(text), JSON.parse(text));
  } catch (error) {
    console.log(JSON.stringify(text) ?? String(text), `${error.name}: ${error.message}`, error.stack.startsWith(`${error}\n    at JSON.parse (`));
  }
}

class Node { constructor(parent) { this.parent = parent; this.children = []; } }
const root = new Node(null);
root.children.push(new Node(root));
const own = {};
own.own = own;
const list = [0];
list.push(list);
const bare = Object.create(null);
bare.bare = bare;
const deep = { a: { b: { c: { d: { e: {} } } } } };
deep.a.b.c.d.e.f = deep;
const inner = { x: { y: {} } };
inner.x.y.z = inner.x;
for (const value of [root, own, list, bare, deep, inner, { of: [deep] }, 1n, { big: 1n }]) {
  try {
    JSON.stringify(value);
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
}
console.log(JSON.parse('[1,{"a":null}]', (key, value) => (key === '0' ? 2 : value)), JSON.stringify({ a: [1] }, null, 1), JSON.parse.length);
