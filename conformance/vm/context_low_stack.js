'use strict';
// A context that is created with little stack left throws a RangeError of the calling realm.

const vm = require('vm');

let left = 400;
const kinds = new Set();
function fill() {
  try {
    fill();
  } catch { /* The stack is full. */ }
  if (left-- <= 0) return;
  try {
    vm.createContext({});
  } catch (error) {
    kinds.add(error.constructor === RangeError ? error.message : `${error.name} of another realm`);
  }
}
fill();
console.log([...kinds], vm.runInContext('1 + 1', vm.createContext({})));
