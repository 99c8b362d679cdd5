'use strict';

// Parser of .env files, as `src/node_dotenv.cc: Dotenv::ParseContent`.

const trim = (text) => text.replace(/^[ \t\n]+|[ \t\n]+$/g, '');

// The text after the line that contains position `from`.
function afterLine(text, from = 0) {
  const end = text.indexOf('\n', from);
  return end === -1 ? '' : text.slice(end + 1);
}

function lineOf(text) {
  const end = text.indexOf('\n');
  return end === -1 ? text : text.slice(0, end);
}

// Parses the value at the start of `text`. Returns [value, remaining text].
function takeValue(text) {
  const mark = text[0];
  if (mark !== '"' && mark !== "'" && mark !== '`') {
    return [trim(lineOf(text).split('#', 1)[0]), trim(afterLine(text))];
  }
  const end = text.indexOf(mark, 1);
  // Without a closing quote, the opening quote is part of the value.
  if (end === -1) return [lineOf(text), trim(afterLine(text))];
  const inside = text.slice(1, end);
  return [mark === '"' ? inside.replaceAll('\\n', '\n') : inside, afterLine(text, end + 1)];
}

function parse(content) {
  const result = {};
  let text = trim(content.replaceAll('\r', ''));
  while (text !== '') {
    if (text[0] === '\n' || text[0] === '#') {
      text = afterLine(text);
      continue;
    }
    const at = text.search(/[=\n]/);
    if (at === -1) break;
    if (text[at] === '\n') {
      text = trim(text.slice(at + 1));
      continue;
    }
    let key = trim(text.slice(0, at));
    text = text.slice(at + 1);
    if (text === '' || text[0] === '\n') {
      result[key] = '';
      continue;
    }
    text = trim(text);
    if (key === '') continue;
    if (key.startsWith('export ')) key = trim(key.slice(7));
    if (text === '') {
      result[key] = '';
      break;
    }
    [result[key], text] = takeValue(text);
  }
  return result;
}

module.exports = { parse };
