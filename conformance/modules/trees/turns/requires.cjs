note('requires runs');
require('./a.mjs');
