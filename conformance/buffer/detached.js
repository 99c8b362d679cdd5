// Buffers and decoders over memory that is detached or resized.
const det=(n=8)=>{const b=new ArrayBuffer(n);const u=new Uint8Array(b);structuredClone(b,{transfer:[b]});return u};
for(const e of ['utf-8','utf-16le','latin1'])for(const v of [det(),det().buffer])try{console.log(e,JSON.stringify(new TextDecoder(e).decode(v)))}catch(x){console.log(e,x.name,x.code,x.message)}
const b=new ArrayBuffer(4,{maxByteLength:16});const u=Buffer.from(b),w=Buffer.from(b,1),x=Buffer.from(b,1,2);b.resize(16);console.log(u.length,w.length,x.length);b.resize(2);console.log(u.length,w.length,x.length);

// Checks of a buffer that was given away.
const { isAscii, isUtf8 } = require('buffer');
const away = new ArrayBuffer(4);
structuredClone(away, { transfer: [away] });
for (const check of [isAscii, isUtf8]) {
  try {
    check(away);
  } catch (error) {
    console.log(check.name, error.name, error.code, error.message);
  }
}
