// Why an event of a constructor is emitted by a tick: nobody listens yet.
const EventEmitter = require('events');
class Early extends EventEmitter {
  constructor() {
    super();
    this.emit('made', 'too early');
  }
}
class Late extends EventEmitter {
  constructor() {
    super();
    process.nextTick(() => this.emit('made', 'in time'));
  }
}
new Early().on('made', (when) => console.log('Early', when));
new Late().on('made', (when) => console.log('Late', when));

// And why an API is either always synchronous or never: `bar` is there when the callback runs.
let bar;
function someAsyncApiCall(callback) { process.nextTick(callback); }
someAsyncApiCall(() => console.log('bar', bar));
bar = 1;
function apiCall(arg, callback) {
  if (typeof arg !== 'string') return process.nextTick(callback, new TypeError('argument should be string'));
  return process.nextTick(callback, null, arg);
}
apiCall(42, (error) => console.log(error.message));
apiCall('x', (error, value) => console.log(error, value));
console.log('main done');
