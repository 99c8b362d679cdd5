const http=require('http'); const {AsyncLocalStorage}=require('async_hooks'); const als=new AsyncLocalStorage(); let n=0;
const answer=(q,s)=>{ s.setHeader('content-type','text/plain'); s.end('hello world', ()=>als.getStore().id); };
http.createServer((q,s)=>als.run({id:++n},answer,q,s)).listen(+process.argv[2]||9101,'127.0.0.1',()=>console.error('up'));
