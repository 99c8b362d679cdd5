// The timer keeps the loop alive.
const answer = await new Promise((resolve) => {
  setTimeout(resolve, 10, 'done');
});
console.log(answer);
