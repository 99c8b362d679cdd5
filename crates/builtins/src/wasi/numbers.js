'use strict';
// The numbers of WASI preview 1: error numbers, rights, file types.

const errors = ('SUCCESS 2BIG ACCES ADDRINUSE ADDRNOTAVAIL AFNOSUPPORT AGAIN ALREADY BADF BADMSG BUSY CANCELED CHILD CONNABORTED CONNREFUSED ' +
  'CONNRESET DEADLK DESTADDRREQ DOM DQUOT EXIST FAULT FBIG HOSTUNREACH IDRM ILSEQ INPROGRESS INTR INVAL IO ISCONN ISDIR LOOP MFILE MLINK ' +
  'MSGSIZE MULTIHOP NAMETOOLONG NETDOWN NETRESET NETUNREACH NFILE NOBUFS NODEV NOENT NOEXEC NOLCK NOLINK NOMEM NOMSG NOPROTOOPT NOSPC NOSYS ' +
  'NOTCONN NOTDIR NOTEMPTY NOTRECOVERABLE NOTSOCK NOTSUP NOTTY NXIO OVERFLOW OWNERDEAD PERM PIPE PROTO PROTONOSUPPORT PROTOTYPE RANGE ROFS ' +
  'SPIPE SRCH STALE TIMEDOUT TXTBSY XDEV NOTCAPABLE').split(' ');

// Error numbers by name: `E.NOENT`.
const E = { __proto__: null };
for (let i = 0; i < errors.length; i++) E[errors[i]] = i;

const rightNames = ('FD_DATASYNC FD_READ FD_SEEK FD_FDSTAT_SET_FLAGS FD_SYNC FD_TELL FD_WRITE FD_ADVISE FD_ALLOCATE PATH_CREATE_DIRECTORY ' +
  'PATH_CREATE_FILE PATH_LINK_SOURCE PATH_LINK_TARGET PATH_OPEN FD_READDIR PATH_READLINK PATH_RENAME_SOURCE PATH_RENAME_TARGET ' +
  'PATH_FILESTAT_GET PATH_FILESTAT_SET_SIZE PATH_FILESTAT_SET_TIMES FD_FILESTAT_GET FD_FILESTAT_SET_SIZE FD_FILESTAT_SET_TIMES PATH_SYMLINK ' +
  'PATH_REMOVE_DIRECTORY PATH_UNLINK_FILE POLL_FD_READWRITE SOCK_SHUTDOWN SOCK_ACCEPT').split(' ');

// Rights by name, as bits of a BigInt.
const R = { __proto__: null };
for (let i = 0; i < rightNames.length; i++) R[rightNames[i]] = 1n << BigInt(i);

const all = (1n << BigInt(rightNames.length)) - 1n;
const none = R.SOCK_SHUTDOWN | R.SOCK_ACCEPT;
const ofFile = R.FD_DATASYNC | R.FD_READ | R.FD_SEEK | R.FD_FDSTAT_SET_FLAGS | R.FD_SYNC | R.FD_TELL | R.FD_WRITE | R.FD_ADVISE | R.FD_ALLOCATE |
  R.FD_FILESTAT_GET | R.FD_FILESTAT_SET_SIZE | R.FD_FILESTAT_SET_TIMES | R.POLL_FD_READWRITE;
const ofFolder = all & ~none & ~(R.FD_DATASYNC | R.FD_READ | R.FD_SEEK | R.FD_TELL | R.FD_WRITE | R.FD_ALLOCATE | R.FD_FILESTAT_SET_SIZE);
const ofTerminal = R.FD_READ | R.FD_FDSTAT_SET_FLAGS | R.FD_WRITE | R.FD_FILESTAT_GET | R.POLL_FD_READWRITE;

// File types: the number, the rights of a descriptor of that type, and the rights that descriptors opened through it inherit
// (`deps/uvwasi/src/wasi_rights.h`).
const types = {
  __proto__: null,
  unknown: { number: 0, base: 0n, inheriting: 0n },
  block: { number: 1, base: all, inheriting: all },
  character: { number: 2, base: all, inheriting: all },
  terminal: { number: 2, base: ofTerminal, inheriting: 0n },
  folder: { number: 3, base: ofFolder, inheriting: ofFolder | ofFile },
  file: { number: 4, base: ofFile, inheriting: 0n },
  stream: { number: 6, base: ofTerminal | none, inheriting: all },
  link: { number: 7, base: 0n, inheriting: 0n },
};

// The type of a file, from its `Stats` or `Dirent`.
function typeOf(stats) {
  if (stats.isFile()) return types.file;
  if (stats.isDirectory()) return types.folder;
  if (stats.isCharacterDevice()) return types.character;
  if (stats.isSymbolicLink()) return types.link;
  if (stats.isSocket() || stats.isFIFO()) return types.stream;
  if (stats.isBlockDevice()) return types.block;
  return types.unknown;
}

// Names of signals by number; index 0 is no signal.
const signals = ('0 HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF ' +
  'WINCH POLL PWR SYS').split(' ').map((name) => `SIG${name}`);

// The WASI error number for an exception of `fs`. Rethrows other exceptions.
function numberOf(error) {
  const number = typeof error?.code === 'string' ? E[error.code.slice(1)] : undefined;
  if (number === undefined) throw error;
  return number;
}

module.exports = { E, R, numberOf, signals, typeOf, types };
