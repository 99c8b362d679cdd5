// Standard output is a pipe here: callbacks come by ticks, in order; what is wrong is told as a Writable tells it.
const { stdout } = process;
const t = (f) => { try { console.log(f()); } catch (e) { console.log(e.name, e.code, e.message); } };
t(() => [stdout.fd, stdout.isTTY, stdout.columns, stdout.writable, stdout._type, stdout.writableLength]);
t(() => stdout.write());
t(() => stdout.write(null));
t(() => stdout.write(5));
t(() => stdout.write('a', 'bogus'));
t(() => stdout.write('6869', 'hex', (e) => console.log('callback', e)));
t(() => stdout.write(''));
t(() => stdout.write(Buffer.from('bytes\n')));
t(() => stdout.write(new Uint16Array([0x4141, 0x0a0a])));
t(() => stdout.write(new DataView(new ArrayBuffer(0))));
t(() => stdout.write('é€😀\n', 'utf-8'));
t(() => stdout.write('latin\n', 'latin1').toString());
t(() => stdout.setDefaultEncoding('nope'));
stdout.write('first\n', () => console.log('first callback'));
process.nextTick(() => console.log('tick'));
stdout.write('second\n', () => console.log('second callback'));
Promise.resolve().then(() => console.log('microtask'));
t(() => process.stdin === process.stdin && process.stdout === process.stdout && process.stderr.fd);
setTimeout(() => {
  stdout.on('error', (e) => process.stderr.write(`error ${e.code}\n`));
  stdout.on('finish', () => process.stderr.write('finish\n'));
  stdout.end('the end\n');
  stdout.write('late', (e) => process.stderr.write(`late ${e.code}\n`));
  console.log('lost');
}, 1);
