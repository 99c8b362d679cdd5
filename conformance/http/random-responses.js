// Random responses of a server: the bytes that the client receives, the order of events and callbacks, and the state after each
// operation, printed as a hash. `node random-responses.js 17` prints the whole log of program 17 instead.
const { createHash } = require('crypto');
const http = require('http');
const net = require('net');

// The xorshift generator: the same numbers for the same seed.
function generator(seed) {
  let state = Math.imul(seed, 2654435761) >>> 0 || 1;
  const next = (limit) => {
    state = (state ^ (state << 13)) >>> 0;
    state = (state ^ (state >>> 17)) >>> 0;
    state = (state ^ (state << 5)) >>> 0;
    return state % limit;
  };
  for (let skipped = 0; skipped < 10; skipped++) next(2);
  return next;
}

function stateOf(response) {
  const { destroyed, finished, headersSent, statusCode, writableCorked, writableEnded, writableFinished, writableLength } = response;
  const shown = [headersSent, writableEnded, writableFinished, finished, destroyed, writableLength > 0, writableCorked].map(Number);
  return `${statusCode} ${shown.join('')}`;
}

const nameOf = (error) => error && (error.code || error.message);
const nextTurn = () => new Promise(setImmediate);

async function run(seed) {
  const random = generator(seed);
  const lines = [];
  const log = (...words) => lines.push(words.join(' '));

  function later(callback) {
    [callback, () => process.nextTick(callback), () => queueMicrotask(callback), () => setImmediate(callback), callback][random(5)]();
  }

  // Each event gets a listener with a probability of one in `rate`.
  function listen(emitter, events, rate, id, response) {
    for (const event of events) if (random(rate) === 0) emitter.on(event, () => log(id, event, stateOf(response)));
  }

  const chunks = ['', 'abc', Buffer.from('bytes'), 'é', 'x'.repeat(200), Buffer.alloc(20000, 'y')];
  const either = (list) => list[random(list.length)];

  function operate(response, id) {
    const called = (name) => (random(2) === 0 ? [(error) => log(id, name, nameOf(error), stateOf(response))] : []);
    const operations = [
      () => void response.setHeader(either(['X-A', 'content-type', 'Set-Cookie']), either(['v', ['a', 'b'], 7])),
      () => void response.writeHead(either([200, 404, 204, 304, 201]), ...(random(2) === 0 ? [{ 'X-B': '1' }] : [])),
      () => response.write(either(chunks), ...called('written')),
      () => response.write(either(chunks), 'latin1'),
      () => response.cork(),
      () => response.uncork(),
      () => response.flushHeaders(),
      () => void response.setHeader('Content-Length', '3'),
      () => JSON.stringify(response.getHeaders()),
      () => response.removeHeader('X-A'),
      () => (random(8) === 0 ? response.writeContinue() : undefined),
      () => (random(12) === 0 ? void response.destroy() : undefined),
    ];
    const at = random(operations.length);
    try {
      log(id, 'operation', at, operations[at](), stateOf(response));
    } catch (error) {
      log(id, 'operation', at, 'threw', nameOf(error));
    }
  }

  function end(response, id) {
    const callback = random(3) === 0 ? [() => log(id, 'ended', stateOf(response))] : [];
    try {
      response.end(...either([[], ['end'], [Buffer.from('END')], ['é', 'latin1']]), ...callback);
      log(id, 'end', stateOf(response));
      if (random(8) === 0) response.end('again', (error) => log(id, 'ended again', nameOf(error)));
      listen(response, ['finish', 'close'], 8, id, response);
      if (random(8) === 0) response.write('late', (error) => log(id, 'written late', nameOf(error)));
    } catch (error) {
      log(id, 'end threw', nameOf(error));
    }
  }

  let count = 0;
  const options = random(8) === 0 ? { highWaterMark: 64 } : {};
  const server = http.createServer(options, (request, response) => {
    const id = count++;
    log(id, request.method, request.url, request.headers.connection);
    listen(response, ['finish', 'close', 'prefinish', 'drain'], 4, id, response);
    listen(request, ['data', 'end', 'close'], 5, id, response);
    response.on('error', (error) => log(id, 'error', nameOf(error)));
    let steps = random(6);
    const step = () => {
      if (steps-- > 0) {
        operate(response, id);
        later(step);
      } else {
        end(response, id);
      }
    };
    later(step);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

  const requests = [];
  for (let left = random(4); left >= 0; left--) {
    const head = `/${left} HTTP/1.1\r\nHost: a\r\n${left === 0 ? 'Connection: close\r\n' : ''}`;
    requests.push(either([
      `GET ${head}\r\n`, `GET ${head}\r\n`, `HEAD ${head}\r\n`, `POST ${head}Content-Length: 4\r\n\r\nbody`,
      `POST ${head}Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n`,
    ]));
  }
  const isPipelined = random(3) === 0;
  let received = '';
  const client = net.connect(server.address().port, '127.0.0.1');
  client.on('data', (bytes) => { received += bytes.toString('latin1'); }).on('error', () => {});
  // A response that was destroyed, or whose length is wrong, leaves the client waiting.
  const timer = setTimeout(() => client.destroy(), 1000);
  const closed = new Promise((resolve) => client.on('close', resolve));
  if (isPipelined) {
    client.write(requests.join(''));
  } else {
    for (const request of requests) {
      if (!client.destroyed) client.write(request);
      for (let turn = 0; turn < 12; turn++) await nextTurn();
    }
  }
  await closed;
  clearTimeout(timer);
  server.close();
  server.closeAllConnections();
  await nextTurn();
  await nextTurn();
  log('received', JSON.stringify(received.replace(/Date: [^\r]*/g, 'Date')));
  return lines;
}

async function main() {
  if (process.argv.length > 2) {
    console.log((await run(+process.argv[2])).join('\n'));
    return;
  }
  for (let first = 1; first <= 200; first += 10) {
    const hash = createHash('sha256');
    let lines = 0;
    for (let seed = first; seed < first + 10; seed++) {
      const log = await run(seed);
      lines += log.length;
      hash.update(log.join('\n'));
    }
    console.log(`programs from ${first}: ${lines} lines, ${hash.digest('hex').slice(0, 16)}`);
  }
}

main();
