import { a, fa } from './a.mjs'; export const b = 'b' + fa(); export function late() { return a; } try { a; } catch (e) { console.log('b.mjs', e.name); }
