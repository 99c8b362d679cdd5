'use strict';
// Strings that grow at both ends, and out of parts of all sizes.
const { createHash } = require('crypto');
const show = (name, text) => console.log(name.padEnd(10), text.length, createHash('sha256').update(text).digest('hex').slice(0, 16));

let both = '';
for (let i = 0; i < 60_000; i++) both = 'a' + both + 'b';
show('both', both);
console.log(both.indexOf('b'), both.lastIndexOf('a'), both[59_999], both[60_000], both.charCodeAt(0), both.slice(59_995, 60_005));

let turns = '';
for (let i = 0; i < 60_000; i++) turns = i % 2 === 0 ? String(i) + turns : turns + String(i);
show('by turns', turns);

let wide = '';
for (let i = 0; i < 20_000; i++) wide = `\u{1f600}${wide}é`;
show('wide', wide);

let large = '';
for (let i = 0; i < 20_000; i++) large += String.fromCharCode(97 + i % 26).repeat(600 + i % 7);
show('large', large);

let front = '';
for (let i = 0; i < 5000; i++) front = String.fromCharCode(97 + i % 26).repeat(i % 1500) + front;
show('front', front);

let middle = 'x';
for (let i = 0; i < 3000; i++) middle = middle + middle.slice(-100) + i + middle.slice(0, 50);
show('middle', middle);

// Old values stay as they were.
const kept = [];
let grown = '';
for (let i = 0; i < 30_000; i++) {
  grown = '<' + grown + '>';
  if (i % 5000 === 4999) kept.push(grown);
}
for (const text of kept) show('kept', text);
console.log(kept.every((text, i) => i === 0 || text.slice(5000, -5000) === kept[i - 1]), new Set([...kept, ...kept]).size);

let doubled = 'ab';
for (let i = 0; i < 20; i++) doubled = '(' + doubled + doubled + ')';
show('doubled', doubled);

// What is asked for while it grows.
let asked = '';
let codes = 0;
for (let i = 0; i < 20_000; i++) {
  asked = 'a' + asked + 'b';
  if (i % 1000 === 0) codes += asked.charCodeAt(asked.length >> 1) + asked.length;
}
show('asked', asked);
console.log(codes, asked === 'a'.repeat(20_000) + 'b'.repeat(20_000), asked < both, both > asked);

let endless = 'z'.repeat(10000);
try {
  for (;;) endless += endless;
} catch (error) {
  console.log(error instanceof RangeError, error.message);
}
