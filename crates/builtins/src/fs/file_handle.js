'use strict';
// Exports the FileHandle class, which is not public, for handles transferred from another thread.

require('fs/promises');

module.exports = { FileHandle: require('internal/fs/handle_symbols').FileHandle };
