// nodemailer: mail to an SMTP server on loopback: capabilities, login, parts, dots, refused recipients, a server that is not there.
'use strict';
const { createServer } = require('net');
const { once } = require('events');
const nodemailer = require('nodemailer');

const heard = [];

function answer(line, socket) {
  if (/^EHLO/.test(line)) return '250-test\r\n250-AUTH PLAIN LOGIN\r\n250-PIPELINING\r\n250 SIZE 1000000';
  if (/^AUTH/.test(line)) return '235 ok';
  if (/^RCPT.*bad/.test(line)) return '550 no such user';
  if (/^DATA/.test(line)) return '354 go on';
  if (/^QUIT/.test(line)) {
    setImmediate(() => socket.end());
    return '221 bye';
  }
  return '250 ok';
}

const server = createServer((socket) => {
  let rest = '';
  let isData = false;
  socket.setEncoding('utf8').on('error', () => {});
  socket.write('220 test ESMTP\r\n');
  socket.on('data', (text) => {
    rest += text;
    for (let at = rest.indexOf('\r\n'); at !== -1; at = rest.indexOf('\r\n')) {
      const line = rest.slice(0, at);
      rest = rest.slice(at + 2);
      heard.push(isData ? `| ${line}` : line);
      if (isData && line !== '.') continue;
      socket.write(isData ? '250 queued\r\n' : `${answer(line, socket)}\r\n`);
      isData = !isData && /^DATA/.test(line);
    }
  });
});

(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address();
  const mailer = nodemailer.createTransport({
    host: '127.0.0.1', port, ignoreTLS: true, name: 'me.test', auth: { user: 'user', pass: 'word' },
  });
  console.log(await mailer.verify());
  const { envelope, accepted, response } = await mailer.sendMail({
    from: '"Ä" <a@b.test>',
    to: ['c@d.test', 'e@f.test'],
    subject: 'grüße',
    text: '.a dot\nand a line',
    html: '<b>bold</b>',
    messageId: '<m@b.test>',
    date: new Date(0),
    attachments: [{ filename: 'ä.txt', content: 'hello' }],
    headers: { 'x-more': 'yes' },
  });
  console.log(envelope, accepted, response);
  const failed = (error) => console.log(error.code, error.responseCode, error.command, error.message);
  await mailer.sendMail({ from: 'a@b.test', to: 'bad@d.test', text: 'x' }).catch(failed);
  const nowhere = nodemailer.createTransport({ host: '127.0.0.1', port: 1 });
  await nowhere.sendMail({ from: 'a@b.test', to: 'c@d.test', text: 'x' }).catch(failed);
  console.log(heard.join('\n').replace(/--_NmP-[^\n"]*/g, '--boundary').replace(/boundary="[^"]*"/g, 'boundary=…'));
  mailer.close();
  server.close(() => console.log('closed'));
})();
