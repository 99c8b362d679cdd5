// A server that rejects requests while its event loop is late, so that the accepted ones are answered soon: the idea of loopbench and
// under-pressure. It gets more requests than it can handle; the rejected ones get a 503 at once.
//
//   cargo run --release -p phasor-cli -- examples/load_shedding.js

const http = require('node:http');
const { performance } = require('node:perf_hooks');

// Measures every few milliseconds how late a timer runs: all other callbacks wait equally long for the loop.
function pressure({ everyMs = 10, mostDelayMs = 40 } = {}) {
  const state = { isHigh: false, stop() { clearInterval(look); } };
  let last = performance.now();
  const look = setInterval(() => {
    const now = performance.now();
    state.isHigh = now - last - everyMs > mostDelayMs;
    last = now;
  }, everyMs);
  look.unref();
  return state;
}

function work(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

const load = pressure();
const server = http.createServer((request, response) => {
  if (load.isHigh) {
    response.writeHead(503, { 'Retry-After': '1' });
    response.end('too busy');
    return;
  }
  work(8);
  response.end('done');
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 40 });
  const answers = { taken: [], refused: [] };
  let left = 400;
  const ended = () => {
    if (--left > 0) return;
    agent.destroy();
    server.close();
    load.stop();
    for (const [kind, times] of Object.entries(answers)) {
      times.sort((a, b) => a - b);
      const middle = times.length > 0 ? `, half of them within ${times[times.length >> 1].toFixed(0)} ms` : '';
      console.log(`${kind}: ${times.length}${middle}`);
    }
  };
  const ask = () => {
    const start = performance.now();
    http.get({ host: '127.0.0.1', port, agent }, (response) => {
      answers[response.statusCode === 200 ? 'taken' : 'refused'].push(performance.now() - start);
      response.resume();
      response.on('end', ended);
    });
  };
  // 40 requests at a time, ten times: more than the server can handle.
  let rounds = 10;
  const round = setInterval(() => {
    for (let n = 0; n < 40; n++) ask();
    if (--rounds === 0) clearInterval(round);
  }, 30);
});
