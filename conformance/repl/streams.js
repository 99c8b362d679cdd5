'use strict';
// A prompt on streams.
const repl = require('repl');
const { PassThrough } = require('stream');

async function session(options, lines) {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  output.on('data', (chunk) => { text += chunk; });
  const server = repl.start({ input, output, prompt: '> ', terminal: false, useColors: false, ...options });
  server.on('exit', () => { text += '[exit]'; });
  server.on('reset', () => { text += '[reset]'; });
  if (options.prepare) options.prepare(server);
  for (const line of lines) {
    input.write(`${line}\n`);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }
  input.end();
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  console.log(text.replace(/\n {4}at .*/g, '\n    at'));
  return server;
}

(async () => {
  await session({}, ['1 + 1', '"text"', '({ a: [1, { b: 2 }] })', '{ a: 1 }', 'var x = 5', 'let y = 6', 'x + y', 'undefined', '_', 'null']);
  await session({ ignoreUndefined: true }, ['undefined', 'void 0', '3']);
  await session({}, ['function f(a) {', 'return a * 2', '}', 'f(4)', '[1,', '2].length', 'if (true) {', '.break', '7']);
  await session({}, ['throw new Error("boom")', 'nowhere', 'null.x', 'throw 3', '_error', 'let a = ;', '1 +* 2', 'a b', ')']);
  await session({}, ['.help', '.nothing', '.exit', '5']);
  await session({}, ['await 5', 'await Promise.reject(new Error("later"))', 'typeof require', 'path.sep', 'fs.existsSync("/")']);
  await session({}, ['_ = 7', '1', '_', '_error = 2']);
  await session({}, ['console.log("to the stream")', 'console.log === globalThis.console.log', 'process === require("process")']);
  const server = await session({
    prepare(server) {
      server.context.shared = { n: 1 };
      server.defineCommand('say', { help: 'Says it', action(words) { this.clearBufferedCommand(); this.output.write(`said ${words}\n`); this.displayPrompt(); } });
      server.defineCommand('short', function() { this.output.write('short\n'); this.displayPrompt(); });
    },
  }, ['shared.n++', 'shared', '.say a b', '.short', 'globalThis.z = 1', 'z', '.clear', 'typeof shared', 'typeof z']);
  console.log(server instanceof repl.REPLServer, server instanceof require('readline').Interface, Object.keys(server.commands).sort().join());
  await session({ eval(code, context, file, done) { done(null, `${JSON.stringify(code)} in ${file}`); }, writer: (value) => `<${value}>` }, ['abc', 'd e']);
  await session({ eval(code, context, file, done) { code.length < 6 ? done(new repl.Recoverable(new SyntaxError('more'))) : done(null, code); } }, ['ab', 'cdefg']);
  await session({ eval(code, context, file, done) { setImmediate(() => done(new TypeError('not so'))); } }, ['x']);
  await session({ useGlobal: true }, ['globalThis.fromPrompt = 1', 'fromPrompt']);
  console.log(globalThis.fromPrompt);
  await session({ replMode: repl.REPL_MODE_STRICT }, ['undeclared = 1', 'this === undefined']);
  console.log(typeof repl.start, typeof repl.writer, repl.builtinModules.includes('fs'), repl.REPL_MODE_SLOPPY, repl.REPL_MODE_STRICT,
    new repl.Recoverable(new Error('x')) instanceof SyntaxError);
})();
