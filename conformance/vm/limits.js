// How long a script may run, and what ends it.
const vm = require('vm');
const show = (run) => {
  try {
    console.log(run());
  } catch (error) {
    console.log(error.name, error.code, error.message, error.stack.split('\n')[0]);
  }
};
show(() => vm.runInThisContext('while (true) {}', { timeout: 20 }));
show(() => vm.runInThisContext('try { while (true) {} } finally { globalThis.reached = true }', { timeout: 20 }));
console.log(globalThis.reached);
show(() => vm.runInThisContext('try { while (true) {} } catch { 5 }', { timeout: 20 }));
show(() => vm.runInThisContext('1 + 1', { timeout: 1000 }));
show(() => vm.runInThisContext('throw new RangeError("mine")', { timeout: 1000 }));
globalThis.inner = () => vm.runInThisContext('while (true) {}', { timeout: 20 });
show(() => vm.runInThisContext('try { inner() } catch (error) { error.code }', { timeout: 60000 }));
globalThis.outer = () => vm.runInThisContext('while (true) {}', { timeout: 60000 });
show(() => vm.runInThisContext('try { outer() } catch (error) { error.code }', { timeout: 20 }));
const heard = [];
process.on('SIGINT', () => heard.push('listener'));
globalThis.kill = () => process.kill(process.pid, 'SIGINT');
show(() => vm.runInThisContext('kill(); while (true) {}', { breakOnSigint: true }));
show(() => vm.runInThisContext('kill(); while (true) {}', { breakOnSigint: true, timeout: 60000 }));
console.log(heard, process.listenerCount('SIGINT'));
show(() => vm.runInThisContext('5', { breakOnSigint: true }));
process.removeAllListeners('SIGINT');
console.log('done');
