'use strict';
// What packages look for in Node's insides.
process.on('warning', (warning) => console.log(warning.code, warning.message));
const { binding } = process;
console.log(typeof binding, binding.name, binding.length);
try { binding('nothing'); } catch (error) { console.log(error.message, error.code); }
const constants = binding('constants');
console.log(constants.fs.O_RDONLY, constants.os.signals.SIGINT, constants.zlib.Z_FINISH, binding('constants') === constants);
console.log(binding('buffer').kStringMaxLength === require('buffer').constants.MAX_STRING_LENGTH);
console.log(binding('uv').UV_ENOENT, binding('uv').errname(-13), binding('tty_wrap').isTTY(99));
console.log(binding('util').isMap(new Map()));
console.log(binding('http_parser').methods.includes('GET'), typeof binding('http_parser').HTTPParser);
const spawning = binding('spawn_sync');
const { spawn } = spawning;
spawning.spawn = function(options) {
  console.log(options.file, options.args);
  options.envPairs.push('ADDED=yes');
  return spawn.call(this, options);
};
console.log(require('child_process').execFileSync('sh', ['-c', 'echo $ADDED'], { encoding: 'utf8' }));
const natives = binding('natives');
console.log(require('module').builtinModules.every((id) => typeof natives[id] === 'string'), natives.nothing, Object.keys(natives).includes('fs'));
