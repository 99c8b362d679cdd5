// What a program puts on Object.prototype is no setting, and no builtin of another realm.
'use strict';
const vm = require('node:vm');
const put = { minimumSignificantDigits: 3, maximumSignificantDigits: 3, compactDisplay: 'long', currency: 'EUR', foo() {} };
Object.assign(Object.prototype, put);
const options = Object.create(null);
const shown = [
  new Intl.NumberFormat('en', options).format(1.23456), (1234.5678).toLocaleString('en', options), (5n).toLocaleString('en', options),
  new Intl.NumberFormat('en', { __proto__: null, notation: 'compact' }).format(12345), new Intl.PluralRules('en', options).select(1),
  Object.keys(new Intl.NumberFormat('en', options).resolvedOptions()).join(),
  vm.runInNewContext('[Object.hasOwn(String.prototype, "foo"), Object.hasOwn(Date.prototype, "foo"), typeof Date.prototype.toString].join()'),
  Object.hasOwn(require('node:os').constants, 'foo'), Object.hasOwn(require('node:zlib').constants, 'foo'), Object.hasOwn(require('node:fs').constants, 'foo'),
];
for (const name of Object.keys(put)) delete Object.prototype[name];
for (const line of shown) console.log(line);
