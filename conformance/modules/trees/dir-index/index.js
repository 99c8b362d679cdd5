module.exports = 'dir-index';
