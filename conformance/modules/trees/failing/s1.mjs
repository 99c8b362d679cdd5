import "./s2.mjs"; let x = ;
