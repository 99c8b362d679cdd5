'use strict';
// What `writeEarlyHints` takes, and what it writes.
const http = require('http');
const net = require('net');

const link = '</a>; rel=preload';
const cases = {
  'nothing': undefined, 'null': null, 'an empty object': {}, 'a string': link, 'a list': [link], 'a function': () => {},
  'no link': { 'x-a': 'b' }, 'null as link': { link: null }, 'an empty link': { link: '' }, 'no links': { link: [] },
  'a number': { link: 1 }, 'an object': { link: {} }, 'a link': { link }, 'without rel': { link: '</a>' },
  'no link at all': { link: 'bad' }, 'spaces around': { link: ` ${link} ` }, 'two': { link: [link, '</b>; rel=preload; as=style'] },
  'two in one': { link: `${link}, </b>; rel=preload` }, 'one of two bad': { link: [link, 'x'] }, 'undefined in a list': { link: [undefined] },
  'a flag': { link: `${link}; crossorigin` }, 'quoted': { link: '</a>; rel="preload"; title="a b"' },
  'a line end': { link: `${link}\r\nX: y` }, 'a line end in it': { link: '</a\r\nX: y>; rel=preload' },
  'another header': { link, 'x-a': 'b' }, 'a number as header': { link, 'x-a': 1 }, 'a list as header': { link, 'x-a': ['b', 'c'] },
  'undefined as header': { link, 'x-a': undefined }, 'null as header': { link, 'x-a': null }, 'Latin as header': { link, 'x-a': '\xe9' },
  'a symbol as header': { link, 'x-a': Symbol('a') }, 'upper case': { Link: link }, 'both cases': { Link: link, link: '</b>; rel=preload' },
  'inherited': Object.create({ link }), 'of a class': new (class { link = link; })(), 'a map': new Map([['link', link]]),
  'a semicolon behind': { link: `${link};` }, 'no space': { link: '</a>;rel=preload' }, 'many spaces': { link: '</a>  ;   rel=preload' },
};

async function serve(handler, first = 'GET / HTTP/1.1') {
  const server = http.createServer(handler);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = net.connect(server.address().port, '127.0.0.1').setEncoding('latin1');
  let all = '';
  socket.on('data', (part) => { all += part; });
  socket.write(`${first}\r\nHost: x\r\nConnection: close\r\n\r\n`);
  await new Promise((resolve) => socket.on('close', resolve));
  await new Promise((resolve) => server.close(resolve));
  return all;
}

(async () => {
  for (const name of Object.keys(cases)) {
    const heard = [];
    const all = await serve((request, response) => {
      try {
        heard.push(response.writeEarlyHints(cases[name], () => heard.push('written')));
      } catch (error) {
        heard.push(`${error.name} ${error.code} ${error.message}`);
      }
      response.end();
    });
    console.log(name, heard, JSON.stringify(all.split('HTTP/1.1 200')[0]));
  }
  const twice = await serve((request, response) => {
    response.writeEarlyHints({ link });
    response.writeEarlyHints({ link });
    response.end('x');
  });
  console.log('twice', twice.match(/HTTP\/1.1 \d+/g));
  const first = await serve((request, response) => {
    response.writeEarlyHints({ link });
    response.end('x');
  }, 'HEAD / HTTP/1.0');
  console.log('HEAD of 1.0', first.match(/HTTP\/1.1 \d+/g));
})();
