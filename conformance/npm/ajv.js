// ajv: schemas compiled to code, with formats, references, coercion, defaults, keywords of one's own, and every error at once.
'use strict';
const { default: Ajv, ValidationError } = require('ajv');

const log = (...words) => console.log(...words);
const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true, strict: true, strictTypes: false, strictRequired: false, discriminator: true });
ajv.addFormat('even', { type: 'number', validate: (n) => n % 2 === 0 });
ajv.addKeyword({ keyword: 'range', type: 'number', schemaType: 'array', compile: ([low, high]) => (n) => n >= low && n <= high });
ajv.addSchema({ $id: 'http://x.test/defs', definitions: { name: { type: 'string', minLength: 2, pattern: '^[a-z]+$' } } });
const check = (name, schema, ...values) => {
  const validate = ajv.compile(schema);
  for (const value of values) log(name, validate(value), JSON.stringify(value), validate.errors?.map(({ instancePath, keyword, message }) => `${instancePath} ${keyword}: ${message}`) ?? []);
};
check('user', { type: 'object', required: ['name', 'age'], additionalProperties: false, properties: { name: { $ref: 'http://x.test/defs#/definitions/name' }, age: { type: 'integer', range: [0, 150] }, list: { type: 'array', items: { type: 'number', format: 'even' }, uniqueItems: true, default: [2] } } }, { name: 'ann', age: '31' }, { name: 'X', age: 200, list: [1, 1], more: true }, {}, 'text');
check('tree', { $id: 'tree', type: 'object', properties: { value: { type: 'number' }, children: { type: 'array', items: { $ref: '#' } } }, required: ['value'] }, { value: 1, children: [{ value: 2 }] }, { value: 1, children: [{}] });
check('choice', { type: 'object', discriminator: { propertyName: 'kind' }, required: ['kind'], oneOf: [{ properties: { kind: { const: 'a' }, x: { type: 'number' } }, required: ['x'] }, { properties: { kind: { enum: ['b', 'c'] } } }] }, { kind: 'a', x: 1 }, { kind: 'a' }, { kind: 'd' });
check('conditions', { if: { type: 'number' }, then: { minimum: 5 }, else: { type: 'string', not: { const: 'no' } } }, 7, 3, 'yes', 'no');
check('text', { type: 'string', minLength: 2, maxLength: 3 }, '👩‍👩', '日本', '🙂', 'abcd');
for (const bad of [{ type: 'nonesuch' }, { unknown: 1 }, { $ref: '#/nowhere' }, { type: 'string', minimum: 1 }]) {
  try { ajv.compile(bad); } catch (error) { log(error.constructor.name, error.message); }
}
ajv.addKeyword({ keyword: 'exists', async: true, type: 'number', validate: async (schema, id) => { await new Promise(setImmediate); return id < 3; } });
const slow = ajv.compile({ $async: true, $id: 'slow', type: 'object', properties: { id: { type: 'number', exists: true } } });
(async () => {
  log(await slow({ id: 1 }));
  await slow({ id: 5 }).catch((error) => log(error instanceof ValidationError, error.errors[0].message));
  log(ajv.errorsText(ajv.validate('tree', {}) ? null : ajv.errors), ajv.getSchema('tree')({ value: 1 }));
})();
