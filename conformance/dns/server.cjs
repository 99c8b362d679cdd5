'use strict';
// A name server on loopback, over UDP and TCP on one port, for the scripts beside this. `answer(question)` gives
// `{ flags, records, questions, raw, times, id }`, or nothing for no answer; `question` is `{ label, name, type, isTcp, count }`.

const dgram = require('node:dgram');
const net = require('node:net');

const word = (n) => Buffer.from([(n >> 8) & 255, n & 255]);
const long = (n) => Buffer.from([n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255]);
const text = (s) => Buffer.concat([Buffer.from([s.length]), Buffer.from(s, 'latin1')]);
const name = (s) => Buffer.concat([...s.split('.').filter(Boolean).map(text), Buffer.from([0])]);
const record = (type, data, { ttl = 60, klass = 1, length = data.length } = {}) =>
  Buffer.concat([Buffer.from([0xc0, 12]), word(type), word(klass), long(ttl), word(length), data]);

function read(bytes) {
  let end = 12;
  const labels = [];
  while (bytes[end] !== 0) {
    labels.push(bytes.toString('latin1', end + 1, end + 1 + bytes[end]));
    end += bytes[end] + 1;
  }
  end += 5;
  return { id: bytes.readUInt16BE(), name: labels.join('.'), label: labels[0], type: bytes.readUInt16BE(end - 4), end };
}

function write(bytes, asked, { flags = 0, records = [], id = asked.id, question = bytes.subarray(12, asked.end) }) {
  const head = [id, 0x8180 | flags, question.length > 0 ? 1 : 0, records.length, 0, 0].map(word);
  return Buffer.concat([...head, question, ...records]);
}

function serve(answer, ready) {
  const counts = new Map();
  const given = (bytes, isTcp) => {
    const asked = read(bytes);
    const key = `${isTcp ? 'tcp ' : ''}${asked.label}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const reply = answer({ ...asked, isTcp, count: counts.get(key), bytes });
    return reply === undefined ? undefined : reply.raw ?? write(bytes, asked, reply);
  };
  const udp = dgram.createSocket('udp4');
  udp.on('message', (bytes, { port, address }) => {
    const reply = given(bytes, false);
    if (reply !== undefined) udp.send(reply, port, address);
  });
  const sockets = new Set();
  const tcp = net.createServer((socket) => {
    sockets.add(socket);
    let held = Buffer.alloc(0);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.setNoDelay();
    socket.on('data', (data) => {
      held = Buffer.concat([held, data]);
      while (held.length >= 2 && held.length >= held.readUInt16BE() + 2) {
        const reply = given(held.subarray(2, held.readUInt16BE() + 2), true);
        held = held.subarray(held.readUInt16BE() + 2);
        if (reply === undefined) {
          socket.destroy();
          return;
        }
        // The first one comes in two pieces, its length torn apart.
        const whole = Buffer.concat([word(reply.length), reply]);
        const first = socket.bytesWritten === 0 ? 1 : whole.length;
        socket.write(whole.subarray(0, first));
        socket.write(whole.subarray(first));
      }
    });
  });
  // Both protocols on one port: another process may have it for the other one.
  const listen = () => {
    tcp.once('error', () => listen());
    tcp.listen(0, '127.0.0.1', () => {
      const { port } = tcp.address();
      udp.once('error', () => tcp.close(listen));
      udp.bind(port, '127.0.0.1', () => {
        ready(`127.0.0.1:${port}`, () => {
          udp.close();
          tcp.close();
          for (const socket of sockets) socket.destroy();
        }, counts);
      });
    });
  };
  listen();
}

module.exports = { long, name, record, serve, text, word };
