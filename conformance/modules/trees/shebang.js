#!/usr/bin/env node
module.exports = 'shebang';
