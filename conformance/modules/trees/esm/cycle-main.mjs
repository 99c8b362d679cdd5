import c from './cycle-req.cjs'; export const x = 1; export { c };
