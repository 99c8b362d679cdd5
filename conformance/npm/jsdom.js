// jsdom: a document, its scripts, events, selectors, forms, observers and storage.
'use strict';
const { JSDOM, VirtualConsole } = require('jsdom');

const virtualConsole = new VirtualConsole();
for (const kind of ['log', 'error', 'jsdomError']) virtualConsole.on(kind, (...words) => console.log(kind, ...words.map((word) => word?.message ?? word)));
const dom = new JSDOM(`<!doctype html><html><head><title>T</title><style>.a { color: red; margin: 1px 2px } p > b { display: none }</style></head>
<body onload="document.body.dataset.loaded = 'yes'"><div id=x class="a b"><p>Hi <b>bold</b></p></div>
<form><input name=q value=1 required><input type=checkbox name=c checked><select name=s><option>1<option selected>2</select></form>
<template><i>inert</i></template>
<script>document.title = 'ran'; console.log(typeof window, this === window, [] instanceof Array); setTimeout(() => document.body.append('late'), 5);</script>
<script>throw new TypeError('in a script')</script></body></html>`, { runScripts: 'dangerously', url: 'http://x.test/path?q=1#hash', pretendToBeVisual: true, virtualConsole });
const { window } = dom;
const { document } = window;

console.log(document.title, document.querySelector('#x > p b').textContent, document.querySelectorAll('[class~=b], option:checked').length, window.location.search);
const { color, marginLeft } = window.getComputedStyle(document.querySelector('.a'));
console.log(color, marginLeft, window.getComputedStyle(document.querySelector('b')).display);
const list = document.createElement('ul');
list.innerHTML = '<li data-key=v>1<li>2 &lt;';
document.body.appendChild(list);
list.addEventListener('click', (event) => console.log('click', event.target.tagName, event.bubbles, event instanceof window.MouseEvent, event.eventPhase), { once: true });
list.firstChild.click();
list.firstChild.click();
new window.MutationObserver((records) => console.log(records.map(({ type, attributeName, removedNodes }) => [type, attributeName, removedNodes.length])))
  .observe(list, { childList: true, attributes: true, subtree: true });
list.setAttribute('title', 't');
list.removeChild(list.firstChild);
list.firstChild.dataset.more = 'm';
console.log(list.outerHTML, document.querySelector('template').content.firstChild.localName, new window.XMLSerializer().serializeToString(list));
console.log([...new window.FormData(document.forms[0])], document.forms[0].checkValidity());
window.localStorage.setItem('k', 'v');
console.log(window.localStorage.length, window.localStorage.k, document.cookie = 'a=b', document.cookie);
for (const wrong of [() => document.querySelector('!!'), () => document.body.appendChild(document), () => document.createElement('<'), () => window.eval('missing')]) {
  try { wrong(); } catch (error) { console.log(error.name, error.message, error instanceof window.DOMException, error instanceof window.Error); }
}
class Own extends window.HTMLElement { connectedCallback() { console.log('connected', this.getAttribute('n')); } }
window.customElements.define('own-element', Own);
document.body.insertAdjacentHTML('beforeend', '<own-element n=1></own-element>');
const range = document.createRange();
range.selectNodeContents(document.querySelector('p'));
console.log(range.toString(), document.evaluate('count(//li)', document, null, 1, null).numberValue, new window.DOMParser().parseFromString('<a><b/></a>', 'text/xml').documentElement.outerHTML);
window.requestAnimationFrame((time) => console.log('frame', typeof time));
window.addEventListener('load', () => setTimeout(() => {
  console.log(document.body.dataset.loaded, document.body.textContent.includes('late'), dom.serialize().length);
  window.close();
}, 60));
