// The context of a server's and a client's callbacks, over connections that are kept; what was entered for good in a
// handler is there for the next request of the connection.
'use strict';
const http = require('node:http');
const { AsyncLocalStorage, executionAsyncResource } = require('node:async_hooks');
const entered = new AsyncLocalStorage();
const context = new AsyncLocalStorage();
const resource = () => executionAsyncResource()?.constructor?.name;
let count = 0;
const server = http.createServer((request, response) => {
  console.log('request', entered.getStore(), context.getStore(), resource());
  entered.enterWith(++count);
  request.resume();
  request.on('end', () => {
    console.log('end', entered.getStore());
    response.end('x');
  });
});
context.run('listen', () => server.listen(0, '127.0.0.1', () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let left = 3;
  const get = (who) => context.run(who, () => {
    http.get({ host: '127.0.0.1', port: server.address().port, agent }, (response) => {
      console.log('response', context.getStore(), resource());
      response.on('data', () => console.log('data', context.getStore()));
      response.on('end', () => {
        console.log('end of response', context.getStore());
        if (--left > 0) return;
        agent.destroy();
        server.close();
      });
    });
  });
  get('first');
  get('second');
  setTimeout(() => get('third'), 100);
}));
