// The global object of a context from inside and outside, in odd uses.
const vm=require('vm');
// robustness: odd things
const c=vm.createContext({}); const g=vm.runInContext('globalThis',c);
console.log(Object.keys(g), Reflect.ownKeys(g).length>40, 'x' in g, delete g.x, Object.getOwnPropertyDescriptor(g,'Array')!==undefined);
g.q=1; console.log(c.q, g.q, Object.assign({},g), JSON.stringify(g));
const child=Object.create(g); child.w=5; console.log(Object.keys(child), c.w, child.q);
class X { constructor(){ return g } } class Y extends X { #p=1; static has(o){return #p in o} } new Y; console.log(Y.has(g));
for (const k in g) console.log('in',k);
console.log(vm.runInContext('with({z:1}){ z }',c), vm.runInContext('typeof globalThis.Object',c));
console.log(vm.runInContext('Reflect.setPrototypeOf(globalThis,null); typeof Object',c), vm.runInContext('Object.setPrototypeOf(globalThis, {p:1}); globalThis.p',c));
const c2=vm.createContext({}); vm.runInContext('Object.defineProperty(globalThis,"acc",{get(){return 5},set(v){globalThis.s=v},configurable:true})',c2); console.log(vm.runInContext('acc=7; [acc,s].join()',c2), c2.acc, c2.s);
vm.runInContext('const late=()=>undeclaredLater; globalThis.late=late',c2); try { c2.late() } catch(e){ console.log(e.name,e.message)} c2.undeclaredLater=3; console.log(c2.late());
console.log(vm.runInContext('var u; u',c2), vm.runInContext('u===undefined',c2));
const c3=vm.createContext({inh:Object.create({m:1})}); 
const c4=vm.createContext(Object.create({up:undefined, up2:4})); console.log(vm.runInContext('[up,up2].join()',c4), vm.runInContext('"use strict"; up2=9; up2',c4), Object.keys(c4));
console.log(vm.runInContext('x++ ',vm.createContext({x:1})), vm.runInContext('x+=2; x',vm.createContext({x:1})), vm.runInContext('for (i=0;i<3;i++); i',vm.createContext({})));
console.log(vm.runInContext('function* gen(){ yield 1; yield* [2,3] } [...gen()].join()',vm.createContext({})));
console.log(vm.runInContext('class A extends Array{}; const a=new A; a.push(1); [a.length, a instanceof Array].join()',vm.createContext({})));
const c5=vm.createContext({a:1}); const r=vm.runInContext('({ get: () => a, set: v => { a = v } })',c5); r.set(5); console.log(c5.a, r.get());
console.log(vm.runInNewContext('typeof require + typeof process + typeof setTimeout + typeof Buffer'), vm.runInNewContext('[1,2,3].map(x=>x*2).join()'));
let n=0; function deep(){ try { n++; return vm.runInNewContext('f()',{f:deep}) } catch(e) { return e.name } } console.log(typeof deep(), n>3);
const cc=vm.createContext({}); vm.runInContext('globalThis.constructorTest = (async function(){}).constructor.name; tagged = ((s)=>s.raw[0])`a`; rx=/(?<y>\\d+)/.exec("12").groups.y; sym=Symbol.iterator; big=10n**20n',cc); console.log(cc.constructorTest, cc.tagged, cc.rx, cc.sym===Symbol.iterator, cc.big);
console.log(vm.runInContext('try { null.f } catch (e) { e instanceof TypeError }',cc), vm.runInContext('JSON.parse("{\\"a\\":[1]}").a instanceof Array',cc)); try { vm.runInContext('JSON.parse("{x")',cc) } catch (e) { console.log(e.name,e.message, e instanceof SyntaxError) }
console.log(vm.runInContext('new Proxy({}, {get:()=>7}).z + [..."ab"].length + Object.entries({a:1}).length',cc), vm.runInContext('structuredTest = typeof structuredClone',cc));
