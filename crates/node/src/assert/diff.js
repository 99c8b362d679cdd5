'use strict';
// How AssertionError prints the difference of two lists of lines, which is `myersDiff` of internal/util/diff.

// What `myersDiff` marks lines with.
const KEPT = 0;
const ADDED = 1;
const REMOVED = -1;

// Runs of unchanged lines longer than this are cut.
const RUN = 5;

// The lines of a diff with their marks. `partial`: lines only in actual are no fault, and shown so.
function printDiff(steps, colors, partial) {
  let text = '';
  let skipped = false;
  let kept = 0;
  const plain = (line) => `${colors.white}  ${line}\n`;
  for (let i = 0; i < steps.length; i++) {
    const [kind, line] = steps[i];
    if (kind !== KEPT && kept > 0) {
      // Cutting one or two lines would save nothing.
      if (kept === RUN + 1) {
        text += plain(steps[i - 1][1]);
      } else if (kept === RUN + 2) {
        text += plain(steps[i - 2][1]) + plain(steps[i - 1][1]);
      } else if (kept > RUN + 2) {
        text += `${colors.blue}...${colors.white}\n${plain(steps[i - 1][1])}`;
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
  for (const [kind, letter] of steps) {
    const color = kind === ADDED ? colors.green : kind === REMOVED ? colors.red : colors.white;
    text += `${color}${letter}${colors.white}`;
  }
  return text;
}

module.exports = { printDiff, printLetters };
