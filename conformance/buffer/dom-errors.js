'use strict';
// atob and btoa refuse with DOMExceptions.
const attempt = (run) => { try { return JSON.stringify(run()); } catch (e) { return `${e.name} ${e.code} ${e.message}`; } };
for (const text of ['a', 'YQ=', '=', '*', 'YQ==YQ==', 'YW=', 'é', '\u20ac', 'YWJj====']) console.log(JSON.stringify(text), attempt(() => atob(text)));
console.log(attempt(() => btoa('\u20ac')), attempt(() => btoa()), attempt(() => atob()));
