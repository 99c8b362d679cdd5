export const twice = (n) => n * 2;
export const log = (n) => console.log('log', n);
