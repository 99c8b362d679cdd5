import "./a.mjs"; import "./c.mjs"; export const b = 1; console.log("b ran")
