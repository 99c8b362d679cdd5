// Messages that name values: what cannot be extended, searched, walked over or taken apart; and calls inside of a function that is
// called where it stands.
const tell = (run) => { try { run(); console.log('nothing'); } catch (error) { console.log(`${error.name}: ${error.message}`); } };
const { Missing } = require('fs');
const user = { name: undefined, list: undefined, config: 'text', count: 5, none: null };

tell(() => { class Own extends 'text' {} });
tell(() => { class Own extends user {} });
tell(() => user instanceof Missing);
tell(() => user instanceof 5);
tell(() => user instanceof user);
tell(() => 'key' in user.config);
tell(() => 'key' in Missing);
tell(() => 7 in null);
tell(() => 'key' in user);
tell(() => new Map(true));
tell(() => new Set(Symbol('s')));
tell(() => new Set({}));
tell(() => Array.from(5).length);
tell(() => {
  const { first } = user.list;
});
tell(() => {
  const { first } = user.none;
});
function taken({ one, two }) { return one; }
tell(() => taken());
tell(() => taken(null));
tell(() => taken({}));
tell(() => { delete Missing.key; });
tell(() => Object.keys(null));
tell(() => BigInt('12x'));
tell(() => BigInt(1.5));
tell(() => new RegExp('['));
tell(() => new RegExp('a\\'));

const table = {}, key = 'k';
tell(() => (function() { table.go(); })());
tell(() => (() => table[key]())());
tell(() => (() => process.missing())());
tell(() => (function() { return new table.Made(); })());
(async () => table[key]())().catch((error) => console.log(error.message));
(async () => { await table.deep(); })().catch((error) => console.log(error.message));

// An error that keeps no stack, and a walk that goes well, leave nothing behind for the next error.
const limit = Error.stackTraceLimit;
Error.stackTraceLimit = 0;
Error.stackTraceLimit = limit;
Object.defineProperty(Symbol.prototype, Symbol.iterator, { value: function* () { yield 1; }, configurable: true });
for (const one of Symbol(`walked ${key}`)) console.log(one);
delete Symbol.prototype[Symbol.iterator];
tell(() => Missing.key);
tell(() => user instanceof user);
