'use strict';
const v8 = require('v8');
const vm = require('vm');
for (const flags of ['--expose-gc', 'words', '--no_expose_gc', '', '--expose_gc --no-opt', '-no-expose-gc']) {
  console.log(v8.setFlagsFromString(flags), typeof gc, vm.runInNewContext('typeof gc'));
}
v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
v8.setFlagsFromString('--no-expose-gc');
let held = { a: 1 };
const weak = new WeakRef(held);
setTimeout(() => {
  held = undefined;
  collect();
  console.log(collect.name, weak.deref());
});
try { v8.setFlagsFromString(1); } catch (error) { console.log(error.code, error.message); }
const inspector = require('inspector');
console.log(inspector.url(), inspector.close(), typeof inspector.Session, new inspector.Session() instanceof require('events'));
try { new inspector.Session().post('Runtime.enable'); } catch (error) { console.log(error.code, error.message); }
try { inspector.waitForDebugger(); } catch (error) { console.log(error.code, error.message); }
