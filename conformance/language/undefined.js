// What is compared with undefined, wherever the name may mean something else.
const tries = {
  equal: (a) => [a === undefined, a !== undefined, a == undefined, a != undefined, undefined === a],
  branches: (a) => { let out = ''; if (a === undefined) out += 1; if (a !== undefined) out += 2; while (a !== undefined) { out += 3; break; } return out + (a === undefined ? 'u' : 'd'); },
  values: () => [undefined, typeof undefined, void 0 === undefined, `${undefined}`, undefined + 1, [undefined].length, { undefined }.undefined],
  parameter: () => ((undefined) => undefined === 5)(5),
  local: () => { const undefined = 6; return [undefined, 6 === undefined, void 0 === undefined]; },
  closure: () => { var undefined = 7; return (() => undefined)(); },
  caught: () => { try { throw 8; } catch (undefined) { return undefined; } },
  evaluated: new Function('eval("var undefined = 9"); return undefined'),
  withObject: new Function('o', 'with (o) { return undefined; }').bind(null, { undefined: 10 }),
  withOther: new Function('o', 'with (o) { return undefined; }').bind(null, {}),
  sloppySet: new Function('undefined = 11; return undefined'),
  strictSet: new Function('"use strict"; undefined = 12; return undefined'),
  counted: new Function('undefined++; return undefined'),
  called: () => undefined(),
  read: () => undefined.a,
  made: () => new undefined(),
  defaults: (a = undefined, { b = undefined } = {}) => [a, b],
  optional: () => undefined?.a,
  deleted: new Function('return delete undefined'),
  labels: (a) => { outer: for (const x of [1, undefined, 2]) { for (const y of [undefined, 3]) { if (x === undefined) continue outer; if (y !== undefined && x === 2) break outer; a = [x, y]; } } return a; },
  switched: (a) => { switch (a) { case undefined: return 'none'; case 1: return 'one'; default: return 'other'; } },
  finally: (a) => { try { if (a === undefined) return 'try'; throw undefined; } catch (e) { return e === undefined; } finally { a = undefined; } },
  *generated(a) { yield undefined; yield a === undefined; },
  long: (a) => { let n = 0; for (let i = 0; i < 3; i++) { if (a === undefined) { n += i; } else if (undefined !== a && n === undefined) { n -= 1; } else { n += a ?? undefined ?? 4; } } return n; },
};
for (const [name, call] of Object.entries(tries)) {
  for (const given of [[], [undefined], [1], [null]]) {
    try {
      const value = call(...given);
      console.log(name, given, value?.next ? [...value] : value);
    } catch (error) {
      console.log(name, given, `${error}`);
    }
  }
}
