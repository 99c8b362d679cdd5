// What native functions say of arguments that stand in the text.
const show = (run) => {
  try {
    console.log(run());
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
};
show(() => [1].map());
show(() => [1].map(5));
show(() => [1].map(undefined));
show(() => [1].forEach('x'));
show(() => [1].filter(null));
show(() => [1].reduce(1));
show(() => [1].some(true));
show(() => new Promise());
show(() => new Promise(5));
show(() => new Promise(null));
show(() => new RegExp('('));
show(() => new RegExp('*'));
show(() => new RegExp('[b-a]'));
show(() => new RegExp(')'));
show(() => new RegExp('a{2,1}'));
show(() => new RegExp('(?<n'));
show(() => RegExp('(?<a>x)(?<a>y)'));
