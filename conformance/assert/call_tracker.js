// Functions that must be called a number of times.
const assert = require('assert');
const tracker = new assert.CallTracker();
function called() { return this; }
const twice = tracker.calls(called, 2);
const owner = { twice };
const show = (run) => {
  try {
    console.log(run());
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
};
console.log(owner.twice(1, 2) === owner, twice.name, twice.length, tracker instanceof assert.CallTracker);
show(() => tracker.verify());
console.log(tracker.report().map(({ stack, ...rest }) => [rest, stack instanceof Error]));
console.log(tracker.getCalls(twice), Object.isFrozen(tracker.getCalls(twice)));
show(() => tracker.getCalls(called));
show(() => tracker.calls(called, 0));
show(() => tracker.calls(called, 1.5));
const once = tracker.calls();
once();
once();
show(() => tracker.verify());
tracker.reset(twice);
console.log(tracker.getCalls(twice));
tracker.reset();
once();
twice();
twice();
show(() => tracker.verify());
console.log(typeof tracker.calls(3));
