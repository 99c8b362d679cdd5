// What is wrong with a pattern is said with its flags in order, and of whatever it is made of.
const words = (make) => { try { make(); return 'fine'; } catch (error) { return `${error.name}: ${error.message}`; } };
for (const flags of ['gd', 'dg', 'yg', 'yusmigd', 'vmg', 'ig', '', 'gg', 'xyz', 'uv', 'yx']) console.log(words(() => new RegExp('&&)', flags)));
for (const flags of ['gd', 'yi', 'gg', 'uv']) console.log(words(() => eval(`/&&)/${flags}`)), words(() => RegExp('[b-a]', flags)), words(() => /a/.compile('(', flags)));
for (const half of ['\ud800', '\udc00', 'a\udfffb', '\ud800\ud800', '\ud83d\ude00']) {
  for (const pattern of [`${half})`, `(${half}`, `[${half}`, `${half}{2,1}`, `(?<${half}>a)`, `[${half}-a]`, `\\u{${half}}`, `${half}**`, `(?<a>)\\k<${half}>`]) {
    for (const flags of ['', 'yg', 'u', 'v']) {
      console.log(JSON.stringify(pattern), flags, words(() => new RegExp(pattern, flags)).replace(/: \/.*\//s, ': '));
    }
  }
}
