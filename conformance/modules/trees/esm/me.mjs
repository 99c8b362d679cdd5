const x = { k: 1 }; export { x as 'module.exports' };
