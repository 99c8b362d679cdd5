'use strict';
// The module `url`: the legacy parser, formatter and resolver; the WHATWG URL is in internal/url.

const process = require('process');
const { ERR_INVALID_ARG_TYPE, ERR_INVALID_URL } = require('internal/errors');
const { validateObject, validateString } = require('internal/validators');
const whatwg = require('internal/url');
const files = require('internal/url/files');

// Schemes whose text is not escaped (javascript), that never have a host, and that always have slashes.
const scriptSchemes = new SafeSet(['javascript', 'javascript:']);
const hostlessSchemes = scriptSchemes;
const slashedSchemes = new SafeSet(
  ['http', 'https', 'ftp', 'gopher', 'file', 'ws', 'wss'].flatMap((scheme) => [scheme, `${scheme}:`]));

const forbiddenInHost = /[\0\t\n\r #%/:<>?@[\\\]^|]/;
const forbiddenInIpv6 = /[\0\t\n\r #%/<>?@\\^|]/;

function Url() {
  this.protocol = null;
  this.slashes = null;
  this.auth = null;
  this.host = null;
  this.port = null;
  this.hostname = null;
  this.hash = null;
  this.search = null;
  this.query = null;
  this.pathname = null;
  this.path = null;
  this.href = null;
}

function urlParse(url, parseQueryString, slashesDenoteHost) {
  if (url instanceof Url) return url;
  const parsed = new Url();
  parsed.parse(url, parseQueryString, slashesDenoteHost);
  return parsed;
}

// Trims white space at both ends; backslashes before the query become slashes.
function clean(url) {
  const text = StringPrototypeReplace(url, /^[\0-\x20\xa0\ufeff]+|[\0-\x20\xa0\ufeff]+$/g, '');
  const end = StringPrototypeSearch(text, /[?#]/);
  if (end === -1) return StringPrototypeReplaceAll(text, '\\', '/');
  return StringPrototypeReplaceAll(text.slice(0, end), '\\', '/') + text.slice(end);
}

const isIpv6 = (hostname) => hostname.charCodeAt(0) === 91 && hostname.charCodeAt(hostname.length - 1) === 93;

Url.prototype.parse = function parse(url, parseQueryString, slashesDenoteHost) {
  validateString(url, 'url');
  let rest = clean(url);

  const head = rest.search(/[?#]/);
  const hasAt = StringPrototypeIncludes(head === -1 ? rest : rest.slice(0, head), '@');
  if (!slashesDenoteHost && !rest.includes('#') && !hasAt) {
    const simple = /^(\/\/?(?!\/)[^?\s]*)(\?[^\s]*)?$/.exec(rest);
    if (simple) {
      this.path = this.href = rest;
      this.pathname = simple[1];
      if (simple[2]) {
        this.search = simple[2];
        this.query = readQuery(simple[2].slice(1), parseQueryString);
      } else if (parseQueryString) {
        this.search = null;
        this.query = { __proto__: null };
      }
      return this;
    }
  }

  const scheme = /^[a-z0-9.+-]+:/i.exec(rest)?.[0];
  const lower = scheme?.toLowerCase();
  if (scheme) {
    this.protocol = lower;
    rest = rest.slice(scheme.length);
  }

  let slashes = false;
  if (slashesDenoteHost || scheme || /^\/\/[^@/]+@[^@/]+/.test(rest)) {
    slashes = rest.startsWith('//');
    if (slashes && !(scheme && hostlessSchemes.has(lower))) {
      rest = rest.slice(2);
      this.slashes = true;
    }
  }
  if (!hostlessSchemes.has(lower) && (slashes || (scheme && !slashedSchemes.has(scheme)))) {
    rest = parseAuthority(this, rest, url);
  }

  if (!scriptSchemes.has(lower)) rest = escapeUnwise(rest);
  parseTail(this, rest, parseQueryString);
  if (slashedSchemes.has(lower) && this.hostname && !this.pathname) this.pathname = '/';
  if (this.pathname || this.search) this.path = (this.pathname || '') + (this.search || '');
  this.href = this.format();
  return this;
};

const readQuery = (query, asObject) => (asObject ? require('querystring').parse(query) : query);

// Parses user and host at the front of `rest`. Returns the remainder.
function parseAuthority(self, rest, url) {
  // Tabs and line ends are removed up to the end of the authority.
  const reach = rest.search(/[#/?]/);
  let authority = (reach === -1 ? rest : rest.slice(0, reach)).replace(/[\t\n\r]/g, '');
  rest = reach === -1 ? '' : rest.slice(reach);

  const at = StringPrototypeLastIndexOf(authority, '@');
  if (at !== -1) self.auth = decodeURIComponent(authority.slice(0, at));
  authority = authority.slice(at + 1);
  // The host ends at the first character that is invalid in a host; the rest belongs to the path.
  const end = authority.search(/[ "%';<>\\^`{|}]/);
  if (end !== -1) {
    rest = authority.slice(end) + rest;
    authority = authority.slice(0, end);
  }
  self.host = authority;
  self.parseHost();
  if (typeof self.hostname !== 'string') self.hostname = '';

  const ipv6 = isIpv6(self.hostname);
  if (!ipv6) rest = cutHostname(self, rest, url);
  self.hostname = self.hostname.length > 255 ? '' : self.hostname.toLowerCase();
  if (self.hostname !== '') {
    if (!ipv6) self.hostname = whatwg.toASCII(self.hostname) ?? '';
    if (self.hostname === '' || (ipv6 ? forbiddenInIpv6 : forbiddenInHost).test(self.hostname)) {
      throw new ERR_INVALID_URL(url);
    }
  }
  self.host = self.hostname + (self.port ? `:${self.port}` : '');
  if (ipv6) {
    self.hostname = self.hostname.slice(1, -1);
    if (rest[0] !== '/') rest = `/${rest}`;
  }
  return rest;
}

let portWarned = false;
function cutHostname(self, rest, url) {
  const { hostname } = self;
  const end = hostname.search(/[/\\#?:]/);
  if (end === -1) return rest;
  // A colon here starts an invalid port.
  if (hostname[end] === ':' && !portWarned) {
    portWarned = true;
    process.emitWarning(`The URL ${url} is invalid. Future versions of Node.js will throw an error.`,
                        'DeprecationWarning', 'DEP0170');
  }
  self.hostname = hostname.slice(0, end);
  return `/${hostname.slice(end)}${rest}`;
}

const unwise = {
  '\t': '%09', '\n': '%0A', '\r': '%0D', ' ': '%20', '"': '%22', "'": '%27', '<': '%3C', '>': '%3E', '\\': '%5C', '^': '%5E',
  '`': '%60', '{': '%7B', '|': '%7C', '}': '%7D',
};

const escapeUnwise = (text) => text.replace(/[\t\n\r "'<>\\^`{|}]/g, (character) => unwise[character]);

function parseTail(self, rest, parseQueryString) {
  const hash = rest.indexOf('#');
  if (hash !== -1) {
    self.hash = rest.slice(hash);
    rest = rest.slice(0, hash);
  }
  const query = rest.indexOf('?');
  if (query !== -1) {
    self.search = rest.slice(query);
    self.query = readQuery(rest.slice(query + 1), parseQueryString);
    rest = rest.slice(0, query);
  } else if (parseQueryString) {
    self.search = null;
    self.query = { __proto__: null };
  }
  if (rest.length > 0) self.pathname = rest;
}

Url.prototype.parseHost = function parseHost() {
  let { host } = this;
  const port = /:[0-9]*$/.exec(host)?.[0];
  if (port) {
    if (port !== ':') this.port = port.slice(1);
    host = host.slice(0, -port.length);
  }
  if (host) this.hostname = host;
};

Url.prototype.format = function format() {
  let auth = this.auth || '';
  if (auth) auth = `${encodeURIComponent(auth).replace(/%3A/gi, ':')}@`;
  let protocol = this.protocol || '';
  let pathname = this.pathname || '';
  let hash = this.hash || '';
  let host = '';
  if (this.host) {
    host = auth + this.host;
  } else if (this.hostname) {
    const bare = this.hostname.includes(':') && !isIpv6(this.hostname);
    host = auth + (bare ? `[${this.hostname}]` : this.hostname);
    if (this.port) host += `:${this.port}`;
  }
  let query = '';
  if (this.query !== null && typeof this.query === 'object') query = require('querystring').stringify(this.query);
  let search = this.search || (query && `?${query}`) || '';
  if (protocol && !StringPrototypeEndsWith(protocol, ':')) protocol += ':';
  pathname = pathname.replace(/[#?]/g, (character) => (character === '#' ? '%23' : '%3F'));
  if (this.slashes || slashedSchemes.has(protocol)) {
    if (this.slashes || host) {
      if (pathname && pathname[0] !== '/') pathname = `/${pathname}`;
      host = `//${host}`;
    } else if (protocol.startsWith('file')) {
      host = '//';
    }
  }
  search = search.replaceAll('#', '%23');
  if (hash && hash[0] !== '#') hash = `#${hash}`;
  if (search && search[0] !== '?') search = `?${search}`;
  return protocol + host + pathname + search + hash;
};

function urlFormat(urlObject, options) {
  if (typeof urlObject === 'string') {
    urlObject = urlParse(urlObject);
  } else if (typeof urlObject !== 'object' || urlObject === null) {
    throw new ERR_INVALID_ARG_TYPE('urlObject', ['Object', 'string'], urlObject);
  } else if (urlObject instanceof whatwg.URL) {
    return formatWhatwg(urlObject, options);
  }
  return Url.prototype.format.call(urlObject);
}

function formatWhatwg(url, options) {
  let fragment = true;
  let unicode = false;
  let search = true;
  let auth = true;
  if (options) {
    validateObject(options, 'options');
    if (options.fragment != null) fragment = Boolean(options.fragment);
    if (options.unicode != null) unicode = Boolean(options.unicode);
    if (options.search != null) search = Boolean(options.search);
    if (options.auth != null) auth = Boolean(options.auth);
  }
  const copy = new whatwg.URL(url.href);
  if (!fragment) copy.hash = '';
  if (!search) copy.search = '';
  if (!auth) copy.username = copy.password = '';
  if (!unicode || !copy.hostname) return copy.href;
  // Insert the Unicode host as text: a URL object would convert it to ASCII.
  const start = copy.href.indexOf(copy.host, copy.protocol.length + 2 +
    (copy.username || copy.password ? copy.href.slice(copy.protocol.length + 2).indexOf('@') + 1 : 0));
  return copy.href.slice(0, start) + whatwg.domainToUnicode(copy.hostname) + copy.href.slice(start + copy.hostname.length);
}

function urlResolve(source, relative) {
  return urlParse(source, false, true).resolve(relative);
}

Url.prototype.resolve = function resolve(relative) {
  return this.resolveObject(urlParse(relative, false, true)).format();
};

function urlResolveObject(source, relative) {
  if (!source) return relative;
  return urlParse(source, false, true).resolveObject(relative);
}

Url.prototype.resolveObject = function resolveObject(relative) {
  if (typeof relative === 'string') relative = new Url().parse(relative, false, true);
  const result = Object.assign(new Url(), this);
  // The fragment is always that of the relative URL, even if it has none.
  result.hash = relative.hash;
  if (relative.href === '') {
    // Same URL: only the fragment changes.
  } else if (relative.slashes && !relative.protocol) {
    const { protocol } = result;
    Object.assign(result, relative, { protocol });
    if (slashedSchemes.has(protocol) && result.hostname && !result.pathname) result.path = result.pathname = '/';
  } else if (relative.protocol && relative.protocol !== result.protocol) {
    takeOtherScheme(result, relative);
  } else {
    mergePaths(result, relative);
  }
  result.href = result.format();
  return result;
};

function takeOtherScheme(result, relative) {
  if (!slashedSchemes.has(relative.protocol)) {
    // Unknown scheme: take the relative URL unchanged.
    Object.assign(result, relative);
    return;
  }
  result.protocol = relative.protocol;
  if (!relative.host && !/^file:?$/.test(relative.protocol) && !hostlessSchemes.has(relative.protocol)) {
    // `http:a/b` relative to a different scheme: the first nonempty segment becomes the host.
    const parts = (relative.pathname || '').split('/');
    while (parts.length && !(relative.host = parts.shift()));
    relative.host ||= '';
    relative.hostname ||= '';
    if (parts[0] !== '') parts.unshift('');
    if (parts.length < 2) parts.unshift('');
    result.pathname = parts.join('/');
  } else {
    result.pathname = relative.pathname;
  }
  result.search = relative.search;
  result.query = relative.query;
  result.host = relative.host || '';
  result.auth = relative.auth;
  result.hostname = relative.hostname || relative.host;
  result.port = relative.port;
  if (result.pathname || result.search) result.path = (result.pathname || '') + (result.search || '');
  result.slashes ||= relative.slashes;
}

const startsWithSlash = (text) => text && text[0] === '/';

function setPath(result) {
  if (result.pathname !== null || result.search !== null) {
    result.path = (result.pathname || '') + (result.search || '');
  }
}

// The host was kept as the first path segment: move it back, with its credentials.
function hostFromPart(result, part) {
  result.host = result.hostname = part;
  if (result.host && result.host.indexOf('@') > 0) {
    const [auth, host] = result.host.split('@');
    result.auth = auth;
    result.host = result.hostname = host;
  }
}

function mergePaths(result, relative) {
  const relativeIsAbsolute = relative.host || startsWithSlash(relative.pathname);
  let mustBeAbsolute = relativeIsAbsolute || startsWithSlash(result.pathname) || (result.host && relative.pathname);
  const removeAllDots = mustBeAbsolute;
  let parts = result.pathname ? result.pathname.split('/') : [];
  const relativeParts = relative.pathname ? relative.pathname.split('/') : [];
  // For schemes without slashes the host counts as the first path segment, so `..` may remove it.
  const hostInPath = result.protocol && !slashedSchemes.has(result.protocol);
  if (hostInPath) {
    moveHostIntoPath(result, parts);
    if (relative.protocol) {
      result.auth = null;
      moveHostIntoPath(relative, relativeParts);
      relative.hostname = relative.port = relative.host = null;
    }
    mustBeAbsolute &&= relativeParts[0] === '' || parts[0] === '';
  }

  if (relativeIsAbsolute) {
    takeHost(result, relative);
    parts = relativeParts;
  } else if (relativeParts.length) {
    parts.pop();
    parts = parts.concat(relativeParts);
  } else if (relative.search !== null && relative.search !== undefined) {
    if (hostInPath) hostFromPart(result, parts.shift());
    result.search = relative.search;
    result.query = relative.query;
    setPath(result);
    return;
  }
  if (relativeIsAbsolute || relativeParts.length) {
    result.search = relative.search;
    result.query = relative.query;
  }
  if (!parts.length) {
    result.pathname = null;
    result.path = result.search ? `/${result.search}` : null;
    return;
  }

  parts = removeDots(parts, result.host || relative.host, mustBeAbsolute, removeAllDots);
  const isAbsolute = parts[0] === '' || startsWithSlash(parts[0]);
  if (hostInPath) hostFromPart(result, isAbsolute ? '' : parts.length ? parts.shift() : '');
  mustBeAbsolute ||= result.host && parts.length;
  if (mustBeAbsolute && !isAbsolute) parts.unshift('');
  if (!parts.length) {
    result.pathname = null;
    result.path = null;
  } else {
    result.pathname = parts.join('/');
  }
  setPath(result);
  result.auth = relative.auth || result.auth;
  result.slashes ||= relative.slashes;
}

function moveHostIntoPath(url, parts) {
  url.hostname = '';
  url.port = null;
  if (url.host) {
    if (parts[0] === '') parts[0] = url.host;
    else parts.unshift(url.host);
  }
  url.host = '';
}

function takeHost(result, relative) {
  if (relative.host || relative.host === '') {
    // Credentials of the old host must not be sent to the new one.
    if (result.host !== relative.host) result.auth = null;
    result.host = relative.host;
    result.port = relative.port;
  }
  if (relative.hostname || relative.hostname === '') {
    if (result.hostname !== relative.hostname) result.auth = null;
    result.hostname = relative.hostname;
  }
}

function removeDots(parts, hasHost, mustBeAbsolute, removeAllDots) {
  const last = parts[parts.length - 1];
  const trailingSlash = last === '' || ((hasHost || parts.length > 1) && (last === '.' || last === '..'));
  const kept = [];
  let up = 0;
  for (let i = parts.length - 1; i >= 0; i--) {
    if (parts[i] === '.') continue;
    if (parts[i] === '..') up++;
    else if (up) up--;
    else kept.unshift(parts[i]);
  }
  if (!mustBeAbsolute && !removeAllDots) while (up-- > 0) kept.unshift('..');
  if (mustBeAbsolute && kept[0] !== '' && !startsWithSlash(kept[0])) kept.unshift('');
  if (trailingSlash && !kept.join('/').endsWith('/')) kept.push('');
  return kept;
}

module.exports = {
  Url,
  parse: urlParse,
  resolve: urlResolve,
  resolveObject: urlResolveObject,
  format: urlFormat,
  URL: whatwg.URL,
  URLSearchParams: whatwg.URLSearchParams,
  domainToASCII: whatwg.domainToASCII,
  domainToUnicode: whatwg.domainToUnicode,
  pathToFileURL: files.pathToFileURL,
  fileURLToPath: files.fileURLToPath,
  fileURLToPathBuffer: files.fileURLToPathBuffer,
  urlToHttpOptions: whatwg.urlToHttpOptions,
};
