const a = require('./a'); exports.seen = Object.keys(a); exports.late = a.late;
