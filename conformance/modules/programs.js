// Small programs of a few files each, from `trees/programs.txt`: cycles of both kinds of modules, top-level await, packages that name
// themselves, conditions, preloads, patched loaders, what bundlers write.
require('./trees/run.js')('programs.txt');
