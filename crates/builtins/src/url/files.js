'use strict';
// Conversion between file: URLs and POSIX or Windows paths.

const {
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
  ERR_INVALID_FILE_URL_HOST,
  ERR_INVALID_FILE_URL_PATH,
  ERR_INVALID_URL,
  ERR_INVALID_URL_SCHEME,
} = require('internal/errors');
const { URL, domainToASCII, domainToUnicode, isURL } = require('internal/url');
const { validateString } = require('internal/validators');

function pathFromURL(url, windows, encodedSlashes = false) {
  const { hostname, pathname } = url;
  for (let i = 0; i < pathname.length && !encodedSlashes; i++) {
    if (pathname[i] !== '%') continue;
    const third = pathname.charCodeAt(i + 2) | 0x20;
    if (pathname[i + 1] === '2' && third === 0x66) {
      throw new ERR_INVALID_FILE_URL_PATH(
        windows ? 'must not include encoded \\ or / characters' : 'must not include encoded / characters', url);
    }
    if (windows && pathname[i + 1] === '5' && third === 0x63) {
      throw new ERR_INVALID_FILE_URL_PATH('must not include encoded \\ or / characters', url);
    }
  }
  if (!windows) {
    if (hostname !== '') throw new ERR_INVALID_FILE_URL_HOST(require('process').platform);
    return pathname;
  }
  return { hostname, pathname: pathname.replaceAll('/', '\\') };
}

function decodePath(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new URIError('URI malformed');
  }
}

function decodeWindows({ hostname, pathname }, url, decode) {
  const path = decode(pathname);
  if (hostname !== '') return `\\\\${domainToUnicode(hostname)}${path}`;
  const letter = path.charCodeAt(1) | 0x20;
  if (letter < 0x61 || letter > 0x7A || path[2] !== ':') throw new ERR_INVALID_FILE_URL_PATH('must be absolute', url);
  return path.slice(1);
}

function checkFileURL(path) {
  if (typeof path === 'string') path = new URL(path);
  else if (!isURL(path)) throw new ERR_INVALID_ARG_TYPE('path', ['string', 'URL'], path);
  if (path.protocol !== 'file:') throw new ERR_INVALID_URL_SCHEME('file');
  return path;
}

function fileURLToPath(path, options = undefined) {
  const windows = options?.windows ?? require('process').platform === 'win32';
  const url = checkFileURL(path);
  const found = pathFromURL(url, windows);
  return windows ? decodeWindows(found, url, decodePath) : decodePath(found);
}

function fileURLToPathBuffer(path, options = undefined) {
  const windows = options?.windows ?? require('process').platform === 'win32';
  const url = checkFileURL(path);
  // `lib/internal/url.js: getPathBufferFromURLPosix`: a POSIX path may contain an encoded slash.
  const found = pathFromURL(url, windows, !windows);
  const { unescapeBuffer } = require('querystring');
  const { Buffer } = require('buffer');
  if (!windows) return Buffer.from(unescapeBuffer(found));
  return Buffer.from(decodeWindows(found, url, (text) => unescapeBuffer(text).toString('latin1')), 'latin1');
}

// Characters of a path that a URL cannot contain or would interpret.
const pathEscapes = {
  '%': '%25', '\\': '%5C', '\n': '%0A', '\r': '%0D', '\t': '%09', '?': '%3F', '#': '%23', '[': '%5B', ']': '%5D', '^': '%5E',
  '|': '%7C', '~': '%7E',
};

function pathToFileURL(filepath, options = undefined) {
  validateString(filepath, 'path');
  const windows = options?.windows ?? require('process').platform === 'win32';
  const path = require('path');
  if (windows && filepath.startsWith('\\\\')) return uncToFileURL(filepath);
  let resolved = windows ? path.win32.resolve(filepath) : path.posix.resolve(filepath);
  const last = filepath.charCodeAt(filepath.length - 1);
  const trailing = last === 47 || (windows && last === 92);
  // `lib/internal/url.js: pathToFileURL`: the trailing separator is compared with that of this platform, even for a
  // path of the other one.
  if (trailing && !resolved.endsWith(path.sep)) resolved += '/';
  if (windows) resolved = resolved.replaceAll('\\', '/');
  resolved = resolved.replace(/[%\\\n\r\t?#[\]^|~]/g, (character) => pathEscapes[character]);
  return new URL(`file://${windows && resolved[0] !== '/' ? '/' : ''}${resolved}`);
}

function uncToFileURL(filepath) {
  const extended = filepath.startsWith('\\\\?\\UNC\\');
  const start = extended ? 8 : 2;
  const end = filepath.indexOf('\\', start);
  if (end === -1) throw new ERR_INVALID_ARG_VALUE('path', filepath, 'Missing UNC resource path');
  if (end === 2) throw new ERR_INVALID_ARG_VALUE('path', filepath, 'Empty UNC servername');
  const url = new URL('file://');
  const host = filepath.slice(start, end);
  url.hostname = domainToASCII(host);
  // `lib/internal/url.js: pathToFileURL`: the error of an invalid UNC host names the path behind the host.
  if (url.hostname === '' && host !== '?') throw new ERR_INVALID_URL(filepath.slice(end));
  url.pathname = filepath.slice(end).replaceAll('\\', '/').replace(/[%\n\r\t]/g, (character) => pathEscapes[character]);
  return url;
}

module.exports = { fileURLToPath, fileURLToPathBuffer, pathToFileURL };
