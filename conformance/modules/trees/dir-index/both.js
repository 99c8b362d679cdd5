module.exports = 'both js';
