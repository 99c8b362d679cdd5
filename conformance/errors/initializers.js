'use strict';
// What the frames of fields and of static blocks are called, and which functions of the language have none. The line of a class that is
// being made is V8's.
const show = (name, make) => {
  try { make(); } catch (error) {
    const frames = error.stack.split('\n').slice(1).filter((line) => line.includes(__filename) || line.includes('<anonymous>'));
    // Who calls them is somewhere in this file.
    console.log(name, frames.map((line) => line.replace(/^ *at /, '').replace(/\(?\/.*[\\/]([^:]*):(\d+):\d+\)?/, '$1')).slice(0, 4));
  }
};
const fail = (text) => { throw new Error(text); };
show('static block', () => {
  class A {
    static {
      fail('static');
    }
  }
});
show('static block after fields', () => {
  class A {
    static before = [1].map((n) => n);
    static {
      null.property;
    }
  }
});
show('static field', () => {
  class A {
    static field = fail('static');
  }
});
show('static block in a static block', () => {
  class A { static { class B { static { fail('inner'); } } } }
});
show('function in a static block', () => {
  class A {
    static { (function named() { fail('inner'); })(); }
  }
});
show('field', () => {
  class A { field = fail('field'); }
  new A();
});
show('names are nowhere else', () => {
  class A {
    static name1 = (() => {}).name;
    static inner = function() {};
    own = () => {};
    static { fail([A.inner.name, new A().own.name, A.name1].join()); }
  }
});
show('Reflect.construct', () => Reflect.construct(class A { constructor() { fail('made'); } }, []));
show('new Array', () => new Array(-1));
show('Array', () => Array(-1));
show('new Proxy', () => new Proxy(1, 1));
show('repeat', () => 'text'.repeat(-1));

const timer = setTimeout(() => {}, 1000);
clearTimeout(timer);
console.log(timer._onTimeout, timer._repeat, timer._idleTimeout, timer._destroyed);
