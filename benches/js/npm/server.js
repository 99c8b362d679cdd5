'use strict';
// A server with one framework: `server.js FRAMEWORK PORT`. `/` answers with a short text, `/json` with a list of 50 objects.
const [framework, port] = process.argv.slice(2);

const list = Array.from({ length: 50 }, (_, id) => ({
  id, name: `item ${id}`, price: id * 1.5, tags: ['new', 'sale'], isActive: id % 2 === 0,
}));

const up = () => console.error('up');
const host = '127.0.0.1';

const servers = {
  raw() {
    require('node:http').createServer((request, response) => {
      if (request.url === '/json') {
        response.setHeader('content-type', 'application/json; charset=utf-8');
        response.end(JSON.stringify(list));
      } else {
        response.setHeader('content-type', 'text/plain; charset=utf-8');
        response.end('hello world');
      }
    }).listen(port, host, up);
  },

  koa() {
    const Koa = require('koa');
    const app = new Koa();
    app.use(async (context, next) => {
      await next();
      context.set('x-request-id', 'one');
    });
    app.use((context) => {
      context.body = context.path === '/json' ? list : 'hello world';
    });
    app.listen(port, host, up);
  },

  express() {
    const app = require('express')();
    app.get('/', (request, response) => response.send('hello world'));
    app.get('/json', (request, response) => response.json(list));
    app.listen(port, host, up);
  },

  fastify() {
    const app = require('fastify')();
    app.get('/', async () => 'hello world');
    app.get('/json', async () => list);
    app.listen({ port, host }).then(up);
  },

  hono() {
    const { Hono } = require('hono');
    const { serve } = require('@hono/node-server');
    const app = new Hono();
    app.get('/', (context) => context.text('hello world'));
    app.get('/json', (context) => context.json(list));
    serve({ fetch: app.fetch, port: Number(port), hostname: host }, up);
  },
};

servers[framework]();
