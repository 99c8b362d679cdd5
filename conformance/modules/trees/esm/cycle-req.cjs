try { module.exports = require('./cycle-main.mjs'); } catch (e) { module.exports = [e.code, e.message.replace(/(?<=Module ).*(?=cycle-main)|(?<=from ).*\//g, '')]; }
