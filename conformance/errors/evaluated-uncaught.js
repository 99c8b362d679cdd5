'use strict';
// Uncaught errors of code that a program compiles with eval or Function. Their source line, which V8 shows, is not compared.
const { spawnSync } = require('child_process');
const kCases = [
  () => eval('1;\n o.q()'),
  () => new Function('a', '1;\n o.q()')(),
  () => eval('foo bar'),
  () => eval('1;\nthrow 5'),
  () => eval('1;\n   throw new Error("made")'),
  () => { eval('1;\n Promise.reject(new Error("made"))'); },
  () => eval('throw new SyntaxError("own")'),
  () => new Function('a', 'let b; let b'),
  () => { setTimeout(eval('(() => {\n\tnull.x\n})'), 1); },
];
if (process.argv[2] !== undefined) {
  globalThis.o = {};
  kCases[process.argv[2]]();
} else {
  for (let i = 0; i < kCases.length; i++) {
    const { stderr, status } = spawnSync(process.execPath, [__filename, `${i}`], { encoding: 'utf8' });
    console.log(i, status);
    console.log(/^(?:\w*Error: .*|5)$/m.exec(stderr)[0]);
  }
}
