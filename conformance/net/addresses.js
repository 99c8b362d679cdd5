'use strict';
// isIP, BlockList and SocketAddress.
const net = require('node:net');

for (const text of ['127.0.0.1', '::1', '::', 'fe80::1%eth0', 'fe80::1%', '01.1.1.1', '1.1.1', '', '1.1.1.256', '::ffff:1.2.3.4',
  '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8:9', '1::2::3', 'x', undefined, null, 4, {}, '::1 ', '0.0.0.0', '[::1]']) {
  console.log(String(text), net.isIP(text), net.isIPv4(text), net.isIPv6(text));
}

const list = new net.BlockList();
list.addAddress('1.2.3.4');
list.addAddress('::1', 'ipv6');
list.addRange('10.0.0.1', '10.0.0.10');
list.addSubnet('192.168.0.0', 16);
list.addSubnet('fe80::', 10, 'ipv6');
list.addSubnet('8.8.8.128', 25);
for (const [address, family] of [['1.2.3.4'], ['1.2.3.5'], ['::1', 'ipv6'], ['::2', 'ipv6'], ['10.0.0.1'], ['10.0.0.10'],
  ['10.0.0.11'], ['192.168.200.1'], ['192.169.0.1'], ['fe81::1', 'ipv6'], ['fec0::1', 'ipv6'], ['8.8.8.127'], ['8.8.8.129'],
  ['::ffff:1.2.3.4', 'ipv6'], ['::ffff:1.2.3.5', 'ipv6'], ['::ffff:10.0.0.5', 'ipv6'], ['x'], ['1.2.3.4', 'IPv4']]) {
  console.log(address, family, list.check(address, family));
}
console.log(list);
console.log(JSON.stringify(list.rules));
console.log(net.BlockList.isBlockList(list), net.BlockList.isBlockList({}));
console.log(list.check(new net.SocketAddress({ address: '1.2.3.4' })));
const copy = new net.BlockList();
copy.fromJSON(JSON.stringify(list.toJSON()));
console.log(copy.rules);

console.log(new net.SocketAddress());
console.log(new net.SocketAddress({ family: 'ipv6' }));
console.log(new net.SocketAddress({ family: 'IPv6', address: '::0001', port: '80', flowlabel: 5 }));
console.log(net.SocketAddress.isSocketAddress(new net.SocketAddress()), net.SocketAddress.isSocketAddress({}));
for (const text of ['1.2.3.4:80', '[::1]:90', '1.2.3.4', '[::1]', 'a:1', '1.2.3.4:70000', '']) {
  console.log(text, net.SocketAddress.parse(text));
}
