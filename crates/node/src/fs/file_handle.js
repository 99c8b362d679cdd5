'use strict';
// Where a FileHandle that comes from another thread finds its class, which is not public.

require('fs/promises');

module.exports = { FileHandle: require('internal/fs/handle_symbols').FileHandle };
