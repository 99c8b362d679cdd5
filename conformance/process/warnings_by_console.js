// Warnings are printed by the console: who replaces the stream's `write` sees them.
const seen = [];
process.stderr.write = (text) => { seen.push(text.replace(/\(node:\d+\)/, '(node)').split('\n')[0]); return true; };
process.emitWarning('one');
setImmediate(() => {
  // The one that was there at the first warning goes on.
  console.error = () => { seen.push('replaced'); };
  process.emitWarning('two', 'Kind', 'CODE');
  setImmediate(() => console.log(seen));
});
