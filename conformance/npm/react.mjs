// react on a server: components, contexts, hooks and classes as HTML, at once and as a stream that waits for what is lazy.
import { Writable } from 'node:stream';
import React, { Component, Fragment, Suspense, createContext, lazy, memo, use, useContext, useId, useMemo, useReducer, useState } from 'react';
import { renderToPipeableStream, renderToStaticMarkup, renderToString } from 'react-dom/server';

const h = React.createElement;
const Theme = createContext('light');
const Box = ({ start, children }) => {
  const [value] = useState(start * 2);
  const [count] = useReducer((sum, more) => sum + more, value);
  const theme = useContext(Theme);
  const id = useId();
  return h('div', { className: theme, style: { fontSize: 12, '--own': 1, color: 'red' }, 'data-count': useMemo(() => count + 1, [count]), id }, ' <escaped> & "quoted" ', children);
};
class Old extends Component {
  state = { from: 0 };
  static getDerivedStateFromProps({ from }) { return { from }; }
  render() { return h(Fragment, null, this.state.from, null, false, [h('i', { key: 1 }, 'in a list'), 'text']); }
}
const Kept = memo(({ text }) => h('b', null, text));
const tree = h(Theme.Provider, { value: 'dark' },
  h(Box, { start: 2 }, h(Old, { from: 5 }), h(Kept, { text: 'kept' })),
  h('form', { action: '/go' }, h('input', { defaultValue: 'q', disabled: true, autoFocus: true }), h('textarea', { defaultValue: 'a\nb' }),
    h('select', { defaultValue: 'b' }, h('option', { value: 'a' }, 'A'), h('option', { value: 'b' }, 'B'))),
  h('p', { dangerouslySetInnerHTML: { __html: '<b>raw</b>' }, hidden: true, tabIndex: -1, onClick() {} }),
  h('svg', { viewBox: '0 0 1 1', strokeWidth: 2, xlinkHref: '#a' }), h('title', null, 'T'), h('custom-element', { some: 'thing' }));
console.log(renderToString(tree));
console.log(renderToStaticMarkup(tree));

const streamed = (element, options) => new Promise((resolve) => {
  let text = '';
  const { pipe } = renderToPipeableStream(element, {
    onShellReady() { pipe(new Writable({ write(chunk, encoding, done) { text += chunk; done(); }, final(done) { done(); resolve(text); } })); },
    onShellError(error) { resolve(`shell: ${error.message}`); },
    onError(error) { console.log('error', error.message); },
    ...options,
  });
});
const late = new Promise((resolve) => setTimeout(() => resolve({ default: () => h('em', null, 'late') }), 10));
const Late = lazy(() => late);
const data = late.then(() => new Promise((resolve) => setTimeout(() => resolve('data'), 20)));
const Data = () => h('code', null, use(data));
const Failing = () => { throw new Error('failed'); };
console.log(await streamed(h('html', null, h('body', null, h(Suspense, { fallback: 'loading' }, h(Late), h(Suspense, { fallback: '…' }, h(Data)))))));
console.log((await streamed(h('div', null, h(Suspense, { fallback: 'instead' }, h(Failing))))).replace(/ data-c?stck="[^"]*"/g, ''));
console.log(await streamed(h(Failing)));
try { renderToString(h({})); } catch (error) { console.log(error.message.split('\n')[0]); }
