'use strict';
// Timers and immediates take properties like any object, and so does whatever else is made with their prototypes.
const made = [setTimeout(() => {}, 1), setImmediate(() => {})];
for (const object of made) {
  const { constructor: Class } = object;
  console.log(Class.name);

  for (const name of 'abcdefghij') object[name] = name;
  delete object.b;
  console.log(Object.keys(object).slice(-9).join(), object.b, object.j);
  Object.setPrototypeOf(object, null);
  object.k = 'k';
  console.log(object.k, Object.getPrototypeOf(object));

  const plain = Object.create(Class.prototype);
  console.log(Object.isFrozen(Object.freeze(plain)), Object.keys(plain));
  const filled = Object.assign(Object.create(Class.prototype), { a: 1, b: 2, c: 3 });
  console.log(JSON.stringify({ ...filled }));

  const array = Reflect.construct(Array, [1, 2, 3], Class);
  array.own = 'own';
  console.log(Array.isArray(array), array.length, [].push.call(array, 4), array.own);
  const map = Reflect.construct(Map, [], Class);
  map.own = 'own';
  Map.prototype.set.call(map, 1, 2);
  console.log(Map.prototype.get.call(map, 1), map.own);
  console.log(Reflect.construct(Function, ['return 7'], Class)(), Reflect.construct(Error, ['said'], Class).message);
  console.log(RegExp.prototype.exec.call(Reflect.construct(RegExp, ['a'], Class), 'bab').index);
  const bytes = Reflect.construct(Uint8Array, [4], Class);
  bytes.own = 'own';
  console.log(bytes.length, bytes.own, Object.assign(Reflect.construct(Promise, [() => {}], Class), { own: 'own' }).own);
  console.log(Number(Reflect.construct(Number, [5], Class).valueOf === undefined), Object.keys(Reflect.construct(Date, [0], Class)));
}
