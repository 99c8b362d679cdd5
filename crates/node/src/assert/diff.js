'use strict';
// The difference of two lists of lines, by Myers' greedy algorithm, and how AssertionError prints it.

const KEPT = 0;
const ADDED = 1;
const REMOVED = -1;

// Runs of unchanged lines longer than this are cut.
const RUN = 5;

function sameLine(one, other, commas) {
  return one === other || (commas && (`${one},` === other || one === `${other},`));
}

// Steps from `expected` to `actual`, last one first: [kind, line]. With `commas`, a comma at the end is no difference.
function diffLines(actual, expected, commas = false) {
  const width = actual.length + expected.length;
  // How far each diagonal has been followed, before each round.
  const reach = new Int32Array(2 * width + 3);
  const rounds = [];
  for (let round = 0; round <= width; round++) {
    rounds.push(reach.slice());
    for (let diagonal = -round; diagonal <= round; diagonal += 2) {
      const at = diagonal + width;
      let x = goesDown(reach, at, diagonal, round) ? reach[at + 1] : reach[at - 1] + 1;
      let y = x - diagonal;
      while (x < actual.length && y < expected.length && sameLine(actual[x], expected[y], commas)) {
        x++;
        y++;
      }
      reach[at] = x;
      if (x >= actual.length && y >= expected.length) return walkBack(rounds, actual, expected, commas);
    }
  }
  return [];
}

function goesDown(reach, at, diagonal, round) {
  return diagonal === -round || (diagonal !== round && (reach[at - 1] ?? 0) < (reach[at + 1] ?? 0));
}

function walkBack(rounds, actual, expected, commas) {
  const width = actual.length + expected.length;
  const steps = [];
  let x = actual.length;
  let y = expected.length;
  for (let round = rounds.length - 1; round >= 0; round--) {
    const reach = rounds[round];
    const diagonal = x - y;
    const before = goesDown(reach, diagonal + width, diagonal, round) ? diagonal + 1 : diagonal - 1;
    const fromX = reach[before + width] ?? 0;
    const fromY = fromX - before;
    while (x > fromX && y > fromY) {
      x--;
      y--;
      // Of two lines that differ in the comma the one that has it is shown.
      steps.push([KEPT, commas && !actual[x].endsWith(',') ? expected[y] : actual[x]]);
    }
    if (round > 0) steps.push(x > fromX ? [ADDED, actual[--x]] : [REMOVED, expected[--y]]);
  }
  return steps;
}

// The lines of a diff with their marks. `partial`: lines only in actual are no fault, and shown so.
function printDiff(steps, colors, partial) {
  let text = '';
  let skipped = false;
  let kept = 0;
  const plain = (line) => `${colors.white}  ${line}\n`;
  for (let i = steps.length - 1; i >= 0; i--) {
    const [kind, line] = steps[i];
    if (kind !== KEPT && kept > 0) {
      // Cutting one or two lines would save nothing.
      if (kept === RUN + 1) {
        text += plain(steps[i + 1][1]);
      } else if (kept === RUN + 2) {
        text += plain(steps[i + 2][1]) + plain(steps[i + 1][1]);
      } else if (kept > RUN + 2) {
        text += `${colors.blue}...${colors.white}\n${plain(steps[i + 1][1])}`;
        skipped = true;
      }
      kept = 0;
    }
    if (kind === KEPT) {
      if (kept++ < RUN) text += plain(line);
    } else if (kind === REMOVED) {
      text += `${colors.red}-${colors.white} ${line}\n`;
    } else if (partial) {
      text += `${colors.gray}${colors.hasColors ? ' ' : '+'} ${line}${colors.white}\n`;
    } else {
      text += `${colors.green}+${colors.white} ${line}\n`;
    }
  }
  return { message: `\n${text.trimEnd()}`, skipped };
}

// The difference of two strings, letter by letter, told by colours alone.
function printLetters(steps, colors) {
  let text = '\n';
  for (let i = steps.length - 1; i >= 0; i--) {
    const [kind, letter] = steps[i];
    const color = kind === ADDED ? colors.green : kind === REMOVED ? colors.red : colors.white;
    text += `${color}${letter}${colors.white}`;
  }
  return text;
}

module.exports = { diffLines, printDiff, printLetters };
