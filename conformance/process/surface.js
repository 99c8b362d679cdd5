// What `process` answers, and what it says of wrong arguments.
process.umask(0o22);
const t=(f)=>{try{console.log(f())}catch(e){console.log(e.name,e.code,e.message,e.errno,e.syscall)}};
t(()=>process.setuid('nosuchuser'));t(()=>process.setgid('nosuchgroup'));t(()=>process.setuid({}));t(()=>process.setuid(-1));t(()=>process.setuid(process.getuid()));t(()=>process.setgroups('x'));t(()=>process.setgroups([{}]));t(()=>process.initgroups({},1));t(()=>process.initgroups('root',{}));t(()=>process.seteuid(1.5));
t(()=>process.title=5);t(()=>process.title);t(()=>process.ppid===process.ppid);t(()=>{process.ppid=1;return process.ppid!==1});
t(()=>process.chdir(1));process.chdir('/');t(()=>process.chdir('/nope'));t(()=>process.umask('9'));t(()=>process.umask({}));t(()=>process.umask(-1));t(()=>process.umask('022'));t(()=>process.umask(0o1777).toString(8));t(()=>process.umask());
t(()=>process.hrtime(1));t(()=>process.hrtime([1]));t(()=>process.cpuUsage(1));t(()=>process.cpuUsage({}));t(()=>process.cpuUsage({user:-1,system:1}));t(()=>process.cpuUsage({user:1,system:'x'}));
t(()=>process.kill('x'));t(()=>process.kill(1,'SIGNOPE'));t(()=>process.kill(2**22+5,0));t(()=>process.kill(process.pid,0));t(()=>process.kill(process.pid,'0'));t(()=>process.kill());t(()=>process.kill(process.pid,999));
t(()=>process.exitCode='x');t(()=>process.exitCode=1.5);t(()=>process.exitCode='12');t(()=>process.exitCode);t(()=>process.exitCode=null);t(()=>process.exitCode);t(()=>process.exit('x'));
t(()=>process.emitWarning(5));t(()=>process.emitWarning('a',5));t(()=>process.emitWarning('a','b',5));t(()=>process.emitWarning({}));
t(()=>process.setUncaughtExceptionCaptureCallback(5));t(()=>process.hasUncaughtExceptionCaptureCallback());
t(()=>process.nextTick(5));t(()=>process.on('SIGKILL',()=>{}));t(()=>process.on('SIGSTOP',()=>{}));t(()=>process.listenerCount('SIGKILL'));
t(()=>typeof process.memoryUsage().heapUsed);t(()=>Object.keys(process.memoryUsage()));t(()=>typeof process.memoryUsage.rss());t(()=>typeof process.constrainedMemory());t(()=>typeof process.availableMemory());
t(()=>Object.keys(process.resourceUsage()));t(()=>Object.keys(process.cpuUsage()));t(()=>Object.keys(process.threadCpuUsage()));
t(()=>Object.prototype.toString.call(process));t(()=>process instanceof require('events'));t(()=>Object.getPrototypeOf(process).constructor.name);
t(()=>process.allowedNodeEnvironmentFlags.has('--no-warnings'));t(()=>process.allowedNodeEnvironmentFlags.has('max_old_space_size'));t(()=>process.allowedNodeEnvironmentFlags instanceof Set);t(()=>process.allowedNodeEnvironmentFlags.has('--nope'));t(()=>process.getgroups().every(Number.isInteger));
t(()=>process.loadEnvFile('/nope'));t(()=>process.assert(false,'msg'));t(()=>process.sourceMapsEnabled);t(()=>process.setSourceMapsEnabled(5));t(()=>process.setSourceMapsEnabled(true));t(()=>process.domain);t(()=>process.features.typescript);t(()=>process.release.name);t(()=>process.getBuiltinModule('fs')===require('fs'));t(()=>process.getBuiltinModule('nope'));t(()=>typeof process.hrtime.bigint());t(()=>process.uptime()<5);t(()=>process.exitCode);
