// Nothing keeps the loop alive that could settle the promise: the program ends with exit code 13.
const answer = await new Promise((resolve) => {
  setTimeout(resolve, 10).unref();
});
console.log(answer);
