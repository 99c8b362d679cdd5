'use strict';
// URL and URLSearchParams: parsing, setters, live parameters, wrong arguments.
const keys = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];
const show = (value) => JSON.stringify(value)?.replace(/[\u007f-\uffff]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
const attempt = (run) => { try { return show(run()); } catch (e) { return `${e.name} ${e.code} ${e.message} ${e.input ?? ''} ${e.base ?? ''}`; } };
const all = (u) => keys.map((key) => u[key]);
const inputs = ['http://a', 'http://a/b/../c/./d', 'http://a:80/', 'https://a:443', 'http://a:81', 'http://A.COM', 'http://user@a', 'http://user:pw@a', 'http://:pw@a', 'http://a?q', 'http://a#h', 'http://a?#', 'http://1', 'http://0x7f.1', 'http://256.1.1.1', 'http://1.2.3.4.5', 'http://[::1]', 'http://[1:2::3:4]:5', 'http://[::ffff:1.2.3.4]', 'http://[::1', 'http://a b', 'http://a%41', 'http://a%00',
  'http://ex%2eample', 'http://\u00fcber.de', 'http://xn--a', 'http://a_b', 'http://-a', 'http:a', 'http:/a', 'http:///a', 'http:\\\\a\\b', 'http://', 'http://:80', 'http://a:x', 'http://a:65536', 'http://a:00080', 'http://a:', 'file:///a', 'file://h/a', 'file:a', 'file://localhost/a', 'file:///C|/x', 'file:///C:/../x', 'file:////a', 'file:///a//b', 'file://', 'file:c:\\x', 'mailto:a@b', 'data:text/plain, x #y', 'javascript:1 + 1', 'blob:http://a/x',
  'blob:x', 'foo://h/p', 'foo:///p', 'foo:/p', 'foo:p', 'foo://H%41/p', 'foo://[::1]', 'foo:/..//p', 'foo:.//p', 'foo://a b', 'foo://a:8/x', 'urn:isbn:1', ' \t http://a \n', 'ht\ntp://a', 'http://a/ b"<>`{}|^', 'http://a?b c"<>\'`', 'http://a#b c"<>`', 'http://a/\u20ac?\u20ac#\u20ac', 'http://u\u20ac:p\u20ac@a', 'http://a@b@c', 'http://a/%zz%2', '1:2', '://a', '', 'a', '//a', 'x-y.z+1:a', '-x:a', 'ws://a', 'wss://a:443/', 'ftp://a:21/', 'http://a/\ud800', 'http://a..b', 'http://a.', 'http://.', 'http://a/%2e%2E/b', 'http://a/b/%2e', 'http://\uff41', 'http://a\u00adb', 'http://\u00ad', 'http://a<b', 'http://a^b', 'about:blank', 'file://%43%7C', 'file://a%20b/', 'http://user:@a', 'http://@a', 'http://:@a/'];
for (const input of inputs) console.log(show(input), attempt(() => all(new URL(input))), URL.canParse(input));
const bases = ['http://h/a/b?q#f', 'file:///x/y', 'file://h/C:/y', 'foo:opaque', 'foo://h/a/b', 'foo:/a/b', 'mailto:x', 'https://u:p@h:8/'];
const relatives = ['', '.', '..', '../../../x', '/x', '//y', '//y/z', '?r', '#g', 'x', 'x:y', 'http:x', 'http:/x', 'file:x', 'C|/z', '/C|/z', '\\x', '///x', ':a', 'a:b', './/x', '/..//x', '?', '#', '//'];
for (const base of bases) for (const relative of relatives) console.log(base, show(relative), attempt(() => new URL(relative, base).href));
const setters = {
  protocol: ['https', 'https:x', 'ftp', 'foo', 'file', '', ':', '1x', 'h\nttp', 'WS'],
  username: ['', 'a', 'a b:@', '\u20ac'],
  password: ['', 'a', 'a b:@', '\u20ac'],
  host: ['b', 'b:9', 'b:80', 'b:x', '', 'b/c', 'b?c', '[::1]:7', 'B C', 'b@c', '1.2', 'b:99999', 'b:8\\c'],
  hostname: ['b', 'b:9', '', 'b/c', '[::1]', 'x y', '0x10', 'b?c'],
  port: ['9', '80', '', 'x', '9x', '65536', '-1', ' 7', '00', '8\n0'],
  pathname: ['', 'x', '/x/../y', '\\x', '?#', 'a b', '//x', '.', '/%2e%2e/z'],
  search: ['', '?', 'a', '?a b', '#', "'\u20ac\""],
  hash: ['', '#', 'a', '#a b`', '\u20ac'],
};
for (const href of ['http://u:p@h:8/a/b?q#f', 'http://h/', 'file:///a/b', 'file://h/a', 'foo://h/a', 'foo:/a', 'foo:opaque?q#f', 'foo:///a', 'mailto:a ', 'data:x  ?y#z', 'https://h:443'])
  for (const key of Object.keys(setters)) if (!/^foo:\/(\/\/)?a$/.test(href) || !key.startsWith('host')) console.log(href, key, setters[key].map((value) => attempt(() => { const u = new URL(href); u[key] = value; return u.href; })).join(' '));
console.log(attempt(() => { const u = new URL('http://a'); u.href = 'x'; return u.href; }), attempt(() => { const u = new URL('http://a?x=1'); const p = u.searchParams; u.href = 'http://b?y=2'; return [p.get('y'), p === u.searchParams, String(p)]; }));
console.log(attempt(() => new URL()), attempt(() => new URL('a', 'b')), attempt(() => new URL('http://a', undefined).href), attempt(() => new URL('http://a', null).href), attempt(() => URL('a')?.href) !== undefined, attempt(() => URL.canParse()), attempt(() => URL.parse('x')), attempt(() => URL.parse('x', 'http://a').href), attempt(() => URL.canParse('x', 'http://a')), attempt(() => new URL({ toString: () => 'http://obj' }).href));
console.log(attempt(() => JSON.stringify(new URL('http://a'))), `${new URL('http://a')}`, Object.prototype.toString.call(new URL('http://a')), Object.keys(URL.prototype).sort().join(), Object.keys(URLSearchParams.prototype).sort().join(), attempt(() => Object.getOwnPropertyDescriptor(URL.prototype, 'href').get.call({})));
const p = (init) => attempt(() => { const s = new URLSearchParams(init); return [String(s), [...s]]; });
for (const init of [undefined, null, '', '?', 'a', 'a=1&b=2&a=3', '?a=b', '&&a&', 'a=b=c', '=x', 'a+b=c%20d', '%41=%zz&%', 'a=%e4%bd', '\u20ac=\ud800', { a: 1, b: undefined, c: null }, { '\ud800': 'x', '\udbff': 'y' }, [['a', 'b'], ['c', 'd']], [['a']], [['a', 'b', 'c']], ['ab'], [1], [null], new Map([['x', 'y']]), new URLSearchParams('q=r'), 5, true, { [Symbol.iterator]: 5 }, "!~*'()-._ \"<>", [new Set(['a', 'b'])], function f() {}]) console.log(p(init));
console.log(attempt(() => { const s = new URLSearchParams('b=1&a=2&b=3&c=4'); s.append('d', 5); s.delete('a'); s.set('b', 'x'); s.set('n', 'y'); const r = [String(s), s.get('b'), s.get('zz'), s.getAll('b'), s.has('c'), s.has('c', '5'), s.size, [...s.keys()], [...s.values()], [...s.entries()]]; s.delete('c', '9'); s.delete('c', '4'); s.sort(); return r.concat(String(s)); }));
console.log(attempt(() => { const s = new URLSearchParams('z=1&\ud83d\ude00=2&\uff5e=3&a=4&z=0'); s.sort(); return String(s); }), attempt(() => { const r = []; new URLSearchParams('a=1&b=2').forEach(function(v, k, o) { r.push(v, k, o.size, this.t); }, { t: 1 }); return r; }));
console.log(attempt(() => { const u = new URL('http://a/?x=1#h'); u.searchParams.append('y', 'a b&'); const one = u.href; u.search = '?z=9'; const two = [...u.searchParams]; u.searchParams.delete('z'); return [one, two, u.href, u.search]; }), attempt(() => { const u = new URL('http://a/?x=%7E~ \''); u.searchParams.sort(); return u.href; }));
for (const run of [() => new URLSearchParams().append('a'), () => new URLSearchParams().get(), () => new URLSearchParams().delete(), () => new URLSearchParams().set('a'), () => new URLSearchParams().has(), () => new URLSearchParams().forEach(5), () => URLSearchParams.prototype.get.call({}, 'a'), () => new URLSearchParams().getAll()]) console.log(attempt(run));
const it = new URLSearchParams('a=1&b=2').entries();
console.log(show(it.next()), Object.prototype.toString.call(it), it[Symbol.iterator]() === it, show(it.next()), show(it.next()));
