'use strict';
// A shop that is slow every two seconds, for docs/see. `node shop.js` serves until it is ended; `node shop.js 3` sends itself requests for
// three seconds and ends.

const fs = require('fs');
const http = require('http');

const orders = Array.from({ length: 20000 }, (_, id) => ({ id, customer: id % 997, total: (id * 7919) % 10000 }));

// Sorts all orders anew for each customer: the reason why the shop is slow.
function renderReport() {
  let text = '';
  for (let customer = 0; customer < 25; customer++) {
    const own = orders.slice().sort((a, b) => b.total - a.total).filter((order) => order.customer === customer);
    text += `${customer}: ${own.length} orders\n`;
  }
  return text;
}

function handle(request, response) {
  switch (request.url) {
    case '/':
      fs.readFile(__filename, (error, source) => {
        if (error) throw error;
        response.end(source);
      });
      break;
    case '/orders':
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(orders.slice(0, 50)));
      break;
    default:
      response.statusCode = 404;
      response.end();
  }
}

const server = http.createServer(handle);

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  console.log(`http://127.0.0.1:${port}`);
  const reports = setInterval(renderReport, 2000);
  const seconds = Number(process.argv[2]);
  if (seconds > 0) askItself(port, seconds, reports);
});

// Sends requests over eight connections, one after the other on each.
function askItself(port, seconds, reports) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  const until = Date.now() + seconds * 1000;
  const ask = (path) => http.get({ port, path, agent }, (response) => {
    response.resume();
    response.on('end', () => {
      if (Date.now() < until) setTimeout(ask, 2, path);
      else if (--clients === 0) stop();
    });
  });
  let clients = 8;
  for (let client = 0; client < 8; client++) ask(client % 2 ? '/' : '/orders');
  function stop() {
    clearInterval(reports);
    agent.destroy();
    server.close();
  }
}
