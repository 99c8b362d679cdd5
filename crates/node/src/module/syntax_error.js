'use strict';
// V8's words for what the engine has against a text. Only where the two say the same thing.

const words = {
  'missing initializer for variable': 'Missing initializer in const declaration',
  'unexpected end of string': 'Invalid or unexpected token',
  'invalid number literal': 'Invalid or unexpected token',
  'function name expected': 'Function statements require a function name',
  'break must be inside loop or switch': 'Illegal break statement',
  'continue must be inside loop': 'Illegal continue statement: no surrounding iteration statement',
  "'let' is not a valid lexical identifier": 'let is disallowed as a lexically bound name',
  'unexpected line terminator in regexp': 'Invalid regular expression: missing /',
  'invalid assignment left-hand side': 'Invalid left-hand side in assignment',
  'super() is only valid in a derived class constructor': "'super' keyword unexpected here",
  "'super' is only valid in a method": "'super' keyword unexpected here",
  'return not in a function': 'Illegal return statement',
  'expecting catch or finally': 'Missing catch or finally after try',
  'invalid keyword: with': 'Strict mode code may not include a with statement',
  'cannot delete a direct reference in strict mode': 'Delete of an unqualified identifier in strict mode.',
  'property constructor appears more than once': 'A class may only have one constructor',
  'Octal literals are not allowed in strict mode': 'Octal literals are not allowed in strict mode.',
  'invalid increment/decrement operand': 'Invalid left-hand side expression in postfix operation',
  'unsupported keyword: export': "Unexpected token 'export'",
  'unexpected end of regexp': 'Invalid regular expression: missing /',
};

// What the engine says of tokens that cannot be where they are.
const misplaced = new Set(['variable name expected', 'invalid property name', 'identifier expected']);

const END = 'Unexpected end of input';

// Words that are no names.
const keywords = new Set(('break case catch class const continue debugger default delete do else export extends false finally ' +
  'for function if import in instanceof new null return super switch this throw true try typeof var void while with').split(' '));

function unexpected(rest) {
  const token = /^\s*(?:([\p{ID_Start}$_][\p{ID_Continue}$]*)|(\d)|(["'])|(`)|(=>|[{}()[\];,<>+*/%&|^!~?:=.-]))/u.exec(rest);
  if (token === null) return 'Invalid or unexpected token';
  if (token[1] !== undefined) return `Unexpected ${keywords.has(token[1]) ? 'token' : 'identifier'} '${token[1]}'`;
  if (token[2] !== undefined) return 'Unexpected number';
  if (token[3] !== undefined) return 'Unexpected string';
  return token[4] !== undefined ? 'Unexpected template string' : `Unexpected token '${token[5]}'`;
}

// Gives the error its message. `text` is what was compiled.
function polish(error, text) {
  if (!(error instanceof SyntaxError)) return;
  const { message } = error;
  const place = /:(\d+):(\d+)\)?$/m.exec(error.stack);
  const lines = text.split('\n');
  const line = place === null ? undefined : lines[place[1] - 1];
  const rest = line === undefined ? '' : [line.slice(place[2] - 1), ...lines.slice(+place[1])].join('\n');
  const token = /^unexpected token in expression: '([^]*)'$/.exec(message);
  let better = words[message];
  if (token !== null) {
    if (rest.trim() === '') better = END;
    else better = token[1] === '@' ? 'Invalid or unexpected token' : `Unexpected token '${token[1]}'`;
  } else if (/^\s*import\b(?!\s*[(.])/.test(line ?? '') && /^Unexpected (?:identifier|token|string)|^expecting '/.test(message)) {
    better = 'Cannot use import statement outside a module';
  } else if (misplaced.has(message)) {
    better = rest.trim() === '' ? END : unexpected(rest);
  } else if (/^expecting '/.test(message)) {
    const before = line === undefined ? '' : line.slice(0, place[2] - 1).trimEnd();
    if (/\bawait$/.test(before)) better = 'await is only valid in async functions and the top level bodies of modules';
    else better = rest.trim() === '' ? END : unexpected(rest);
  } else if (message === 'invalid redefinition of lexical identifier') {
    const name = /^\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)/u.exec(rest) ??
      /([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*$/u.exec(line === undefined ? '' : line.slice(0, place[2] - 1));
    if (name !== null) better = `Identifier '${name[1]}' has already been declared`;
  }
  if (better === undefined) return;
  const { stack } = error;
  error.message = better;
  error.stack = stack.replace(message, () => better);
}

module.exports = { polish };
