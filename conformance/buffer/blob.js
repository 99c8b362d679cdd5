'use strict';
// Blob and File.
const { resolveObjectURL } = require('buffer');
const attempt = (run) => { try { return JSON.stringify(run()) ?? 'undefined'; } catch (e) { return `${e.name} ${e.code} ${e.message}`; } };
const a = async (run) => { try { return JSON.stringify(await run()) ?? 'undefined'; } catch (e) { return `${e.name} ${e.code} ${e.message}`; } };
(async () => {
  for (const run of [() => new Blob(5), () => new Blob('x'), () => new Blob(null), () => new Blob({}), () => new Blob([], 5), () => new Blob([], { endings: 'x' }), () => new Blob().size, () => new Blob(['é', 'b'], { type: 'Text/Plain' }).type, () => new Blob(['a'], { type: 'é' }).type, () => new Blob([5, null, {}]).size, () => new Blob(new Set(['ab', 'c'])).size, () => new File(), () => new File(['a']), () => new File(['a'], 'n', { lastModified: 5 }).lastModified, () => new File(['abc'], 'n').name, () => new File(['abc'], 'n', { type: 'X/Y' }).type, () => Object.prototype.toString.call(new Blob()) + Object.prototype.toString.call(new File([], '')), () => new File([], 'x') instanceof Blob, () => new File([], 'x', { lastModified: 'q' }).lastModified, () => Object.keys(Blob.prototype).sort().join(), () => Object.keys(File.prototype).sort().join(), () => new Blob(['abc']).slice(1, 2, 'q/r').type, () => Blob.prototype.size, () => new Blob(['abc']).slice(-2).size, () => new Blob(['abc']).slice(5).size, () => new Blob(['abc']).slice(2, 1).size, () => new File(5, 'x')]) console.log(attempt(run));
  for (const run of [() => new Blob(['aé', new Uint8Array([98, 99]), new Blob(['d']), new ArrayBuffer(1), new DataView(new ArrayBuffer(2))]).text(), async () => [...new Uint8Array(await new Blob(['xyz']).slice(1).arrayBuffer())], async () => Array.from(await new Blob(['q']).bytes()), () => new Blob(['a\r\nb\nc\rd'], { endings: 'native' }).text(), () => new Blob(['a\r\nb'], { endings: 'transparent' }).text(), () => new Blob(['abcdef']).slice(-4, -1).text(), () => new Blob(['\ud800']).text(), () => Blob.prototype.text.call({})]) console.log(await a(run));
  const url = URL.createObjectURL(new Blob(['held'], { type: 'a/b' }));
  console.log(/^blob:nodedata:[0-9a-f-]{36}$/.test(url), await a(() => resolveObjectURL(url).text()), resolveObjectURL(url).type);
  URL.revokeObjectURL(url);
  console.log(resolveObjectURL(url), resolveObjectURL('x'), attempt(() => URL.createObjectURL(5)), attempt(() => URL.revokeObjectURL()));
})();
