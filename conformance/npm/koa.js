// koa: the onion of middleware, contexts, bodies of each kind, cookies, errors, events, asked over loopback.
'use strict';
const Koa = require('koa');
const http = require('http');
const fs = require('fs');
const { Readable, PassThrough } = require('stream');
const { AsyncLocalStorage } = require('async_hooks');

const log = (...words) => console.log(...words);
const app = new Koa({ proxy: true, keys: ['one', 'two'], asyncLocalStorage: true });
const own = new AsyncLocalStorage();
app.context.shout = function (text) { return text.toUpperCase(); };
app.on('error', (error, ctx) => log('event error', error.message, ctx?.path, error.expose));

app.use(async (ctx, next) => {
  const order = ['in'];
  ctx.state.order = order;
  await own.run({ path: ctx.path }, next);
  order.push('out');
  ctx.set('X-Order', order.join(','));
  ctx.set('X-Context', String(app.currentContext === ctx));
});
app.use(async (ctx, next) => {
  ctx.state.order.push('second');
  try {
    await next();
  } catch (error) {
    if (error.status !== 409) throw error;
    ctx.status = 409;
    ctx.body = { conflict: error.message, ...error.properties };
  }
});

const routes = {
  '/': (ctx) => { ctx.body = 'text'; },
  '/html': (ctx) => { ctx.body = '<p>html</p>'; },
  '/json': (ctx) => { ctx.body = { method: ctx.method, query: ctx.query, search: ctx.search, ip: ctx.ip, host: ctx.host, secure: ctx.secure, type: ctx.request.type, length: ctx.request.length ?? null }; },
  '/buffer': (ctx) => { ctx.body = Buffer.from([1, 2, 3]); ctx.type = 'png'; },
  '/stream': (ctx) => { ctx.body = Readable.from(['streamed ', 'in ', 'parts']); ctx.type = 'text'; },
  '/file': (ctx) => { ctx.body = fs.createReadStream(__filename, { start: 3, end: 20 }); ctx.attachment('ä.txt'); },
  '/blob': (ctx) => { ctx.body = new Blob(['of a blob'], { type: 'text/plain' }); },
  '/web': (ctx) => { ctx.body = new Response('of a response', { status: 203, headers: { 'X-Web': '1' } }); },
  '/readable': (ctx) => { ctx.body = new Blob(['of a web stream']).stream(); },
  '/broken': (ctx) => { ctx.body = new PassThrough(); setTimeout(() => ctx.body.destroy(new Error('stream broke')), 5); },
  '/empty': (ctx) => { ctx.status = 204; ctx.body = null; },
  '/null': (ctx) => { ctx.body = null; },
  '/cookies': (ctx) => { ctx.cookies.set('name', 'value', { signed: true, overwrite: true, sameSite: 'lax' }); ctx.body = { plain: ctx.cookies.get('plain') ?? null, signed: ctx.cookies.get('name', { signed: true }) ?? null }; },
  '/redirect': (ctx) => { ctx.redirect('/html?a=b c'); },
  '/fresh': (ctx) => { ctx.etag = 'tag'; ctx.lastModified = new Date(1e12); ctx.status = 200; if (ctx.fresh) ctx.status = 304; else ctx.body = 'stale'; },
  '/accepts': (ctx) => { ctx.body = [ctx.accepts('json', 'html'), ctx.acceptsEncodings('gzip', 'br'), ctx.acceptsLanguages('de', 'en'), ctx.is('json', 'urlencoded')]; ctx.vary('Accept'); },
  '/throw': (ctx) => ctx.throw(418, 'short and stout', { extra: 1 }),
  '/assert': (ctx) => ctx.assert(ctx.query.user, 401, 'who?'),
  '/conflict': () => { throw Object.assign(new Error('twice'), { status: 409, properties: { id: 7 } }); },
  '/error': async () => { await null; throw new TypeError('hidden'); },
  '/context': (ctx) => { ctx.body = [own.getStore(), app.currentContext === ctx, ctx.shout('loud'), ctx.inspect().app.subdomainOffset]; },
  '/raw': (ctx) => { ctx.respond = false; ctx.res.writeHead(202, { 'Content-Length': '3' }).end('raw'); },
  '/body': async (ctx) => { let size = 0; for await (const chunk of ctx.req) size += chunk.length; ctx.body = { size, type: ctx.request.charset }; },
};
app.use(async (ctx, next) => {
  ctx.state.order.push('route');
  const route = routes[ctx.path];
  if (!route) return next();
  await route(ctx);
});

let port;
function ask(method, url, { headers = {}, body } = {}) {
  return new Promise((resolve) => {
    const request = http.request({ host: '127.0.0.1', port, method, path: url, headers: { Host: 'a.b.shop.test', ...headers } }, (response) => {
      let text = '';
      const { date, connection, 'keep-alive': alive, ...rest } = response.headers;
      response.setEncoding('latin1').on('data', (chunk) => { text += chunk; });
      response.on('error', (error) => log('response error', error.code));
      response.on('close', () => { log(`${method} ${url}`, response.statusCode, response.statusMessage, response.complete, rest, JSON.stringify(text)); resolve(response); });
    });
    request.on('error', (error) => { log('request error', error.code); resolve(); });
    request.end(body);
  });
}

const server = app.listen(0, '127.0.0.1', async () => {
  ({ port } = server.address());
  for (const url of ['/', '/html', '/json?a=1&a=2&b=%20', '/buffer', '/stream', '/file', '/blob', '/web', '/readable', '/empty', '/null', '/redirect', '/fresh', '/throw', '/assert', '/conflict', '/error', '/context', '/raw', '/none', '/broken']) await ask('GET', url);
  await ask('HEAD', '/json');
  await ask('POST', '/json', { headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '9.9.9.9' }, body: '{}' });
  await ask('GET', '/fresh', { headers: { 'If-None-Match': '"tag"' } });
  await ask('GET', '/accepts', { headers: { Accept: 'text/html, application/json;q=0.5', 'Accept-Encoding': 'br, gzip;q=0.2', 'Accept-Language': 'en;q=0.8, de' } });
  const { headers } = await ask('GET', '/cookies', { headers: { Cookie: 'plain=1' } });
  await ask('GET', '/cookies', { headers: { Cookie: headers['set-cookie'].map((cookie) => cookie.split(';')[0]).join('; ') } });
  await ask('GET', '/cookies', { headers: { Cookie: 'name=value; name.sig=forged' } });
  await ask('POST', '/body', { headers: { 'Content-Type': 'text/plain; charset=latin1' }, body: Buffer.alloc(200_000) });
  server.close(() => log('closed'));
});
