// A port that was transferred, or closed, cannot be transferred again.
const {MessageChannel}=require('worker_threads');
const t=(n,f)=>{try{console.log(n,f())}catch(e){console.log(n,e.name,e.code,e.message,e.constructor.name)}};
{const a=new MessageChannel(), b=new MessageChannel();
b.port1.on('close',()=>{}); 
t('first',()=>a.port1.postMessage(null,[b.port1]));
t('second',()=>a.port1.postMessage(null,[b.port1]));
t('value',()=>a.port1.postMessage(b.port1,[b.port1]));
t('sc',()=>structuredClone(null,{transfer:[b.port1]}));
t('sc2',()=>structuredClone(b.port1,{transfer:[b.port1]}));
t('post on it',()=>b.port1.postMessage(1));
t('self',()=>a.port1.postMessage(null,[a.port1]));
t('other', ()=>a.port1.postMessage(null,[a.port2]));
a.port1.close();
}
{const a=new MessageChannel(), b=new MessageChannel();
b.port1.close();
t('closed now',()=>a.port1.postMessage(null,[b.port1]));
setImmediate(()=>{t('closed later',()=>a.port1.postMessage(null,[b.port1]));
 t('closed other end',()=>a.port1.postMessage(null,[b.port2]));
 const ab=new ArrayBuffer(3); structuredClone(ab,{transfer:[ab]});
 t('detached',()=>a.port1.postMessage(null,[ab]));
 const c=new MessageChannel();
 t('twice',()=>a.port1.postMessage(null,[c.port1,c.port1]));
 t('not there',()=>a.port1.postMessage(c.port1));
 t('nonobj',()=>a.port1.postMessage(null,[1]));
 t('plain',()=>a.port1.postMessage(null,[{}]));
 t('bad then',()=>a.port1.postMessage(()=>{},[c.port1]));
 t('still good',()=>a.port1.postMessage(null,[c.port1]));
 c.port2.close(); a.port1.close();
});
}
