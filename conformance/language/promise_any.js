// What Promise.any rejects with, and lists that would be too long.
'use strict';
const tell = (error) => {
  console.log(error, Object.getOwnPropertyNames(error), Object.getOwnPropertyDescriptor(error, 'message'), error.stack, error instanceof AggregateError);
};
Promise.any([Promise.reject(1), Promise.reject(2)]).catch(tell);
Promise.any([]).catch(tell);

const long = { length: 2 ** 53 - 1, [Symbol.isConcatSpreadable]: true };
for (const verb of [() => [1].concat(long), () => [].unshift.call(long, 1), () => [].splice.call(long, 0, 0, 1)]) {
  try {
    verb();
  } catch ({ name, message }) {
    console.log(name, message);
  }
}
