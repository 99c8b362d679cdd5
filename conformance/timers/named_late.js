// A timer that has fired can be named, and cleared by its number: refreshed after that, it calls nobody.
let fired = 0;
const timer = setTimeout(() => console.log('fired', ++fired), 1);
setTimeout(() => {
  clearTimeout(+timer);
  timer.refresh();
  setTimeout(() => console.log('in the end', fired), 60);
}, 60);
