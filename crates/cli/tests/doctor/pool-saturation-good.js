// Two threads of the pool hash passwords, one after another: the others are free for files.
'use strict';
const crypto = require('crypto');
const fs = require('fs');

function hashPasswords(left) {
  if (left > 0) crypto.pbkdf2('password', `salt ${left}`, ITERATIONS, 64, 'sha512', () => hashPasswords(left - 1));
}

const begin = performance.now();
crypto.pbkdf2Sync('password', 'salt', 2000, 64, 'sha512');
const ITERATIONS = Math.ceil(2000 * 20 / Math.max(performance.now() - begin, 0.1));

setTimeout(() => {
  hashPasswords(4);
  hashPasswords(4);
  fs.readFile(__filename, () => {});
}, 10);
