const m = require('./live.mjs'); exports.m = m; exports.n = m.n;
