'use strict';
const v8 = require('v8');
console.log(v8.setFlagsFromString('--stack-size=984'), v8.takeCoverage(), v8.stopCoverage());
try { v8.setFlagsFromString(1); } catch (error) { console.log(error.code, error.message); }
const inspector = require('inspector');
console.log(inspector.url(), inspector.close(), typeof inspector.Session, new inspector.Session() instanceof require('events'));
try { new inspector.Session().post('Runtime.enable'); } catch (error) { console.log(error.code, error.message); }
try { inspector.waitForDebugger(); } catch (error) { console.log(error.code, error.message); }
