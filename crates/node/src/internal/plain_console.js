'use strict';
// A console that prints texts, for as long as there is no better one.

const { writeSync } = native;

function text(args) {
  return args.map((arg) => {
    if (typeof arg === 'string') return arg;
    if (typeof arg === 'bigint') return `${arg}n`;
    if (Object.is(arg, -0)) return '-0';
    if (arg instanceof Error) return `${arg.name}: ${arg.message}\n${arg.stack}`;
    if (Array.isArray(arg)) return `[ ${arg.map((item) => typeof item === 'string' ? `'${item}'` : text([item])).join(', ')} ]`;
    if (arg !== null && typeof arg === 'object') return JSON.stringify(arg);
    return String(arg);
  }).join(' ') + '\n';
}

const out = (...args) => { writeSync(1, text(args)); };
const err = (...args) => { writeSync(2, text(args)); };

module.exports = { log: out, info: out, debug: out, error: err, warn: err, trace: err };
