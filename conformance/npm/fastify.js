// fastify: schemas in and out, hooks, plugins, errors, replies of each kind, injected and asked over loopback.
'use strict';
const { Readable } = require('stream');
const http = require('http');
const fastify = require('fastify');

const log = (...words) => console.log(...words);

function make() {
  const app = fastify({ logger: false });
  const person = { type: 'object', properties: { hi: { type: 'string' }, n: { type: 'integer' } } };
  const schema = { querystring: { type: 'object', properties: { n: { type: 'integer' } } }, response: { 200: person } };
  app.decorate('shout', (text) => text.toUpperCase());
  app.decorateRequest('began', 0);
  app.addHook('onRequest', async (request) => { request.began = 1; });
  app.addHook('preHandler', (request, reply, done) => { reply.header('x-began', String(request.began)); done(); });
  app.addHook('onSend', async (request, reply, payload) => (request.url === '/sent' ? `${payload}!` : payload));
  app.addHook('onResponse', async (request, reply) => log('  response', request.method, request.url, reply.statusCode));
  app.addHook('onClose', async () => log('onClose'));
  app.get('/hello/:name', { schema }, async (request) => ({ hi: app.shout(request.params.name), n: request.query.n, more: 1 }));
  app.post('/echo', async (request, reply) => { reply.code(201); return request.body; });
  app.get('/thrown', async () => { throw Object.assign(new Error('no'), { statusCode: 418 }); });
  app.get('/sent', (request, reply) => { reply.type('text/plain').send('sent'); });
  app.get('/stream', (request, reply) => reply.send(Readable.from(['a', 'b', 'c'])));
  app.get('/buffer', async () => Buffer.from('bytes'));
  app.get('/moved', (request, reply) => reply.redirect('/hello/x', 302));
  app.register(async (inner) => {
    inner.addContentTypeParser('text/csv', { parseAs: 'string' }, (request, body, done) => done(null, body.split(',')));
    inner.post('/csv', async (request) => request.body);
    inner.get('/*', async (request) => request.params['*']);
  }, { prefix: '/in' });
  app.setNotFoundHandler((request, reply) => reply.code(404).send({ nothing: request.url }));
  return app;
}

function ask(port, method, path, headers = {}, body = undefined) {
  return new Promise((resolve, reject) => {
    const request = http.request({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => { text += chunk; }).on('end', () => {
        const { date, connection, ...shown } = response.headers;
        resolve(log(method, path, response.statusCode, JSON.stringify(shown), text));
      });
    });
    request.on('error', reject).end(body);
  });
}

(async () => {
  const app = make();
  const injected = await app.inject({ method: 'GET', url: '/hello/ann?n=7' });
  log('injected', injected.statusCode, injected.json());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address();
  const json = { 'content-type': 'application/json' };
  await ask(port, 'GET', '/hello/bob?n=5');
  await ask(port, 'GET', '/hello/bob?n=five');
  await ask(port, 'POST', '/echo', json, '{"a":[1,2,{"b":null}]}');
  await ask(port, 'POST', '/echo', json, '{"a":');
  await ask(port, 'POST', '/echo', json, '{"__proto__":{"x":1}}');
  await ask(port, 'POST', '/echo', { 'content-type': 'application/what' }, 'x');
  await ask(port, 'POST', '/in/csv', { 'content-type': 'text/csv' }, '1,2,3');
  for (const path of ['/thrown', '/sent', '/stream', '/buffer', '/moved', '/in/a/b', '/none', '/hello/%zz']) await ask(port, 'GET', path);
  await ask(port, 'HEAD', '/sent');
  await ask(port, 'DELETE', '/echo');
  await app.close();
  log('closed', app.server.listening);
})();
