// Passwords are hashed by all threads of the pool, so reading a small file has to wait until one is free.
'use strict';
const crypto = require('crypto');
const fs = require('fs');

function hashPasswords() {
  for (let i = 0; i < 16; i++) crypto.pbkdf2('password', `salt ${i}`, ITERATIONS, 64, 'sha512', () => {});
}

// As many rounds as take 150 ms on this machine.
const begin = performance.now();
crypto.pbkdf2Sync('password', 'salt', 2000, 64, 'sha512');
const ITERATIONS = Math.ceil(2000 * 150 / Math.max(performance.now() - begin, 0.1));

setTimeout(() => {
  hashPasswords();
  fs.readFile(__filename, () => {});
}, 10);
