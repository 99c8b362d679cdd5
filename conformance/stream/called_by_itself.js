// Methods that end up calling themselves run out of stack as any other function does.
'use strict';
const { PassThrough, Transform } = require('stream');

const tell = (name, run) => {
  try {
    run();
    console.log(name, 'came back');
  } catch (error) {
    console.log(name, error instanceof RangeError, error.message);
  }
};
tell('transform', () => { const it = new Transform(); it._transform = it._write; it.write(Buffer.from('a')); });
tell('passes on', () => {
  const it = new PassThrough();
  it.push = function(chunk) { return this._transform(chunk, '', this.push.bind(this, chunk)); };
  it.push('a');
});
