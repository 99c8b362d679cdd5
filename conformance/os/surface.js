'use strict';
// os and constants: what does not change from machine to machine.
const os = require('os');
const attempt = (run) => { try { return JSON.stringify(run()) ?? 'undefined'; } catch (e) { return `${e.name} ${e.code} ${e.message} ${e.errno} ${e.syscall}`; } };
console.log(Object.keys(os).join());
console.log(JSON.stringify(os.constants));
console.log(os.EOL === '\n', os.devNull, os.endianness(), os.type(), os.platform() === process.platform, os.arch() === process.arch);
console.log(os.cpus().every((cpu) => Object.keys(cpu).join() === 'model,speed,times' && Object.keys(cpu.times).join() === 'user,nice,sys,idle,irq'), os.cpus().length > 0);
console.log(Object.values(os.networkInterfaces()).flat().every((i) => ['address,netmask,family,mac,internal,cidr', 'address,netmask,family,mac,internal,cidr,scopeid'].includes(Object.keys(i).join())));
console.log(JSON.stringify(os.networkInterfaces().lo?.[0]));
console.log(Object.keys(os.userInfo()).join(), os.userInfo({ encoding: 'buffer' }).username instanceof Buffer, typeof os.userInfo().uid);
console.log(typeof os.hostname(), typeof os.release(), typeof os.version(), typeof os.machine(), os.totalmem() > os.freemem(), os.uptime() > 0, os.loadavg().length, os.availableParallelism() > 0, `${os.hostname}` === os.hostname());
// Whoever runs this may have been nice.
const niceness = () => +require('fs').readFileSync('/proc/self/stat', 'latin1').split(') ')[1].split(' ')[16];
console.log(attempt(() => os.getPriority() === niceness()), attempt(() => os.getPriority('x')), attempt(() => os.getPriority(-1)), attempt(() => os.setPriority(0, 20)), attempt(() => os.setPriority(1.5)), attempt(() => os.setPriority(0, os.getPriority())), attempt(() => os.setPriority('x')));
for (const [TMPDIR, TMP, TEMP] of [['/a/', '/b', '/c'], ['', '/b', '/c'], ['', '', '/c/'], ['', '', ''], ['/', '', '']]) { Object.assign(process.env, { TMPDIR, TMP, TEMP }); console.log(os.tmpdir()); }
process.env.HOME = '/home/of/someone';
console.log(os.homedir());
delete process.env.HOME;
console.log(os.homedir() === os.userInfo().homedir);
const constants = require('constants');
console.log(constants.ENOENT, constants.SIGINT, constants.RTLD_LAZY, constants.PRIORITY_LOW, Object.isFrozen(os.constants.signals), Object.getPrototypeOf(os.constants.errno));
