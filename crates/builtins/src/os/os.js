'use strict';
// The `os` module.

const process = require('process');
const { ERR_SYSTEM_ERROR } = require('internal/errors');
const { validateInt32 } = require('internal/validators');

// The error for a negative result of a system call.
function systemError(errno, syscall) {
  const util = require('util');
  const code = util.getSystemErrorName(errno);
  const message = util.getSystemErrorMap().get(errno)?.[1] ?? `Unknown system error ${errno}`;
  return new ERR_SYSTEM_ERROR({ errno, code, message, syscall });
}

let names;
const uname = (index) => (names ??= native.uname())[index];

const type = () => uname(0);
const hostname = () => native.uname()[1];
const release = () => uname(2);
const version = () => uname(3);
const machine = () => uname(4);
const arch = () => process.arch;
const platform = () => process.platform;
const endianness = () => 'LE';

function loadavg() {
  return native.loadavg();
}

function uptime() {
  return native.uptime();
}

function totalmem() {
  return native.totalmem();
}

function freemem() {
  return native.freemem();
}

function availableParallelism() {
  return native.availableParallelism();
}

// Node's `Symbol.toPrimitive`: `${os.hostname}` gives the value.
for (const get of [availableParallelism, arch, endianness, freemem, homedir, hostname, platform, release, tmpdir, totalmem,
  type, uptime, version, machine]) {
  Object.defineProperty(get, Symbol.toPrimitive, { __proto__: null, configurable: true, value: () => get() });
}

function cpus() {
  return native.cpus().map(([model, speed, user, nice, sys, idle, irq]) => (
    { model, speed, times: { user, nice, sys, idle, irq } }));
}

function networkInterfaces() {
  const list = native.interfaces();
  if (typeof list === 'number') throw systemError(list, 'uv_interface_addresses');
  const interfaces = {};
  for (const [name, address, netmask, bits, mac, internal, isIPv6, scopeid] of list) {
    const entry = { address, netmask, family: isIPv6 ? 'IPv6' : 'IPv4', mac, internal, cidr: `${address}/${bits}` };
    if (isIPv6) entry.scopeid = scopeid;
    (interfaces[name] ??= []).push(entry);
  }
  return interfaces;
}

function homedir() {
  if (process.env.HOME !== undefined && process.env.HOME !== '') return process.env.HOME;
  const user = native.user(false);
  if (typeof user === 'number') throw systemError(user, 'uv_os_homedir');
  return user[2];
}

function tmpdir() {
  const { TMPDIR, TMP, TEMP } = process.env;
  const path = TMPDIR || TMP || TEMP || '/tmp';
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function userInfo(options) {
  if (typeof options !== 'object') options = null;
  const encoding = options?.encoding;
  const asBuffer = encoding === 'buffer';
  const user = native.user(asBuffer);
  if (typeof user === 'number') throw systemError(user, 'uv_os_get_passwd');
  const read = (value) => (asBuffer ? require('buffer').Buffer.from(value) : value);
  return {
    __proto__: null,
    uid: user[3],
    gid: user[4],
    username: read(user[0]),
    homedir: read(user[2]),
    shell: read(user[1]),
  };
}

function setPriority(pid, priority) {
  if (priority === undefined) {
    priority = pid;
    pid = 0;
  }
  validateInt32(pid, 'pid');
  validateInt32(priority, 'priority', -20, 19);
  const status = native.setPriority(pid, priority);
  if (status < 0) throw systemError(status, 'uv_os_setpriority');
}

function getPriority(pid) {
  if (pid === undefined) pid = 0;
  else validateInt32(pid, 'pid');
  const [status, priority] = native.getPriority(pid);
  if (status < 0) throw systemError(status, 'uv_os_getpriority');
  return priority;
}

module.exports = {
  arch,
  availableParallelism,
  cpus,
  endianness,
  freemem,
  getPriority,
  homedir,
  hostname,
  loadavg,
  networkInterfaces,
  platform,
  release,
  setPriority,
  tmpdir,
  totalmem,
  type,
  userInfo,
  uptime,
  version,
  machine,
};

Object.defineProperties(module.exports, {
  constants: { __proto__: null, configurable: false, enumerable: true, value: require('internal/os/constants') },
  EOL: { __proto__: null, configurable: true, enumerable: true, writable: false, value: '\n' },
  devNull: { __proto__: null, configurable: true, enumerable: true, writable: false, value: '/dev/null' },
});
