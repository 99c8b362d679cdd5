'use strict';
// One run of a tool over the source of the package fastify: `tool.js prettier|eslint|tsc`. The time of the whole process counts.
const { readdirSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const folder = dirname(require.resolve('fastify'));
const files = ['fastify.js', ...readdirSync(join(folder, 'lib')).sort().map((name) => `lib/${name}`)]
  .filter((name) => name.endsWith('.js'))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

const tools = {
  async prettier() {
    const prettier = require('prettier');
    let length = 0;
    for (const { text } of files) length += (await prettier.format(text, { parser: 'babel' })).length;
    return length;
  },

  eslint() {
    const { Linter } = require('eslint');
    const linter = new Linter({ configType: 'flat' });
    const rules = {
      'no-unused-vars': 2, 'no-undef': 2, 'no-shadow': 2, 'prefer-const': 2, 'no-var': 2, eqeqeq: 2, 'consistent-return': 2,
      'no-fallthrough': 2, 'no-redeclare': 2, 'no-unreachable': 2, 'no-use-before-define': 2, 'no-useless-escape': 2,
    };
    const config = [{ files: ['**/*.js'], languageOptions: { sourceType: 'commonjs', ecmaVersion: 2022 }, rules }];
    let found = 0;
    for (const { name, text } of files) found += linter.verify(text, config, { filename: name }).length;
    return found;
  },

  tsc() {
    const ts = require('typescript');
    const options = {
      allowJs: true, checkJs: true, skipLibCheck: true, target: ts.ScriptTarget.ES2017, module: ts.ModuleKind.CommonJS, types: [],
      lib: ['lib.es2022.d.ts'], maxNodeModuleJsDepth: 0, outDir: '/out',
    };
    const program = ts.createProgram([join(folder, 'fastify.js')], options);
    let length = 0;
    program.emit(undefined, (_, text) => { length += text.length; });
    return length + ts.getPreEmitDiagnostics(program).length;
  },
};

(async () => {
  const result = await tools[process.argv[2]]();
  if (!(result > 100)) throw new Error(`wrong result: ${result}`);
  console.log(result);
})();
