'use strict';
const { constants } = require('buffer');
// Nothing of it is touched.
const buffer = Buffer.allocUnsafeSlow(constants.MAX_STRING_LENGTH + 1);
for (const encoding of [undefined, 'latin1']) {
  try {
    console.log(buffer.toString(encoding).length);
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
