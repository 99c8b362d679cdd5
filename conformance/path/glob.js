'use strict';
// path.matchesGlob.
const path = require('path');
const paths = ['a', 'b', 'a/b', 'a/b/c', 'a/.b', '.a', '.a/b', 'a/b.js', 'x/y/z.test.js', '/a/b', 'a.js', 'ab', 'abc', 'a]b', '', 'a/', 'a-b', 'file1', 'file3', 'a/b/c/d.txt', 'foo.ts', 'a//b'];
const patterns = ['a', '*', '**', '*.js', '**/*.js', 'a/*', 'a/**', 'a/**/c', '?', '??', '[ab]', '[!a]', '[a-c]*', '{a,b}', '{a,b}/{b,c}', 'file{1..3}', '*.{js,ts}', '**/.b', '.*', '@(a|ab)', '+(a|b)', '!(a)', '?(a)b', '*(a|b|c)', 'a/**/d.txt', '/a/*', '/**', '**/c', 'a/b/', '[', 'a[]]b', '**/z.*', 'x/**/*.test.js', 'a?', '*/*', '{a}', ''];
for (const pattern of patterns) console.log(JSON.stringify(pattern), paths.filter((name) => path.matchesGlob(name, pattern)).map((name) => JSON.stringify(name)).join(' '));
console.log(path.win32.matchesGlob('a\\b\\c.js', 'a/**/*.js'), path.win32.matchesGlob('a\\b', 'a\\*'), path.posix.matchesGlob('a/b', 'a/*'));
for (const bad of [5, null, undefined]) { try { path.matchesGlob(bad, 'x'); } catch (e) { console.log(e.code, e.message); } try { path.matchesGlob('x', bad); } catch (e) { console.log(e.code, e.message); } }
