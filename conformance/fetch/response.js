// Headers and Response: what is combined and in which order, bodies of each kind, clones, refusals.
'use strict';
const tried = (work) => {
  try {
    return work();
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
};

async function main() {
  const headers = new Headers({ 'X-B': ' padded\t', accept: 'a' });
  headers.append('Accept', 'b');
  headers.append('Set-Cookie', 'one=1');
  headers.append('set-cookie', 'two=2');
  headers.set('x-a', 7);
  console.log([...headers], headers.get('ACCEPT'), headers.get('none'), headers.has('X-A'), headers.getSetCookie(), headers.get('set-cookie'));
  headers.delete('x-A');
  headers.forEach((value, name, all) => console.log(name, value, all === headers));
  console.log([...headers.keys()], [...headers.values()], Object.prototype.toString.call(headers), [...new Headers([['a', '1'], ['A', '2']])], [...new Headers(headers)].length, headers);
  for (const wrong of [() => headers.append('a b', 'x'), () => headers.set('a', 'x\ny'), () => headers.get(''), () => new Headers([['a']]), () => new Headers('text'), () => new Headers(null), () => headers.append('a'), () => headers.set('a', 'ü日'), () => Headers.prototype.get.call({}, 'a'), () => new Headers([1])]) console.log(tried(wrong));

  const bodies = {
    text: 'ü text', none: undefined, null: null, bytes: new Uint8Array([1, 2, 3]), buffer: new ArrayBuffer(2), view: new DataView(new ArrayBuffer(3), 1), number: 5,
    blob: new Blob(['of a blob'], { type: 'text/x' }), params: new URLSearchParams({ a: 'b c', d: 'ü' }), stream: new ReadableStream({ start(controller) { controller.enqueue(new TextEncoder().encode('streamed')); controller.close(); } }),
  };
  for (const [name, body] of Object.entries(bodies)) {
    const response = new Response(body);
    console.log(name, response.headers.get('content-type'), response.body === null ? null : response.body.constructor.name, response.bodyUsed, JSON.stringify(await response.text()), response.bodyUsed);
  }
  const response = new Response('{"a":[1]}', { status: 201, statusText: 'Made', headers: { 'Content-Type': 'application/json', 'X-One': '1' } });
  console.log(response.ok, response.status, response.statusText, response.type, response.url, response.redirected, [...response.headers]);
  const copy = response.clone();
  console.log(await response.json(), await copy.arrayBuffer(), copy.headers.get('x-one'));
  await response.text().catch((error) => console.log(error.name, error.message));
  console.log(tried(() => response.clone()));
  console.log(await new Response('bytes').bytes(), await new Response('x', { headers: { 'content-type': 'text/y' } }).blob());
  const parts = [];
  for await (const part of new Response('iterated').body) parts.push(Buffer.from(part).toString());
  console.log(parts, await new Response('not json').json().catch((error) => error.name), await new Response(null).json().catch((error) => error.name));
  const locked = new Response('locked');
  locked.body.getReader();
  console.log(locked.bodyUsed, await locked.text().catch((error) => `${error.name}: ${error.message}`), tried(() => locked.clone()));
  const made = Response.json({ a: 1 }, { status: 202 });
  console.log(made.status, made.headers.get('content-type'), await made.text());
  const moved = Response.redirect('http://x.test/a b', 301);
  console.log(moved.status, moved.headers.get('location'), Response.error().type, Response.error().status, [...Response.error().headers]);
  for (const wrong of [() => new Response('x', { status: 99 }), () => new Response('x', { status: 204 }), () => new Response('x', { statusText: 'a\nb' }), () => Response.redirect('x', 200), () => Response.redirect('nonsense'), () => Response.json(undefined), () => Response.json(1n), () => moved.headers.set('a', 'b'), () => new Response(bodies.stream), () => Response.json()]) console.log(tried(wrong));
  console.log(new Response('x', { status: 203, headers: { a: 'b' } }), Object.prototype.toString.call(made), Object.keys(Headers.prototype), Response.length, new Response().body);
}

main();
