import { b, late } from './b.mjs'; export let a = 'a'; export function fa() { return 'hoisted'; } console.log('a.mjs', b, late());
