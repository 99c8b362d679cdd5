'use strict';
// Exports the FileHandle class, which is not public: the deserializer of handles from other threads needs it.

require('fs/promises');

module.exports = { FileHandle: require('internal/fs/handle_symbols').FileHandle };
