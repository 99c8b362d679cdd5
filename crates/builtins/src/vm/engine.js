'use strict';
// Scripts and realms of the engine. A compiled script is a function that runs it.

const { compile, run, ...others } = native;

module.exports = {
  ...others,
  compile(text, file, offset, realm, referrer) {
    const script = compile(text, file, offset, realm, referrer);
    return () => run(script, realm);
  },
};
