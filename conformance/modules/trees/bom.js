module.exports = 'bom';
