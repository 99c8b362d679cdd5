import "./t1.mjs"; await 1; console.log("t2"); throw new Error("t2 failed")
