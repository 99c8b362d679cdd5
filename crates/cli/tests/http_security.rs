//! Where HTTP is stricter than Node on purpose, so that no recorded script can test it.
#![forbid(unsafe_code)]

use std::process::Command;

/// Sends an object as header value, status message or path; its first conversion is valid and each later one splits the message.
const CHANGING_VALUES: &str = r"
const http = require('http');
const net = require('net');

function changing() {
  const value = { count: 0, toString: () => (value.count++ === 0 ? 'ok' : 'bad\r\nInjected: 1') };
  return value;
}

const responses = {
  setHeader: (response, value) => response.setHeader('X', value),
  setHeaderOfArray: (response, value) => response.setHeader('X', [value, 'a']),
  setCookies: (response, value) => response.setHeader('Cookie', [value, 'a']),
  setHeaders: (response, value) => response.setHeaders(new Map([['X', value]])),
  setDate: (response, value) => response.setHeader('Date', value),
  setConnection: (response, value) => response.setHeader('Connection', value),
  setCoding: (response, value) => response.setHeader('Transfer-Encoding', value),
  appendHeader: (response, value) => response.appendHeader('X', value),
  appendSecond: (response, value) => response.appendHeader('X', '1').appendHeader('X', value),
  appendArray: (response, value) => response.appendHeader('X', [value]),
  pushLater: (response, value) => {
    const list = ['a'];
    response.setHeader('X', list);
    list.push('bad\r\nInjected: 1');
  },
  writeHead: (response, value) => response.writeHead(200, { X: value }),
  writeHeadMerged: (response, value) => response.setHeader('a', 'b').writeHead(200, { X: value }),
  writeHeadOfArray: (response, value) => response.writeHead(200, { X: [value, 'a'] }),
  writeHeadList: (response, value) => response.writeHead(200, ['X', value]),
  writeHeadPairs: (response, value) => response.writeHead(200, [['X', value]]),
  statusMessage: (response, value) => { response.statusMessage = value; },
  addTrailers: (response, value) => {
    response.setHeader('Trailer', 'X').write('a');
    response.addTrailers({ X: value });
  },
  addTrailersOfArray: (response, value) => {
    response.setHeader('Trailer', 'X').write('a');
    response.addTrailers({ X: [value, 'a'] });
  },
};

const requests = {
  headers: (options, value) => http.request({ ...options, headers: { X: value } }),
  headersOfArray: (options, value) => http.request({ ...options, headers: { X: [value, 'a'] } }),
  headersList: (options, value) => http.request({ ...options, headers: ['X', value] }),
  headersPairs: (options, value) => http.request({ ...options, headers: [['X', value]] }),
  expect: (options, value) => http.request({ ...options, headers: { Expect: value } }),
  path: (options, value) => http.request({ ...options, path: value }),
  setHeader: (options, value) => http.request(options).setHeader('X', value),
};

const server = http.createServer((request, response) => {
  const name = request.url.slice(1);
  try {
    responses[name](response, changing());
    response.end('x');
  } catch (error) {
    if (error.code !== 'ERR_INVALID_CHAR') throw error;
    response.destroy();
  }
});

const report = (name, text) => console.log(name, text.includes('Injected') ? `split: ${JSON.stringify(text)}` : 'whole');

server.listen(0, '127.0.0.1', async () => {
  for (const name of Object.keys(responses)) {
    await new Promise((resolve) => {
      let text = '';
      const socket = net.connect(server.address().port, '127.0.0.1');
      socket.setEncoding('latin1').on('data', (chunk) => { text += chunk; }).on('error', () => {}).on('close', () => {
        report(name, text);
        resolve();
      });
      socket.end(`GET /${name} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    });
  }
  server.close();
  const sink = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.once('data', (chunk) => {
      sink.text = `${chunk}`;
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
  });
  sink.listen(0, '127.0.0.1', async () => {
    for (const name of Object.keys(requests)) {
      sink.text = '';
      await new Promise((resolve) => {
        try {
          const options = { host: '127.0.0.1', port: sink.address().port, agent: false };
          const request = requests[name](options, changing());
          request.on('error', resolve).on('response', (response) => response.resume().on('end', resolve)).end();
        } catch (error) {
          if (error.code !== 'ERR_INVALID_CHAR') throw error;
          resolve();
        }
      });
      report(`request ${name}`, sink.text);
    }
    sink.close();
    console.log('done');
    setImmediate(() => process.exit());
  });
});
";

#[test]
fn values_that_change_between_conversions_split_no_message() {
    let output = Command::new(env!("CARGO_BIN_EXE_phasor")).args(["-e", CHANGING_VALUES]).output().unwrap();
    let (text, trouble) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}{trouble}");
    let wrong: Vec<&str> = text.lines().filter(|line| *line != "done" && !line.ends_with(" whole")).collect();
    assert!(wrong.is_empty() && text.ends_with("done\n") && text.lines().count() == 27, "{text}{trouble}");
}
