// Immediates that make immediates let everything else run in between.
const fs = require('fs');
let turns = 0;
let read = false;
let fired = false;
fs.readFile(__filename, () => { read = true; });
setTimeout(() => { fired = true; }, 1);
function turn() {
  turns++;
  if (!read || !fired) setImmediate(turn);
  else console.log('a file was read and a timer fired while immediates went on', turns > 1);
}
setImmediate(turn);
