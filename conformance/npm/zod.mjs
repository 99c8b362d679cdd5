// zod: schemas of every kind, transformed, refined, discriminated, recursive and asynchronous, and what they say of bad values.
import { z } from 'zod';

const log = (...words) => console.log(...words);
const check = (name, schema, ...values) => {
  for (const value of values) {
    const result = schema.safeParse(value);
    log(name, result.success ? result.data : result.error.issues.map(({ path, ...issue }) => `${path.map(String).join('.')}: ${issue.code}: ${issue.message}`));
  }
};
const User = z.object({
  name: z.string().trim().min(2).max(10),
  email: z.email(),
  age: z.coerce.number().int().positive().optional(),
  role: z.enum(['admin', 'user']).default('user'),
  tags: z.array(z.string()).max(3).readonly(),
  address: z.object({ zip: z.string().regex(/^\d{5}$/) }).nullable(),
}).strict();
check('user', User, { name: ' ann ', email: 'a@b.co', age: '31', tags: ['x'], address: { zip: '12345' } }, { name: 'x', email: 'no', tags: ['a', 'b', 'c', 'd'], address: { zip: '1' }, extra: 1 }, null, 'text');
check('text', z.union([z.uuid(), z.url(), z.ipv4(), z.iso.datetime()]), '123e4567-e89b-12d3-a456-426614174000', 'https://a.b/c', '10.0.0.1', '2020-01-01T00:00:00Z', 'nothing');
check('shape', z.discriminatedUnion('kind', [z.object({ kind: z.literal('circle'), r: z.number() }), z.object({ kind: z.literal('square'), side: z.number() })]), { kind: 'circle', r: 1 }, { kind: 'square', r: 1 }, { kind: 'line' });
check('tuple', z.tuple([z.string(), z.number()]).rest(z.boolean()), ['a', 1, true], ['a'], ['a', 1, 'x']);
check('map', z.map(z.string(), z.number()), new Map([['a', 1]]), new Map([['a', 'b']]));
check('set', z.set(z.number()).min(1), new Set([1]), new Set(), [1]);
check('record', z.record(z.string(), z.bigint()), { a: 1n }, { a: 1 });
check('refined', z.object({ a: z.string(), b: z.string() }).refine((value) => value.a === value.b, { message: 'not the same', path: ['b'] }), { a: 'x', b: 'x' }, { a: 'x', b: 'y' });
check('piped', z.string().transform((text) => text.length).pipe(z.number().multipleOf(2)), 'ab', 'abc');
check('checked', z.number().superRefine((value, ctx) => { if (value > 3) ctx.addIssue({ code: 'custom', message: `${value} is over 3` }); }), 3, 4);
check('date', z.coerce.date().min(new Date(0)), 5, 'nonsense', new Date(-1));
check('caught', z.number().catch(7), 'x', 2);
check('branded', z.string().brand().nullish(), undefined, null, 'x');
check('instance', z.instanceof(RegExp), /x/, {});
check('symbol', z.symbol(), Symbol('s'), 1);
const Node = z.object({ value: z.number(), get children() { return z.array(Node); } });
check('tree', Node, { value: 1, children: [{ value: 2, children: [] }] }, { value: 1, children: [{ value: 'x', children: 5 }] });
log(User.partial().pick({ name: true, role: true }).parse({}), Object.keys(User.omit({ tags: true }).shape), User.shape.role.unwrap().options);
log(await z.string().refine(async (text) => { await null; return text === 'good'; }, 'not good').safeParseAsync('bad').then((result) => result.error.issues[0].message));
try { z.string().refine(async () => true).parse('x'); } catch (error) { log(error.constructor.name); }
try { User.parse({}); } catch (error) { log(error.name, error instanceof z.ZodError, z.flattenError(error), z.treeifyError(error).properties.name); log(z.prettifyError(error)); }
log(JSON.stringify(z.toJSONSchema(User.omit({ age: true }))));
