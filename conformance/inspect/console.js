// Every method of console that prints to stdout, and the class Console.
console.log('a', 1, -0, 2n, null, undefined, true); console.log('%s is %d', 'x', 5, {a:1}); console.log({a:[1,2,{b:3}]}, 'x');
console.log(); console.log(''); console.log('%'); console.log('100%', 1); console.log(Symbol('x')); console.info([1]); console.debug(1); console.log('a\ud800b');
console.group('G'); console.log('in\ntwo'); console.group(); console.log({a:1,b:'x'.repeat(80)}); console.groupEnd(); console.log('one'); console.groupEnd(); console.groupEnd(); console.log('out');
console.count(); console.count('x'); console.count(); console.countReset(); console.count(); 
console.table([{a:1,b:'x'},{a:2,c:true}]); console.table([[1,2],[3,4]]); console.table(new Map([['k',1],[{a:1},[2]]])); console.table(new Set([1,'a'])); console.table([1,'a',{b:1}]); console.table(5); console.table([{a:1,b:2}],['b']); console.table({x:{a:1},y:{a:2}}); console.table([]); console.table(new Map([[1,2]]).entries());console.table(new Set([[1,2]]).values()); console.table([{10:1,2:1,a:{b:1,c:1,d:1},e:[1,2,3,4]}]); console.table([['你好','x']]);
console.dir({a:{b:{c:{d:1}}}},{depth:0}); console.dir({[Symbol.for('nodejs.util.inspect.custom')]:()=>'no'}); console.dirxml({a:1},[2]);
console.assert(true,'no'); console.log(console); console.log(Object.getOwnPropertyNames(console).sort().join());
const {Console}=console; const lines=[]; const s={write(t,cb){lines.push(t)}, on(){},once(){},removeListener(){},listenerCount(){return 0}};
const c=new Console(s); c.log('x',{a:1}); c.error('e'); c.group('g'); c.warn('w'); c.groupEnd(); c.table([[1]]); const c2=Console({stdout:s,colorMode:true,groupIndentation:4}); c2.log({a:1}); c2.group(); c2.log('i'); c2.assert(false,'m',1); c2.assert(0); c2.assert(false,{a:1});
new Console({stdout:s,inspectOptions:{compact:false}}).log({a:{b:1}});
console.log(lines); console.log(c instanceof Console, console instanceof Console, c2.log.name, typeof c._times);
for (const a of [[],[{}],[{stdout:s,stderr:{}}],[{stdout:s,colorMode:1}],[{stdout:s,groupIndentation:-1}],[{stdout:s,groupIndentation:'x'}],[{stdout:s,inspectOptions:1}],[{stdout:s,colorMode:true,inspectOptions:{colors:true}}]]) try { new Console(...a); console.log('ok') } catch(e) { console.log(e.code, e.message) }
try { console.table([],1) } catch(e) { console.log(e.message) }
const {log}=console; log('free'); console.timeStamp(); console.profile();
console.log(require('console')===console, Object.prototype.toString.call(console));
