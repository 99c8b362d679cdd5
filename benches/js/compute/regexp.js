'use strict';
// Expressions over a text of 2,000 log lines: test, captures, replace, split, a Unicode class.
const lines = Array.from({ length: 2000 }, (_, at) =>
  `2026-03-${String(at % 28 + 1).padStart(2, '0')}T10:${at % 60}:00Z [${at % 3 ? 'info' : 'warn'}] user=${at * 7919 % 1000} path=/a/${at}/ö?q=${at}`);
const text = lines.join('\n');
const line = /^(\d{4})-(\d\d)-(\d\d)T\S+ \[(\w+)\] user=(\d+) path=(\S+)$/;
require('./harness.js')('regexp', () => {
  let sum = 0;
  for (const one of text.split(/\r?\n/)) {
    const found = line.exec(one);
    sum += Number(found[5]);
    if (/warn/i.test(found[4])) sum++;
  }
  const shown = text.replace(/user=(\d+)/g, (_, id) => `user=${id.length}`);
  const words = text.match(/\p{L}+/gu).length;
  if (sum !== 999667 || shown.length === text.length || words < 10000) throw new Error(`wrong result: ${sum} ${words}`);
});
