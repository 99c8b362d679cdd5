// An uncaught error is shown with the statement that threw it last, wherever the error was made; an error of JSON.parse with the text that
// could not be parsed. The report calls no getter or method of the thrown value.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const { join } = require('path');

const folder = fs.mkdtempSync(join(require('os').tmpdir(), 'thrown-'));

function tell(text) {
  const file = join(folder, 'script.js');
  fs.writeFileSync(file, text);
  const { stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  const lines = stderr.replaceAll(folder, 'FOLDER').replace('(Use `phasor ', '(Use `node ').split('\n');
  console.log(lines.filter((line) => !/^ {4}at |^(?:Node\.js|Phasor) v/.test(line)).join('\n'));
}

tell("const e = new Error('made');\n\nthrow e");
tell("const e = new Error('made');\nsetTimeout(() => { throw e })");
tell('try { null.x } catch (e) {\n  throw e\n}');
tell("const e = new Error('made');\ntry { throw e } finally {\n  e.x = 1;\n}");
tell("function f(e) {\n  if (e) throw e;\n}\n[1].forEach(() => f(new TypeError('given')))");
tell("const e = new Error('a'); try { throw e } catch {}\nprocess.nextTick(() => e.x.y)");
tell("const e = new Error('s'); e.stack = undefined; throw e");
tell("const e = new Error('s'); e.stack = 'other'; throw e");
tell('JSON.parse(\'{\\n "a": 1,\\n  bad\\n}\')');
tell("(async () => { JSON.parse('[1 2]') })()");
tell("try { JSON.parse('[1,') } catch (e) { throw e }");
tell("JSON.parse('')");
tell("JSON.parse('\\t[1,\\t}')");
tell("Promise.resolve('{').then(JSON.parse)");
tell('throw { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } }');
tell("throw { [Symbol.for('nodejs.util.inspect.custom')]() { return 'mine' } }");
tell("throw Object.assign(new Error('with'), { buffer: Buffer.from('ab') })");
tell("new Error('made and left');\nthrow null");
tell("function f() {\n  throw 5;\n}\nconst left = new Error(1);\nf();");
fs.rmSync(folder, { recursive: true });
