// Of a number that would fill more than a text, nothing is written.
const format = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
try {
  console.log(format.format('1e-999999999').length);
} catch (e) {
  console.log(e.name, e.message);
}
console.log(new Intl.NumberFormat('en').format('1e-999999999'));
