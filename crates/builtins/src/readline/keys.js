'use strict';
// Decodes terminal input into keys: escape sequences, control characters and letters. As
// `lib/internal/readline/utils.js: emitKeys`.

const kEscape = '\x1b';

// Unfinished sequences: one or two escapes; after them `O` with an optional digit, or one or two brackets with up to
// three digits and an optional `;` and modifier digit.
const kUnfinished = /^\x1b(?:\x1b?|\x1b?O\d?|\x1b?\[\[?\d{0,3}(?:;\d?)?)$/;

// ESC [ [ number ; modifier, and a final character. A number of three digits has no modifier: it marks the start or end
// of a paste.
const kNumbered = /^(\[\[?)(?:(\d\d?)(?:;(\d))?([~^$])|(\d{3}~))$/;
// ESC [ 1 ; modifier letter. The first number or both numbers may be missing.
const kLettered = /^(\[\[?)(?:(?:\d;)?(\d))?([A-Za-z])$/;
// ESC O modifier letter.
const kShort = /^O(\d)?([^])$/;

// Bits of the modifier; terminals send their sum plus one.
const kShift = 1;
const kMeta = 2 | 8;
const kCtrl = 4;

// From sequences of xterm, gnome-terminal, rxvt, putty and Cygwin to key names.
const names = new SafeMap();

function name(texts, key, modifier = 0) {
  for (const text of texts.split(' ')) names.set(text, { key, modifier });
}

name('OP [P [11~ [[A', 'f1');
name('OQ [Q [12~ [[B', 'f2');
name('OR [R [13~ [[C', 'f3');
name('OS [S [14~ [[D', 'f4');
name('[15~ [[E', 'f5');
['[17~', '[18~', '[19~', '[20~', '[21~', '[23~', '[24~'].forEach((text, at) => name(text, `f${at + 6}`));
name('[200~', 'paste-start');
name('[201~', 'paste-end');
name('[A OA', 'up');
name('[B OB', 'down');
name('[C OC', 'right');
name('[D OD', 'left');
name('[E OE', 'clear');
name('[F OF [4~ [8~', 'end');
name('[H OH [1~ [7~', 'home');
name('[2~', 'insert');
name('[3~', 'delete');
name('[5~ [[5~', 'pageup');
name('[6~ [[6~', 'pagedown');
name('[Z', 'tab', kShift);
// rxvt encodes shift and ctrl in the last character.
['up', 'down', 'right', 'left', 'clear'].forEach((key, at) => {
  const letter = 'abcde'[at];
  name(`[${letter}`, key, kShift);
  name(`O${letter}`, key, kCtrl);
});
for (const [digit, key] of [[2, 'insert'], [3, 'delete'], [5, 'pageup'], [6, 'pagedown'], [7, 'home'], [8, 'end']]) {
  name(`[${digit}$`, key, kShift);
  name(`[${digit}^`, key, kCtrl);
}

// Characters whose key name is the same after an escape (meta).
const plainNames = {
  '__proto__': null, '\r': 'return', '\n': 'enter', '\t': 'tab', '\b': 'backspace', '\x7f': 'backspace',
  [kEscape]: 'escape', ' ': 'space',
};

// Splits a sequence without its escapes: [sequence without modifier, modifier bits].
function parted(text) {
  let match = kShort.exec(text);
  if (match !== null) return [`O${match[2]}`, match[1] === undefined ? 0 : match[1] - 1];
  match = kNumbered.exec(text);
  if (match !== null) {
    return match[5] ? [match[1] + match[5], 0] : [match[1] + match[2] + match[4], (match[3] ?? 1) - 1];
  }
  match = kLettered.exec(text);
  if (match !== null) return [match[1] + match[3], (match[2] ?? 1) - 1];
  return [text, 0];
}

function functionKey(key, text) {
  const [code, modifier] = parted(text);
  const known = names.get(code);
  const held = modifier | (known?.modifier ?? 0);
  key.ctrl = (held & kCtrl) !== 0;
  key.meta = (held & kMeta) !== 0;
  key.shift = (held & kShift) !== 0;
  key.code = code;
  key.name = known?.key ?? 'undefined';
}

function letterKey(key, character, isEscaped) {
  if (plainNames[character] !== undefined) {
    key.name = plainNames[character];
    key.meta = isEscaped;
  } else if (!isEscaped && character <= '\x1a') {
    key.name = String.fromCharCode(character.charCodeAt(0) + 96);
    key.ctrl = true;
  } else if (/^[0-9A-Za-z]$/.test(character)) {
    key.name = character.toLowerCase();
    key.shift = /^[A-Z]$/.test(character);
    key.meta = isEscaped;
  } else if (isEscaped) {
    // An empty character means that nothing followed the escape in time: the Escape key.
    key.name = character === '' ? 'escape' : undefined;
    key.meta = true;
  }
}

// Takes characters one by one. When a key is complete, returns [text, key]; `text` is undefined for escape sequences.
class KeyDecoder {
  #sent = '';

  take(character) {
    const sequence = this.#sent + character;
    if (character !== '' && kUnfinished.test(sequence)) {
      this.#sent = sequence;
      return undefined;
    }
    this.#sent = '';
    if (sequence === '') return undefined;
    const isEscaped = sequence[0] === kEscape;
    const key = { sequence, name: undefined, ctrl: false, meta: false, shift: false };
    const behind = isEscaped ? sequence.slice(sequence[1] === kEscape ? 2 : 1) : sequence;
    if (isEscaped && (behind[0] === 'O' || behind[0] === '[')) functionKey(key, behind);
    else letterKey(key, behind, isEscaped);
    if (isEscaped) return [undefined, key];
    return key.name !== undefined || [...sequence].length === 1 ? [sequence, key] : undefined;
  }
}

// Code units of the character at or before a position; 1 at the end of the text. As `lib/internal/readline/utils.js:
// charLengthAt`, `charLengthLeft`.
const lengthAt = (text, at) => (text.codePointAt(at) > 0xffff ? 2 : 1);
const lengthBefore = (text, at) => (at <= 0 ? 0 : at > 1 && text.codePointAt(at - 2) > 0xffff ? 2 : lengthAt(text, at - 1));

module.exports = { KeyDecoder, kEscape, lengthAt, lengthBefore };
