// Standard input is at its end here.
process.stdin.setEncoding('utf8');
console.log(process.stdin.fd, process.stdin.isTTY, process.stdin.readable, process.stdin.readableFlowing);
process.stdin.on('data', () => console.log('data'));
console.log(process.stdin.readableFlowing);
process.stdin.on('end', () => {
  console.log('end', process.stdin.readableEnded);
  process.nextTick(() => console.log('tick'));
});
process.exitCode = 0;
