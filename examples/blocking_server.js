'use strict';
// A server in which some requests block the loop. `phasor --blocked=50ms examples/blocking_server.js` names the lines.

const http = require('http');
const { pbkdf2Sync } = require('crypto');

function hashPassword(password) {
  return pbkdf2Sync(password, 'salt', 400_000, 32, 'sha256').toString('hex');
}

function countPrimes(limit) {
  let count = 0;
  for (let number = 2; number < limit; number++) {
    let divisor = 2;
    while (divisor * divisor <= number && number % divisor !== 0) divisor++;
    if (divisor * divisor > number) count++;
  }
  return count;
}

const server = http.createServer(async (request, response) => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  if (request.url.startsWith('/login')) response.end(hashPassword('secret'));
  else if (request.url === '/primes') response.end(String(countPrimes(1_000_000)));
  else response.end('hello');
});

const get = (path) => new Promise((resolve) => {
  http.get({ host: '127.0.0.1', port: server.address().port, path }, (response) => response.resume().on('end', resolve));
});

server.listen(0, '127.0.0.1', async () => {
  for (const path of ['/', '/login?user=1', '/primes']) await get(path);
  server.close();
});
