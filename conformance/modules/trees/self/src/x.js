module.exports = 'x';
