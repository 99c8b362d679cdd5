'use strict';
// What keeps the process alive besides timers and immediates, by the names of process.getActiveResourcesInfo(). A module
// that starts requests or opens handles adds a function that lists those of it that are under way.

const requests = [];
const handles = [];

module.exports = {
  addRequests(list) { requests.push(list); },
  addHandles(list) { handles.push(list); },
  list: () => [...requests.flatMap((list) => list()), ...handles.flatMap((list) => list())],
};
