// What `captureStackTrace` leaves out: all frames above a function, and all there are if it does not run.
const names = (error) => error.stack.split('\n').slice(1).map((line) => /at (?:new )?([\w.<>]+)/.exec(line)?.[1]);
class Own extends Error {
  constructor(message) {
    super();
    this.message = message;
    Error.captureStackTrace(this, () => undefined);
  }
}
console.log(new Own('without frames').stack);
const plain = {};
Error.captureStackTrace(plain, function absent() {});
console.log(plain.stack);
const within = () => { const error = {}; Error.captureStackTrace(error, within); return error; };
console.log(names(within())[0]);

// As many frames as are wished for, counted from below that function, without those of `call` and `apply`.
class Counted extends Error {
  constructor() { super(); Error.captureStackTrace(this, Counted); }
}
const made = (depth) => (depth === 0 ? new Counted() : made.call(null, depth - 1));
for (const limit of [3, 10, 12]) {
  Error.stackTraceLimit = limit;
  console.log(limit, names(made(20)).length, names(made.apply(null, [20])).length);
}
Error.stackTraceLimit = 10;
