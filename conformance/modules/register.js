// Programs with hooks on a thread of their own, from `trees/register.txt`: what hooks are asked and told, what they may give, errors,
// who waits for them and how long, and how they end.
require('./trees/run.js')('register.txt');
