// A getter named `exports` on Object.prototype breaks no builtin module that is loaded later.
Object.defineProperty(Object.prototype, 'exports', { get() { throw new Error('exports'); }, configurable: true });
console.log(typeof require('zlib').gzipSync, typeof require('readline').createInterface);
setTimeout(() => console.log('timer'), 1);
