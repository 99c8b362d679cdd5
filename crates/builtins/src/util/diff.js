'use strict';

// Shortest edit script between two lists, by the algorithm of E. Myers, "An O(ND) Difference Algorithm". For `util.diff` and the diffs of
// AssertionError (`lib/internal/assert/myers_diff.js`).

// True if two lines are equal. With `ignoreCommas`, they may differ by a comma at the end: `inspect` prints a comma after every entry except the
// last.
function isSame(a, b, ignoreCommas) {
  return a === b || (ignoreCommas && (`${a},` === b || a === `${b},`));
}

// Returns a list of [-1, line] (only in `expected`), [0, line] (in both) and [1, line] (only in `actual`).
function myersDiff(actual, expected, ignoreCommas = false) {
  const max = actual.length + expected.length;
  // `reach`: the furthest x of each diagonal. `trace`: for each step, the part of `reach` that it has read, for backtracking.
  const reach = new Int32Array(2 * max + 2);
  const trace = [];
  for (let step = 0; step <= max; step++) {
    trace.push(reach.slice(max - step, max + step + 2));
    for (let diagonal = -step; diagonal <= step; diagonal += 2) {
      const goesDown = diagonal === -step ||
        (diagonal !== step && reach[max + diagonal - 1] < reach[max + diagonal + 1]);
      let x = goesDown ? reach[max + diagonal + 1] : reach[max + diagonal - 1] + 1;
      while (x < actual.length && x - diagonal < expected.length &&
             isSame(actual[x], expected[x - diagonal], ignoreCommas)) x++;
      reach[max + diagonal] = x;
      if (x >= actual.length && x - diagonal >= expected.length) {
        return walkBack(trace, actual, expected, ignoreCommas);
      }
    }
  }
  return [];
}

function walkBack(trace, actual, expected, ignoreCommas) {
  const result = [];
  let x = actual.length;
  let y = expected.length;
  const keep = () => {
    x--;
    y--;
    // If the lines differ by a comma, the line with the comma is shown.
    result.push([0, ignoreCommas && !actual[x].endsWith(',') ? expected[y] : actual[x]]);
  };
  for (let step = trace.length - 1; step > 0; step--) {
    const at = (diagonal) => trace[step][diagonal + step];
    const diagonal = x - y;
    const cameDown = diagonal === -step || (diagonal !== step && at(diagonal - 1) < at(diagonal + 1));
    const before = cameDown ? diagonal + 1 : diagonal - 1;
    const beforeX = at(before);
    const beforeY = beforeX - before;
    while (x > beforeX && y > beforeY) keep();
    if (x > beforeX) result.push([1, actual[--x]]);
    else result.push([-1, expected[--y]]);
  }
  while (x > 0 && y > 0) keep();
  return result.reverse();
}

function diff(actual, expected) {
  if (actual === expected) return [];
  const { validateString, validateStringArray } = require('internal/validators');
  for (const [value, name] of [[actual, 'actual'], [expected, 'expected']]) {
    if (Array.isArray(value)) validateStringArray(value, name);
    else validateString(value, name);
  }
  return myersDiff(actual, expected);
}

module.exports = { diff, myersDiff };
