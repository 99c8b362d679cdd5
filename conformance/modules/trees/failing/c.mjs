export const c = 1; console.log("c ran")
