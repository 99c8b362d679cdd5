'use strict';
const dns = require('dns');
const tried = (name, work) => {
  try {
    work();
    console.log(name, 'asked');
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
};
const never = () => console.log('called');
tried('lookup', () => dns.lookup('a\0b', never));
tried('options come later', () => dns.lookup('a\0b', { family: 99 }, never));
tried('address', () => dns.lookup('127.0.0.1\0', never));
tried('promises', () => dns.promises.lookup('a\0b'));
