'use strict';

// `util.parseArgs`: parses command-line arguments into options and positionals. Arguments are first split into tokens; then the tokens are checked
// and stored (`lib/internal/util/parse_args/parse_args.js`).

const process = require('process');
const {
  ERR_INVALID_ARG_VALUE,
  ERR_PARSE_ARGS_INVALID_OPTION_VALUE,
  ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL,
  ERR_PARSE_ARGS_UNKNOWN_OPTION,
} = require('internal/errors');
const {
  validateArray,
  validateBoolean,
  validateBooleanArray,
  validateObject,
  validateString,
  validateStringArray,
  validateUnion,
} = require('internal/validators');

// Reads only own properties: a polluted Object.prototype must not add options.
const own = (object, key) => (Object.hasOwn(object, key) ? object[key] : undefined);
const settingOf = (options, name, key) => (Object.hasOwn(options, name) ? own(options[name], key) : undefined);

// With `--eval` or `--print` there is no script name in process.argv.
function mainArguments() {
  const isEval = process.execArgv.some((flag) => /^(-e|-p|-pe|--eval|--print)(=|$)/.test(flag));
  return process.argv.slice(isEval ? 1 : 2);
}

function checkOption(name, setting) {
  const at = `options.${name}`;
  validateObject(setting, at);
  const type = own(setting, 'type');
  validateUnion(type, `${at}.type`, ['string', 'boolean']);
  if (Object.hasOwn(setting, 'short')) {
    validateString(setting.short, `${at}.short`);
    if (setting.short.length !== 1) {
      throw new ERR_INVALID_ARG_VALUE(`${at}.short`, setting.short, 'must be a single character');
    }
  }
  const multiple = own(setting, 'multiple');
  if (Object.hasOwn(setting, 'multiple')) validateBoolean(multiple, `${at}.multiple`);
  const value = own(setting, 'default');
  if (value === undefined) return;
  const validate = type === 'string' ?
    (multiple ? validateStringArray : validateString) :
    (multiple ? validateBooleanArray : validateBoolean);
  validate(value, `${at}.default`);
}

class Tokenizer {
  constructor(args, options) {
    this.rest = [...args];
    this.options = options;
    this.tokens = [];
    this.index = -1;
    // Number of remaining arguments that were expanded from one group of short options: they all have the index of the group.
    this.grouped = 0;
  }

  longName(short) {
    const found = Object.entries(this.options).find(([, setting]) => own(setting, 'short') === short);
    return found?.[0] ?? short;
  }

  takesText(name) {
    return settingOf(this.options, name, 'type') === 'string';
  }

  // Parses an option without `=`. If the option takes a value, the next argument is its value.
  alone(name, rawName) {
    const { index } = this;
    let value;
    let inlineValue;
    if (this.takesText(name) && this.rest.length > 0 && this.rest[0] != null) {
      value = this.rest.shift();
      inlineValue = false;
      this.index++;
    }
    this.tokens.push({ kind: 'option', name, rawName, index, value, inlineValue });
  }

  inline(name, rawName, value) {
    this.tokens.push({ kind: 'option', name, rawName, index: this.index, value, inlineValue: true });
  }

  // Expands the group -abc to -a -b -c. Expansion ends at the first option that takes a value: -abfFILE becomes -a -b -fFILE.
  expand(group) {
    const expanded = [];
    for (let at = 1; at < group.length; at++) {
      if (this.takesText(this.longName(group[at])) && at < group.length - 1) {
        expanded.push(`-${group.slice(at)}`);
        break;
      }
      expanded.push(`-${group[at]}`);
    }
    this.rest.unshift(...expanded);
    this.grouped = expanded.length;
  }

  short(arg) {
    const name = this.longName(arg[1]);
    if (arg.length === 2) this.alone(name, arg);
    else if (this.takesText(name)) this.inline(name, arg.slice(0, 2), arg.slice(2));
    else this.expand(arg);
  }

  long(arg) {
    const equals = arg.indexOf('=', 3);
    if (equals === -1) {
      this.alone(arg.slice(2), arg);
      return;
    }
    const end = arg.indexOf('=');
    this.inline(arg.slice(2, end), arg.slice(0, end), arg.slice(end + 1));
  }

  run() {
    while (this.rest.length > 0) {
      const arg = this.rest.shift();
      if (this.grouped > 0) this.grouped--;
      else this.index++;
      if (arg === '--') {
        this.tokens.push({ kind: 'option-terminator', index: this.index });
        for (const value of this.rest) this.tokens.push({ kind: 'positional', index: ++this.index, value });
        break;
      }
      if (arg.length > 1 && arg[0] === '-' && arg[1] !== '-') this.short(arg);
      else if (arg.length > 2 && arg.startsWith('--')) this.long(arg);
      else this.tokens.push({ kind: 'positional', index: this.index, value: arg });
    }
    return this.tokens;
  }
}

// The checks of strict mode: unknown options, missing and unexpected values, and ambiguous values, as in `--a --b`
// (`lib/internal/util/parse_args/parse_args.js: checkOptionUsage`).
function checkUsage({ options, allowNegative, allowPositionals }, token) {
  let { name } = token;
  if (!Object.hasOwn(options, name)) {
    const positive = allowNegative && name.startsWith('no-') ? name.slice(3) : undefined;
    if (positive === undefined || settingOf(options, positive, 'type') !== 'boolean') {
      throw new ERR_PARSE_ARGS_UNKNOWN_OPTION(token.rawName, allowPositionals);
    }
    name = positive;
  }
  const short = settingOf(options, name, 'short');
  const shown = `${short ? `-${short}, ` : ''}--${name}`;
  const type = settingOf(options, name, 'type');
  if (type === 'string' && typeof token.value !== 'string') {
    throw new ERR_PARSE_ARGS_INVALID_OPTION_VALUE(`Option '${shown} <value>' argument missing`);
  }
  if (type === 'boolean' && token.value != null) {
    throw new ERR_PARSE_ARGS_INVALID_OPTION_VALUE(`Option '${shown}' does not take an argument`);
  }
  if (token.inlineValue || token.value == null || token.value.length < 2 || token.value[0] !== '-') return;
  const { rawName } = token;
  const example = rawName.startsWith('--') ? `'${rawName}=-XYZ'` : `'--${token.name}=-XYZ' or '${rawName}-XYZ'`;
  throw new ERR_PARSE_ARGS_INVALID_OPTION_VALUE(
    `Option '${rawName}' argument is ambiguous.\nDid you forget to specify the option argument for '${rawName}'?\n` +
    `To specify an option argument starting with a dash use ${example}.`);
}

function store({ options, allowNegative }, token, values) {
  if (token.name === '__proto__') return;
  let value = token.value ?? true;
  if (allowNegative && token.name.startsWith('no-') && token.value === undefined) {
    token.name = token.name.slice(3);
    value = false;
  }
  if (!settingOf(options, token.name, 'multiple')) values[token.name] = value;
  else if (values[token.name]) values[token.name].push(value);
  else values[token.name] = [value];
}

const parseArgs = (config = { __proto__: null }) => {
  const args = own(config, 'args') ?? mainArguments();
  const strict = own(config, 'strict') ?? true;
  const allowPositionals = own(config, 'allowPositionals') ?? !strict;
  const returnTokens = own(config, 'tokens') ?? false;
  const allowNegative = own(config, 'allowNegative') ?? false;
  const options = own(config, 'options') ?? { __proto__: null };
  validateArray(args, 'args');
  validateBoolean(strict, 'strict');
  validateBoolean(allowPositionals, 'allowPositionals');
  validateBoolean(returnTokens, 'tokens');
  validateBoolean(allowNegative, 'allowNegative');
  validateObject(options, 'options');
  for (const [name, setting] of Object.entries(options)) checkOption(name, setting);

  const rules = { options, allowNegative, allowPositionals };
  const tokens = new Tokenizer(args, options).run();
  const result = { values: { __proto__: null }, positionals: [] };
  if (returnTokens) result.tokens = tokens;
  for (const token of tokens) {
    if (token.kind === 'option') {
      if (strict) checkUsage(rules, token);
      store(rules, token, result.values);
    } else if (token.kind === 'positional') {
      if (!allowPositionals) throw new ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL(token.value);
      result.positionals.push(token.value);
    }
  }
  for (const [name, setting] of Object.entries(options)) {
    const value = own(setting, 'default');
    if (value !== undefined && name !== '__proto__' && result.values[name] === undefined) result.values[name] = value;
  }
  return result;
};

module.exports = { parseArgs };
