console.log('order1'); import './order2.mjs'; import './order3.cjs';
