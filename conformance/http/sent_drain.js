'use strict';
// A response that fills the socket at once is followed by the socket's 'drain'; who looks before 'finish' finds a write that is
// not told of yet.
const http = require('http');
const net = require('net');

const large = 'x'.repeat(100000);
const state = ({ _writableState: { needDrain, pendingcb, sync } }) => `${needDrain} ${pendingcb} ${sync}`;
const listen = (socket) => socket.on('drain', () => console.log('drain', socket._writableState.pendingcb));

const forms = {
  'heard whole': (res, socket) => { listen(socket); res.end(large); },
  'heard with a head': (res, socket) => { listen(socket); res.writeHead(200); res.end(large); },
  'heard in parts': (res, socket) => { listen(socket); res.write('a'); res.end(large); },
  'heard later': (res, socket) => { res.end(large); listen(socket); },
  'heard of little': (res, socket) => { listen(socket); res.end('x'); },
  'seen whole': (res, socket) => { res.end(large); console.log(socket.writableNeedDrain, state(socket)); },
  'seen little': (res, socket) => { res.end('x', () => console.log('callback', state(socket))); console.log(state(socket)); },
  'seen in parts': (res, socket) => { res.write('a'); res.end('x'); console.log(state(socket)); },
  'ended': (res, socket) => {
    for (const event of ['prefinish', 'finish']) socket.on(event, () => console.log('socket', event));
    res.end('x', () => console.log('callback'));
    socket.end(() => console.log('socket ended'));
    console.log(state(socket));
  },
  'destroyed': (res, socket) => { res.end('x', () => console.log('callback')); socket.destroy(); console.log(state(socket)); },
};

const server = http.createServer((req, res) => {
  const { socket } = res;
  res.on('finish', () => console.log('finish', socket._writableState.pendingcb));
  forms[decodeURI(req.url.slice(1))](res, socket);
  process.nextTick(() => console.log('tick', state(socket)));
});

async function main() {
  for (const name of Object.keys(forms)) {
    console.log(`--- ${name}`);
    await new Promise((resolve) => {
      const client = net.connect(server.address().port, '127.0.0.1');
      client.write(`GET /${encodeURI(name)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      client.on('error', () => {});
      client.resume().on('close', () => setTimeout(resolve, 10));
    });
  }
  server.close();
}
server.listen(0, '127.0.0.1', main);
