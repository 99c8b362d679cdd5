exports.early = 1; const b = require('./b'); exports.late = b.seen; exports.b = b;
