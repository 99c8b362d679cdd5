// ES modules: bindings, cycles, order, meta, JSON, CommonJS, dynamic import.
import * as live from './trees/esm/live.mjs';
import def, { n, inc } from './trees/esm/live.mjs';
import * as named from './trees/esm/named.cjs';
import star, { own } from './trees/esm/star.cjs';
import data from './trees/esm/data.json' with { type: 'json' };
import events, { EventEmitter, once } from 'events';
import './trees/esm/order1.mjs';
import './trees/cyc/a.mjs';
import * as cycle from './trees/esm/cycle-main.mjs';
import { detected } from './trees/esm/detect.js';
import { plain } from './trees/esm/plain.js';
import typeModule, { t } from './trees/type-module/a.js';
import b from './trees/type-module/b.cjs';
import req from './trees/esm/cjs-requires-esm.cjs';

const here = import.meta.dirname;
const clean = (text) => String(text).replaceAll(`file://${here}`, 'file://.').replaceAll(here, '.');
inc();
console.log(n, live.n, def, live);
console.log(named, star, own === star.own, data);
console.log(events === EventEmitter, typeof once, cycle, detected, plain, typeModule, t, b, req.n, req.m);
console.log(typeof require, typeof module, typeof exports, typeof __filename, this);
try { undeclared = 1; } catch (e) { console.log(e.name); }
try { live.n = 5; } catch (e) { console.log(e.name); }
try { n = 5; } catch (e) { console.log(e.name); }
console.log(Object.keys(import.meta), clean(import.meta.url), clean(import.meta.filename), import.meta.main);
console.log(clean(import.meta.resolve('./x.mjs')), import.meta.resolve('path'), clean(import.meta.resolve('./a b?q#h')));
const one = await import('./trees/esm/live.mjs');
const two = await import('./trees/esm/live.mjs?two');
const three = await import('./trees/esm/live.mjs?two');
const four = await import('./trees/esm/live.mjs#four');
console.log(one === live, two === live, two === three, four === two, one.n, two.n, clean(import.meta.url));
console.log((await import(new URL('./trees/esm/live.mjs', import.meta.url))) === live);
console.log(await import('data:text/javascript,export default 5; export const url = import.meta.url.length'));
console.log((await import('data:text/javascript;base64,ZXhwb3J0IGRlZmF1bHQgNg==')).default);
console.log(await import('data:application/json,{"a":1}', { with: { type: 'json' } }));
console.log((await import('./trees/type-module/tla.js')).v);
console.log(one[Symbol.toStringTag], Object.getPrototypeOf(one), Object.isSealed(one), Reflect.ownKeys(one));
console.log(await Promise.all([1, 2].map(() => import('./trees/esm/throws.mjs').catch((e) => e.message))), globalThis.throws);
