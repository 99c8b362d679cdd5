// Halves of characters, and how many keys are read.
const qs = require('querystring');
const { StringDecoder } = require('string_decoder');
const tell = (name, call) => {
  try {
    console.log(name, JSON.stringify(call()));
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
};
for (const text of ['\ud801test', 'a\ud83d\ude00b', '\udc00\udc00', 'x\ud801', '\ud801', '\ud801\ud801\udc00', '\udc00€']) {
  tell('escape', () => qs.escape(text));
}
const text = Array.from({ length: 1200 }, (_, at) => `k${at}=${at}`).join('&');
for (const maxKeys of [Infinity, NaN, 0, -1, 2, 2.5, '3', 2 ** 32, 2 ** 32 + 3, 1e300]) {
  tell(`keys ${maxKeys}`, () => Object.keys(qs.parse(text, '&', '=', { maxKeys })).length);
}
const chunks = [
  ['3dd84d'], ['3dd8', '4d'], ['3dd84d', 'dc'], ['3dd8', '4d', 'dc', '41'], ['41'], ['4100', '42'], ['3dd8', '3dd8'],
  ['3d', 'd8', '4d', 'dc'], ['3dd83dd84d'], ['3dd83dd8'], ['410042003dd8', '00'], ['3dd8', '4ddc410042'],
];
for (const given of chunks) {
  const decoder = new StringDecoder('utf16le');
  const texts = given.map((chunk) => [decoder.write(Buffer.from(chunk, 'hex')), decoder.lastNeed, decoder.lastTotal]);
  console.log(given.join(), JSON.stringify(texts), JSON.stringify(decoder.end()));
}
for (const given of [['61', '62', '6364'], ['61626364', '65']]) {
  const decoder = new StringDecoder('base64');
  console.log(given.join(), JSON.stringify(given.map((chunk) => decoder.write(Buffer.from(chunk, 'hex')))), decoder.end());
}
tell('no decoder', () => StringDecoder.prototype.write(Buffer.from('a')));
const { pathToFileURL } = require('url');
for (const path of ['\\\\exa mple\\share', '\\\\server\\share', '\\\\?\\C:\\x']) tell(path, () => pathToFileURL(path, { windows: true }));
