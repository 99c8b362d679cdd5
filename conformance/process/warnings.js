// 'warning' events: what they carry, and when.
const show = (w) => console.log(w.name, w.message, w.code, w.detail, w instanceof Error, typeof w.stack);
process.on('warning', show);
process.emitWarning('plain');
process.emitWarning('typed', 'Custom', 'C1');
process.emitWarning('with detail', { type: 'T', code: 'X9', detail: 'the detail' });
process.emitWarning('empty options', {});
process.emitWarning(new RangeError('an error'));
process.emitWarning('old', 'DeprecationWarning', 'DEP1');
process.emitWarning('constructor', show);
process.noDeprecation = true;
process.emitWarning('not heard', 'DeprecationWarning');
process.noDeprecation = false;
process.throwDeprecation = true;
process.on('uncaughtException', (e) => console.log('thrown', e.name, e.message));
process.emitWarning('thrown', 'DeprecationWarning');
process.throwDeprecation = false;
console.log('all said');
process.nextTick(() => console.log('tick'));
