// axios: requests, answers, interceptors, forms, streams, redirects, limits, refusals and their codes, against a server on loopback.
'use strict';
const { Readable } = require('stream');
const { text } = require('stream/consumers');
const http = require('http');
const zlib = require('zlib');
const axios = require('axios');

const log = (...words) => console.log(...words);

const server = http.createServer(async (request, response) => {
  const url = new URL(request.url, 'http://x');
  if (url.pathname === '/echo') {
    const body = await text(request);
    const { host, connection, 'user-agent': agent, ...headers } = request.headers;
    if (headers['content-type']?.startsWith('multipart')) headers['content-type'] = headers['content-type'].split(';')[0];
    response.setHeader('Content-Type', 'application/json');
    const plain = body.replace(/-{20,}\w+/g, '--boundary');
    response.end(JSON.stringify({ method: request.method, search: url.search, headers, body: plain }));
  } else if (url.pathname === '/gzip') {
    response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Type': 'text/plain' });
    response.end(zlib.gzipSync('zipped'.repeat(100)));
  } else if (url.pathname === '/moved') {
    response.writeHead(302, { Location: '/echo?moved=1' }).end();
  } else if (url.pathname === '/slow') {
    setTimeout(() => response.end('slow'), 5000).unref();
  } else if (url.pathname === '/cut') {
    response.writeHead(200, { 'Content-Length': 100 }).write('cut', () => response.destroy());
  } else {
    response.writeHead(Number(url.pathname.slice(1)) || 404, { 'Content-Type': 'application/json' }).end('{"why":"asked"}');
  }
});

async function fails(name, promise) {
  try {
    const { status } = await promise;
    log(name, 'did not fail', status);
  } catch (error) {
    log(name, error.code, error.name, axios.isAxiosError(error), axios.isCancel(error), error.response?.status, error.message);
  }
}

server.listen(0, '127.0.0.1', async () => {
  const baseURL = `http://127.0.0.1:${server.address().port}`;
  const client = axios.create({ baseURL, headers: { common: { 'X-Mine': 'yes' } } });
  client.interceptors.request.use((config) => { config.headers.set('X-Asked', 'on'); return config; });
  client.interceptors.response.use((response) => { response.seen = true; return response; });
  const show = ({ status, statusText, data, seen }) => log(status, statusText, seen, data);

  show(await client.get('/echo', { params: { a: 1, b: ['x', 'y'], c: { d: 'é' }, e: null } }));
  show(await client.post('/echo', { deep: [1, { two: 2 }] }));
  show(await client.put('/echo', new URLSearchParams({ q: 'a b', r: '&' })));
  show(await client.patch('/echo', Buffer.from('bytes'), { headers: { 'Content-Type': 'application/octet-stream' } }));
  show(await client.post('/echo', Readable.from(['str', 'eam']), { headers: { 'Content-Type': 'text/plain' } }));
  show(await client.postForm('/echo', { one: '1', two: [2, 3] }));
  show(await client.delete('/echo', { auth: { username: 'u', password: 'p' } }));
  show(await client.get('/gzip', { transformResponse: [(data) => data.length] }));
  show(await client.get('/moved'));
  show(await client.get('/404', { validateStatus: null }));
  const { data } = await client.get('/gzip', { responseType: 'stream' });
  log('stream', (await text(data)).length);
  log('bytes', (await client.get('/echo', { responseType: 'arraybuffer' })).data.constructor.name);

  await fails('status', client.get('/503'));
  await fails('redirects', client.get('/moved', { maxRedirects: 0 }));
  await fails('timeout', client.get('/slow', { timeout: 50 }));
  await fails('length', client.get('/gzip', { maxContentLength: 50 }));
  await fails('body', client.post('/echo', 'x'.repeat(100), { maxBodyLength: 10 }));
  await fails('cut', client.get('/cut'));
  await fails('refused', axios.get('http://127.0.0.1:1/'));
  await fails('aborted', client.get('/slow', { signal: AbortSignal.abort() }));
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  await fails('abort', client.get('/slow', { signal: controller.signal }));
  await fails('protocol', axios.get('gopher://127.0.0.1/'));
  server.closeAllConnections();
  server.close(() => log('closed'));
});
