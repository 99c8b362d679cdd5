module.exports = typeof module;
