// What is thrown at a prompt, at once and later, and an `eval` of one's own.
const repl = require('repl');
const { PassThrough } = require('stream');

function session(lines, options, then) {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  output.on('data', (chunk) => { text += chunk; });
  const server = repl.start({ input, output, prompt: '> ', ...options });
  console.log(server.useColors, server.lines, server.writer === repl.writer, typeof server._domain.on);
  server.on('exit', () => {
    console.log(text);
    then?.();
  });
  for (const line of lines) input.write(`${line}\n`);
  console.log(process.domain == null);
  setTimeout(() => {
    console.log(process.domain == null, process.domain === server._domain);
    input.end();
  }, 100);
}

session(['throw null', 'throw undefined', 'x', '[1, 2, 3]', '', 'setTimeout(() => { throw new Error("later"); }, 1), 5'], {}, () => {
  const asked = (code, context, file, done) => {
    if (code === '\n') return done(null, 'nothing');
    return done(null, code.toUpperCase());
  };
  session(['', 'abc'], { eval: asked, terminal: false });
});
