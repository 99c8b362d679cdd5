// Which of Node's classes can be cloned.
const tries = {
  blob: () => new Blob(['abc'], { type: 'text/plain' }),
  file: () => new File(['x'], 'name'),
  url: () => new URL('http://x/'),
  params: () => new URLSearchParams('a=1'),
  event: () => new Event('x'),
  nested: () => ({ deep: [new Blob(['de'])] }),
};
for (const [name, make] of Object.entries(tries)) {
  try {
    console.log(name, structuredClone(make()));
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
}
const same = new Blob(['twice']);
const { a, b } = structuredClone({ a: same, b: same });
console.log(a === b, a === same);
structuredClone(new Blob(['the text'])).text().then(console.log);
