// morgan and cors on express: log lines of every format, and what browsers ask before they ask.
'use strict';
const express = require('express');
const cors = require('cors');
const morgan = require('morgan');
const http = require('http');

const log = (...words) => console.log(...words);
const lines = [];
const stream = { write: (line) => lines.push(line.trimEnd().replace(/\x1b\[\d+m/g, (code) => `<${code.slice(2)}>`).replace(/\d+\.\d+ ms/g, 'N ms').replace(/\[[^\]]*\d{4}[^\]]*\]/, '[WHEN]')) };
const app = express();
morgan.token('id', (request) => request.headers['x-id']);
for (const format of ['combined', 'common', 'dev', 'short', 'tiny', ':id :method :url :status :res[content-type] :req[host] :http-version']) app.use(morgan(format, { stream }));
app.use(morgan(':method early', { stream, immediate: true }), morgan(':status skipped', { stream, skip: (request, response) => response.statusCode < 400 }));
app.use('/open', cors());
app.use('/some', cors({ origin: ['http://a.test', /\.b\.test$/], methods: ['GET', 'PUT'], allowedHeaders: ['X-One', 'X-Two'], exposedHeaders: 'X-Out', credentials: true, maxAge: 60 }));
app.use('/asked', cors((request, done) => setImmediate(done, request.headers['x-bad'] ? new Error('refused') : null, { origin: true, optionsSuccessStatus: 200 })));
app.use((request, response) => response.status(request.path.includes('missing') ? 404 : 200).send('body'));
app.use((error, request, response, next) => response.status(500).send(error.message) && void next);

const server = app.listen(0, '127.0.0.1', async () => {
  const ask = (method, path, headers) => new Promise((resolve) => {
    http.request({ port: server.address().port, host: '127.0.0.1', method, path, headers: { Host: 'shop.test', 'User-Agent': 'test/1', ...headers } }, (response) => {
      const shown = Object.entries(response.headers).filter(([name]) => name.startsWith('access-') || name === 'vary' || name === 'content-length');
      response.resume().on('end', () => { log(method, path, response.statusCode, Object.fromEntries(shown)); });
      response.on('close', resolve);
    }).end();
  });
  await ask('GET', '/open', { Origin: 'http://any.test', Referer: 'http://from.test/', Authorization: `Basic ${Buffer.from('ann:secret').toString('base64')}`, 'X-Id': '7' });
  await ask('GET', '/some/missing', { Origin: 'http://x.b.test' });
  await ask('GET', '/some', { Origin: 'http://c.test' });
  await ask('OPTIONS', '/some', { Origin: 'http://a.test', 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'X-One' });
  await ask('OPTIONS', '/open', { Origin: 'http://a.test', 'Access-Control-Request-Method': 'DELETE', 'Access-Control-Request-Headers': 'x-anything' });
  await ask('OPTIONS', '/asked', { Origin: 'http://a.test' });
  await ask('GET', '/asked', { 'X-Bad': '1' });
  server.close(() => log(lines));
});
