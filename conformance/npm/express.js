// express: routers, middleware, bodies of each kind, errors, files, cookies, caching and streaming, asked over loopback.
'use strict';
const express = require('express');
const http = require('http');
const fs = require('fs');
const os = require('os');
const path = require('path');

const log = (...words) => console.log(...words);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'npm-express-'));
fs.writeFileSync(path.join(folder, 'page.html'), '<p>page</p>');
fs.writeFileSync(path.join(folder, 'data.bin'), Buffer.alloc(70_000, 'abcdefg'));
fs.writeFileSync(path.join(folder, 'view.tpl'), 'Hello {{name}}, {{count}} things');
for (const name of fs.readdirSync(folder)) fs.utimesSync(path.join(folder, name), 1_600_000_000, 1_600_000_000);

const app = express();
app.set('query parser', 'extended');
app.set('trust proxy', true);
app.engine('tpl', (file, options, done) => fs.readFile(file, 'utf8', (error, text) => done(error, text?.replace(/{{(\w+)}}/g, (_, key) => options[key]))));
app.set('views', folder);
app.set('view engine', 'tpl');
app.locals.count = 3;
app.use((request, response, next) => { response.set('X-Seen', request.method); next(); });
app.use(express.json({ limit: '1kb' }), express.urlencoded({ extended: true }), express.text(), express.raw({ type: 'application/x-raw' }));
app.use('/files', express.static(folder, { maxAge: '1h', index: 'page.html' }));
app.get('/', (request, response) => response.send('root'));
app.get('/query', (request, response) => response.json({ query: request.query, ip: request.ip, host: request.hostname, secure: request.secure }));
app.all('/echo', (request, response) => response.status(201).json({ method: request.method, type: request.get('content-type'), body: Buffer.isBuffer(request.body) ? request.body.toString('hex') : request.body }));
app.get('/view/:name', (request, response) => response.render('view', request.params));
app.get('/accepts', (request, response) => response.format({ text: () => response.send('plain'), html: () => response.send('<b>html</b>'), json: () => response.json(['json']) }));
app.get('/cookie', (request, response) => response.cookie('a', 'b c', { httpOnly: true, maxAge: 1000, path: '/x' }).clearCookie('old').redirect(303, '/elsewhere'));
app.get('/slow', async (request, response) => {
  response.type('text/plain');
  for (const part of ['one', 'two', 'three']) {
    response.write(`${part};`);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  response.end();
});
app.get('/range', (request, response) => response.sendFile('data.bin', { root: folder }));
app.get('/download', (request, response) => response.download(path.join(folder, 'page.html'), 'säite.html'));
app.get('/fresh', (request, response) => response.set('ETag', '"v1"').send('fresh'));
app.get('/throw', () => { throw Object.assign(new Error('thrown'), { status: 418, expose: true }); });
app.get('/reject', async () => { await null; throw new TypeError('rejected'); });
const router = express.Router({ mergeParams: true });
router.param('id', (request, response, next, id) => { request.item = Number(id); next(Number.isNaN(request.item) ? Object.assign(new Error('no number'), { status: 400 }) : undefined); });
router.route('/items/:id').get((request, response) => response.json({ ...request.params, item: request.item, base: request.baseUrl, url: request.originalUrl })).delete((request, response) => response.sendStatus(204));
router.get(['/many', '/more/*rest'], (request, response) => response.json(request.params));
app.use('/users/:user', router);
app.use((request, response) => response.status(404).type('txt').send(`no ${request.path}`));
app.use((error, request, response, next) => (response.headersSent ? next(error) : response.status(error.status ?? 500).json({ error: error.message, kind: error.type ?? error.name })));

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let port;
function ask(method, url, { headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, method, path: url, headers: { Host: 'shop.test', ...headers }, agent }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { date, ...rest } = response.headers;
        if (rest['set-cookie']) rest['set-cookie'] = rest['set-cookie'].map((cookie) => cookie.replace(/Expires=[^;]*GMT/, (when) => (when.includes('1970') ? when : 'Expires=later')));
        log(`${method} ${url}`, response.statusCode, response.statusMessage, typeof date, rest, text.length > 200 ? text.length : text);
        resolve(response);
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

const server = app.listen(0, '127.0.0.1', async () => {
  ({ port } = server.address());
  const json = { 'Content-Type': 'application/json' };
  await ask('GET', '/');
  await ask('HEAD', '/');
  await ask('OPTIONS', '/echo');
  await ask('GET', '/query?a[b]=1&a[c][]=2&d=x%20y', { headers: { 'X-Forwarded-For': '10.0.0.9, 10.0.0.1', 'X-Forwarded-Proto': 'https' } });
  await ask('POST', '/echo', { headers: json, body: JSON.stringify({ nested: [1, { two: 'ü' }] }) });
  await ask('PUT', '/echo', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'a[]=1&a[]=2&b[c]=d+e' });
  await ask('PATCH', '/echo', { headers: { 'Content-Type': 'text/plain; charset=latin1' }, body: Buffer.from('grün', 'latin1') });
  await ask('POST', '/echo', { headers: { 'Content-Type': 'application/x-raw', 'Content-Encoding': 'gzip' }, body: require('zlib').gzipSync('raw bytes') });
  await ask('POST', '/echo', { headers: json, body: '{"broken":' });
  await ask('POST', '/echo', { headers: json, body: JSON.stringify('x'.repeat(2000)) });
  await ask('GET', '/view/world');
  for (const accept of ['text/html', 'application/json;q=0.9, text/plain;q=0.1', 'image/png']) await ask('GET', '/accepts', { headers: { Accept: accept } });
  await ask('GET', '/cookie', { headers: { Accept: 'text/html' } });
  await ask('GET', '/slow');
  await ask('GET', '/range', { headers: { Range: 'bytes=5-11' } });
  await ask('GET', '/range', { headers: { Range: 'bytes=90000-' } });
  await ask('GET', '/range');
  await ask('GET', '/download');
  await ask('GET', '/files/');
  await ask('GET', '/files/page.html', { headers: { 'If-Modified-Since': new Date(1_700_000_000_000).toUTCString() } });
  await ask('GET', '/files/../secret');
  await ask('GET', '/fresh', { headers: { 'If-None-Match': '"v1"' } });
  await ask('GET', '/users/ann/items/7');
  await ask('DELETE', '/users/ann/items/7');
  await ask('GET', '/users/ann/items/x');
  await ask('GET', '/users/ann/more/a/b/c');
  await ask('GET', '/throw');
  await ask('GET', '/reject');
  await ask('GET', '/nothing/here');
  agent.destroy();
  server.close(() => {
    fs.rmSync(folder, { recursive: true });
    log('closed');
  });
});
