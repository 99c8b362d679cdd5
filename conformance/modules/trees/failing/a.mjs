import "./b.mjs"; import "./missing.mjs"; export const a = 1
