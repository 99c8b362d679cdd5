// What is said of patterns that are none.
'use strict';
const patterns = [
  '\\1', '\\11', '\\01', '\\00', '\\8', '\\k', '\\k<', '\\k<a>', '\\k<a', '(?<a', '(?<1>x)', '(?<>x)', '(?<a>x)(?<a>y)', '(?', '(?a', '(?:', '(?<=',
  '(', ')', '[', '[a', '[b-a]', '[a-\\d]', '[\\d-a]', '[\\B]', '[\\c]', '\\c', '{', '}', ']', '{1}', '{1', 'a{2,1}', 'a{1', 'a{', 'a{,1}', 'a**',
  '*', '|*', '^*', '\\b+', '(?=a)*', '(?<=a)*', '(?!a){2}', '\\u', '\\u{', '\\u{110000}', '\\u12', '\\x', '\\x1', '\\p', '\\p{', '\\p{L', '\\p{Foo}',
  '\\p{Script=Foo}', '\\p{Script}', '\\p{RGI_Emoji}', '\\P{RGI_Emoji}', '[^\\p{RGI_Emoji}]', '[a&&&b]', '[a&&]', '[&&a]', '[a--]', '[--a]', '[a---b]',
  '[a--b&&c]', '[a&&bc]', '[ab--c]', '[a-z--b]', '[[a]', '[a(b)]', '[a{b]', '[a/b]', '[a-]', '[-a]', '[a!!b]', '[``]', '[\\q{a|b]', '[\\q]', '[^\\q{ab}]',
  '\\q', '\\-', '\\a', '\\_', '\\', 'a\\', '[\\', '(?<a b>x)', '(a)\\2', '(?<a>)\\k<b>', '(?<a>)\\k', '(?#a)', '[a-b-c]', '[\\w-\\d]', '((((', '))', '[]]',
  '[\\u{110000}]', '[\\x1]', '[\\p{Foo}]', '[\\pL]', '[😁-😀]', '[a&&[b]', '[^[^\\p{RGI_Emoji}]]', '[^\\p{RGI_Emoji}&&a]', '[^\\p{RGI_Emoji}--\\q{a}]',
  '[\\1]', '[\\00]', '[\\8]', '[\\k]', '[\\q{a', '[a-[b]]', '[\\q{(}]', '[\\q{&&}]', '[a-&&b]', '\\10(a)', '(?<a>b)\\k{a}', '(?<a\\u{1F600}>x)',
];
for (const pattern of patterns) {
  for (const flags of ['', 'u', 'v']) {
    try {
      console.log(new RegExp(pattern, flags).source);
    } catch ({ name, message }) {
      // The flags and the reason are V8's.
      console.log(name, message.slice(0, message.lastIndexOf('/') + 1));
    }
  }
}
