'use strict';
// The WASI functions that a WebAssembly module imports, bound to its descriptors and its memory. As `src/node_wasi.cc`.

const fs = require('fs');
const { Buffer } = require('buffer');
const { ERR_WASI_NOT_STARTED } = require('internal/errors');
const { Call, Descriptor, Failure, fail, typeOfDescriptor } = require('internal/wasi/call');
const bodies = require('internal/wasi/functions');
const { E, numberOf, types } = require('internal/wasi/numbers');

// The kinds of parameters: `i` is a 32-bit number, `I` a 64-bit one.
const signatures = {
  __proto__: null,
  args_get: 'ii', args_sizes_get: 'ii', clock_res_get: 'ii', clock_time_get: 'iIi', environ_get: 'ii', environ_sizes_get: 'ii',
  fd_advise: 'iIIi', fd_allocate: 'iII', fd_close: 'i', fd_datasync: 'i', fd_fdstat_get: 'ii', fd_fdstat_set_flags: 'ii',
  fd_fdstat_set_rights: 'iII', fd_filestat_get: 'ii', fd_filestat_set_size: 'iI', fd_filestat_set_times: 'iIIi', fd_pread: 'iiiIi',
  fd_prestat_get: 'ii', fd_prestat_dir_name: 'iii', fd_pwrite: 'iiiIi', fd_read: 'iiii', fd_readdir: 'iiiIi', fd_renumber: 'ii',
  fd_seek: 'iIii', fd_sync: 'i', fd_tell: 'ii', fd_write: 'iiii', path_create_directory: 'iii', path_filestat_get: 'iiiii',
  path_filestat_set_times: 'iiiiIIi', path_link: 'iiiiiii', path_open: 'iiiiiIIii', path_readlink: 'iiiiii', path_remove_directory: 'iii',
  path_rename: 'iiiiii', path_symlink: 'iiiii', path_unlink_file: 'iii', poll_oneoff: 'iiii', proc_exit: 'i', proc_raise: 'i', random_get: 'ii',
  sched_yield: '', sock_accept: 'iii', sock_recv: 'iiiiii', sock_send: 'iiiii', sock_shutdown: 'ii',
};

const isWord = (value) => typeof value === 'number' && (value >>> 0 === value || (value | 0) === value);

// Converts arguments as `src/node_wasi.cc` does. Returns undefined if one has the wrong type.
function converted(given, kinds) {
  if (given.length !== kinds.length) return undefined;
  const values = [];
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === 'i' ? !isWord(given[i]) : typeof given[i] !== 'bigint') return undefined;
    values.push(kinds[i] === 'i' ? given[i] >>> 0 : BigInt.asUintN(64, given[i]));
  }
  return values;
}

function throwAsInit(number) {
  const name = Object.keys(E).find((key) => E[key] === number);
  const code = `UVWASI_E${name}`;
  const error = new Error(`${code}, uvwasi_init`);
  error.errno = number;
  error.code = code;
  error.syscall = 'uvwasi_init';
  throw error;
}

class Preview1 {
  #args;
  #environment;
  #table = [];
  #memory;

  constructor(args, environment, folders, stdio) {
    this.#args = args.map((text) => Buffer.from(`${text}\0`));
    this.#environment = environment.map((text) => Buffer.from(`${text}\0`));
    try {
      for (const fd of stdio) this.#openStandard(fd);
      for (const { name, path } of folders) this.#openFolder(name, path);
    } catch (error) {
      throwAsInit(error instanceof Failure ? error.number : numberOf(error));
    }
    this.functions = { __proto__: null };
    for (const name of Object.keys(signatures)) this.functions[name] = this.#function(name);
  }

  setMemory(memory) {
    if (!(memory instanceof WebAssembly.Memory)) {
      const error = new TypeError('"instance.exports.memory" property must be a WebAssembly.Memory object');
      error.code = 'ERR_INVALID_ARG_TYPE';
      throw error;
    }
    this.#memory = memory;
  }

  #openStandard(fd) {
    const type = typeOfDescriptor(fd);
    this.#table.push(new Descriptor(fd, type, type.base, type.inheriting));
  }

  #openFolder(name, path) {
    const real = fs.realpathSync(path);
    const fd = fs.openSync(real, fs.constants.O_RDONLY);
    const type = typeOfDescriptor(fd);
    if (type !== types.folder) {
      fs.closeSync(fd);
      fail(E.NOTDIR);
    }
    this.#add(Object.assign(new Descriptor(fd, type, type.base, type.inheriting), { name, real, isPreopen: true }));
  }

  #add(descriptor) {
    let number = 0;
    while (this.#table[number] !== undefined) number++;
    this.#table[number] = descriptor;
    return number;
  }

  // Wraps a WASI function as `src/node_wasi.cc` does: the wrapper checks its arguments and returns an error number.
  #function(name) {
    const kinds = signatures[name];
    const body = bodies[name];
    const call = {
      [name]: (...given) => {
        if (given.length !== kinds.length) return E.INVAL;
        if (this.#memory === undefined) throw new ERR_WASI_NOT_STARTED();
        const values = converted(given, kinds);
        if (values === undefined) return E.INVAL;
        try {
          return body.apply(new Call(this.#memory, this.#table, this.#args, this.#environment, (one) => this.#add(one)), values) ?? E.SUCCESS;
        } catch (error) {
          return error instanceof Failure ? error.number : numberOf(error);
        }
      },
    }[name];
    return call;
  }
}

module.exports = { Preview1 };
