'use strict';
// Properties that cannot be written, by every way of writing one; and constants, which are something else.
const name = 'b';
const frozen = Object.freeze({ a: 1, b: 2, 3: 4, deep: Object.freeze({ c: 1 }) });
const tries = {
  named: () => { frozen.a = 2; },
  computed: () => { frozen[name] = 2; },
  text: () => { frozen['a'] = 2; },
  sum: () => { frozen.a += 1; },
  'sum, computed': () => { frozen[name] += 1; },
  after: () => { frozen.a++; },
  before: () => { --frozen.a; },
  'after, computed': () => { frozen[name]++; },
  deep: () => { frozen.deep.c = 2; },
  either: () => { frozen.none ??= frozen.a = 2; },
  constant: () => { const c = 1; c = 2; },
  'constant, after': () => { const c = 1; c++; },
  'constant, sum': () => { const c = 1; c += frozen.a; },
};
for (const [way, attempt] of Object.entries(tries)) {
  try {
    attempt();
  } catch (error) {
    console.log(`${way}: ${error.message}`);
  }
}
