'use strict';
// Formats a diff of `myersDiff` (internal/util/diff) for AssertionError. As `lib/internal/assert/myers_diff.js:
// printMyersDiff`.

// The kinds of lines in the result of `myersDiff`.
const KEPT = 0;
const ADDED = 1;
const REMOVED = -1;

// Longer runs of unchanged lines are abbreviated.
const RUN = 5;

// Formats the lines of a diff with their signs. `partial`: lines that only `actual` has are no difference.
function printDiff(steps, colors, partial) {
  let text = '';
  let skipped = false;
  let kept = 0;
  const plain = (line) => `${colors.white}  ${line}\n`;
  for (let i = 0; i < steps.length; i++) {
    const [kind, line] = steps[i];
    if (kind !== KEPT && kept > 0) {
      // Do not abbreviate one or two lines.
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

// Formats the diff of two strings, character by character, marked by colors only. As
// `lib/internal/assert/myers_diff.js: printSimpleMyersDiff`.
function printLetters(steps, colors) {
  let text = '\n';
  for (const [kind, letter] of steps) {
    const color = kind === ADDED ? colors.green : kind === REMOVED ? colors.red : colors.white;
    text += `${color}${letter}${colors.white}`;
  }
  return text;
}

module.exports = { printDiff, printLetters };
