'use strict';
// JSON.stringify and JSON.parse of an answer of 200 objects.
const rows = Array.from({ length: 200 }, (_, id) => ({
  id, name: `item ${id}`, price: id * 1.25, tags: ['new', 'größer', 'a "quoted" word'], stock: { here: id % 7, there: null },
  isActive: id % 2 === 0,
}));
require('./harness.js')('json', () => {
  const copy = JSON.parse(JSON.stringify(rows));
  if (copy.length !== 200 || copy[199].stock.here !== 3) throw new Error('wrong result');
});
