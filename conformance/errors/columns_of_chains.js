'use strict';
// Where V8 says that calls and reads of a chain are.
const o = { a() { throw new Error('1'); }, b() { return this; }, c() { return this; }, list: [1, 2] };
const at = (error) => /columns_of_chains\.js:(\d+:\d+)/.exec(error.stack.split('\n').find((line) => !/Object\.a|o\.a|at a /.test(line) && /at /.test(line)))[1];
const tell = (run) => { try { run(); } catch (error) { console.log(at(error)); } };
tell(() => { o.a('x-'+o.list[1]+'y'); });
tell(() => { o.b().a('x-'+o.list[1]+'y'); });
tell(() => { console.log(o.b('f').a('x-'+process.argv[9]+'y','z')); });
tell(() => { o.c(1).c(2)
  .c(3)
  .a(o.b()); });
tell(() => { o?.a?.(o.b(o.b())); });
tell(() => { o?.a(1); });
tell(() => { o.b().nope.q(o.b()); });
tell(() => { o.b().nope.q; });
tell(() => { o.nope.q; });
tell(() => { o?.nope.q; });
tell(() => { o.b?.().nope.q; });
tell(() => { o.list[5].q; });
tell(() => { o.b()['list'].q.r; });
tell(() => { new (class extends Object { constructor() { super(o.a()); } })(); });
tell(() => { o.a(1+o.list.length-2); });
tell(() => { o.a(o.list[0]*3, o.list[1]/2); });
tell(() => { (o.a)(o.b()); });
