module.exports = { ...require('./named.cjs'), own }; function own() {}
