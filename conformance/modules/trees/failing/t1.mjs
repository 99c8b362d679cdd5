import "./t2.mjs"; await 1; console.log("t1")
