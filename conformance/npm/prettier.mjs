// prettier: texts of many languages, with options, what it cannot read, and a cursor that stays where it was.
import * as prettier from 'prettier';

const texts = {
  babel: `const {a,b:{c=1,...d}}=require("x"),long=await Promise.all([first(argument),second(argument),third(argument,{deep:{deeper:true}})])
class A extends (B,C){static async *#gen(){yield*this.x?.[0]??1}get y(){return\`a\${1+1}b\`}}
for(const x of y)if(x)continue;else{do{z++}while(z<1)}; export default (x)=>({...x,y:x=>y=>z}) // end
const jsx = <div className='a' {...b}>{c?<b>x</b>:null} text text text text text text text text text text text</div>`,
  typescript: `type A<T>=T extends(infer U)[]?{readonly[K in keyof U]?:U[K]}:never;abstract class B<const T extends object={}>implements C,D{private constructor(readonly a:string,b?:number){super()}declare x:unique symbol}
enum E{A=1<<2,B="x"};function assertIs(v:unknown):asserts v is string{} @dec({a:1}) export class F{@input() p!:number}
namespace N.M{export let x=<any>y as const satisfies Z}`,
  css: '@media (max-width:100px){.a>b~c::before,.d:not(.e){color:RED;background:url(x.png) no-repeat;--x:{a:b}}}@import "y";',
  scss: '@mixin m($a:1,$b...){&:hover{@extend %p;width:math.div($a,2)}}$map:(a:1,b:2);@each $k,$v in $map{.#{$k}{@include m($v)}}',
  json: '{"a":[1,2,{"b":null}],// c\n"d":"e"}',
  markdown: '# Title\n* a\n* b\n    1. c\n\n|a|b|\n|-|:-:|\n|1|2222|\n\n```js\nconst  x=1\n```\n_it_ __bold__ [l]( http://x.test  "t" )\n\nHeading\n===\n',
  yaml: 'a:   [1,2]\nb:\n    - {x: 1,   y: "z"}\n    - |\n     text\n# note\nc: &k !!str  v\n',
  html: '<!doctype html><html><body><p>Some <b>bold</b> and <i>italic</i> text that is long enough to be broken over two lines.</p><script>const a={b:1}</script><style>a{b:c}</style><ul><li>1<li>2</ul></body></html>',
  graphql: 'query Q($a:Int=1){u(id:$a){...F @include(if:true)} } fragment F on U{name,friends(first:10){edges{node}}}',
};
for (const [parser, text] of Object.entries(texts)) {
  const others = ['babel', 'markdown', 'scss'].includes(parser) ? [{ semi: false, singleQuote: true, tabWidth: 4, printWidth: 40, proseWrap: 'always', trailingComma: 'none' }] : [];
  for (const options of [{}, ...others]) {
    console.log(`--- ${parser}`);
    console.log(await prettier.format(text, { parser, ...options }));
  }
}
for (const [parser, text] of [['babel', 'let a = ;'], ['css', 'a {'], ['json', '{a'], ['typescript', 'type = 1']]) {
  await prettier.format(text, { parser }).catch((error) => console.log(error.name, error.message));
}
console.log(await prettier.formatWithCursor('a   (  b)', { parser: 'babel', cursorOffset: 7 }), await prettier.check('a;\n', { parser: 'babel' }));
console.log(await prettier.getFileInfo('x.vue'), (await prettier.getSupportInfo()).languages.length);
