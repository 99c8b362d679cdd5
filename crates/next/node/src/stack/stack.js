'use strict';
// `error.stack` in V8's format. The engine makes the text; this file finds places in it.

// What maps frames to the original source; undefined while source maps are off.
let maps;
function useSourceMaps(one) { maps = one; }

// The original source line for a place of the generated text; undefined if source maps are off or there is none.
const originalLine = (file, line, column) => maps?.lineOf(file, line, column);

module.exports = {
  generatedPlace: (error) => undefined,
  originalLine,
  shownFile: (file) => file,
  useSourceMaps,
  placeOfError: (error) => undefined,
  placeOfRethrow: (error) => undefined,
  placeOfThrow: (value) => undefined,
  know: native.know,
  isError: native.isError,
  line: native.line,
  waited(error, reject) {},
};
