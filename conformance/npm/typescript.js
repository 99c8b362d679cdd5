// typescript: its compiler on a small project, with errors of types, and its printer of JavaScript for older engines.
'use strict';
const ts = require('typescript');

const files = {
  '/shapes.ts': `export interface Shape { readonly name: string; area(): number }
export abstract class Base implements Shape {
  constructor(public readonly name: string) {}
  abstract area(): number;
  toString() { return \`\${this.name}: \${this.area()}\`; }
}
export class Square extends Base { #side: number; constructor(side: number) { super('square'); this.#side = side; } area() { return this.#side ** 2; } }
export type Names<T extends readonly Shape[]> = { [K in keyof T]: T[K] extends { name: infer N } ? N : never };
export enum Colour { Red, Green = 5, Blue }
export namespace Units { export const metre = 1; }`,
  '/main.ts': `import { Base, Colour, Shape, Square, Units } from './shapes';
const all: Shape[] = [new Square(2), { name: 'dot', area: () => 0 }];
const wrong: number = new Square(1);
new Base('abstract');
all[0].name = 'other';
function pick<T, K extends keyof T>(from: T, key: K): T[K] { return from[key]; }
pick(all[0], 'volume');
export async function* later(values: Iterable<number>) { for (const value of values) yield await value ?? Units.metre; }
export const colour = Colour[Colour.Blue], missing = nowhere;
export const total = all?.map((shape) => shape.area()).reduce((sum, area) => sum + area, 0);
switch (all.length) { case 'two': break; }`,
};

const options = { strict: true, noEmitOnError: false, declaration: true, types: [], lib: ['lib.es2020.d.ts'], module: ts.ModuleKind.CommonJS };

function compile(target) {
  const host = ts.createCompilerHost({ ...options, target });
  const { readFile, fileExists, getSourceFile } = host;
  const written = [];
  Object.assign(host, {
    getCurrentDirectory: () => '/',
    fileExists: (name) => name in files || fileExists(name),
    readFile: (name) => files[name] ?? readFile(name),
    getSourceFile: (name, ...rest) =>
      (name in files ? ts.createSourceFile(name, files[name], ...rest) : getSourceFile(name, ...rest)),
    writeFile: (name, text) => { written.push([name, text]); },
  });
  const program = ts.createProgram(['/main.ts'], { ...options, target }, host);
  const diagnostics = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  return { host, diagnostics, written, program };
}

const { host, diagnostics, written, program } = compile(ts.ScriptTarget.ES2018);
console.log(ts.formatDiagnosticsWithColorAndContext(ts.sortAndDeduplicateDiagnostics(diagnostics), host));
for (const [name, text] of written) console.log(`--- ${name}\n${text}`);

const checker = program.getTypeChecker();
for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile('/main.ts')))) {
  console.log(symbol.name, checker.typeToString(checker.getTypeOfSymbolAtLocation(symbol, symbol.valueDeclaration)));
}

const { outputText, sourceMapText } = ts.transpileModule(files['/main.ts'], { compilerOptions: { target: ts.ScriptTarget.ES5, sourceMap: true, downlevelIteration: true } });
console.log(outputText, sourceMapText);

const source = ts.createSourceFile('t.ts', 'const a = (b: string) => <const>[b, 1]; // c', ts.ScriptTarget.Latest, true);
const renamed = ts.transform(source, [(context) => (root) => ts.visitNode(root, function visit(node) {
  return ts.isIdentifier(node) && node.text === 'b' ? ts.factory.createIdentifier('renamed') : ts.visitEachChild(node, visit, context);
})]);
console.log(ts.createPrinter().printFile(renamed.transformed[0]));
