export let n = 0; export function inc() { n++; } export default n;
