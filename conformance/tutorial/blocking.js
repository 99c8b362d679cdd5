// Blocking and not blocking: what is after a synchronous call, and what is after an asynchronous one.
const fs = require('fs');
const data = fs.readFileSync(__filename);
console.log('read', data.length > 0);
console.log('more work');
fs.readFile(__filename, (error, later) => {
  if (error) throw error;
  console.log('read later', later.length === data.length);
  fs.readFile(__filename, 'utf8', async (error2, text) => {
    console.log('and again', text.startsWith('// Blocking'));
    const { promises } = fs;
    const [one, two] = await Promise.all([promises.readFile(__filename), promises.stat(__filename)]);
    console.log('both', one.length === two.size);
  });
});
console.log('more work before it');
