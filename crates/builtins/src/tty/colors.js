'use strict';
// Color support of a terminal, from the environment.

const process = require('process');

// The color depth: 1, 4, 8 or 24 bits.
function getColorDepth(env = process.env) {
  if (env.FORCE_COLOR !== undefined) {
    switch (env.FORCE_COLOR) {
      case '':
      case '1':
      case 'true':
        return 4;
      case '2':
        return 8;
      case '3':
        return 24;
      default:
        return 1;
    }
  }
  if ((env.NODE_DISABLE_COLORS !== undefined && env.NODE_DISABLE_COLORS !== '') ||
      (env.NO_COLOR !== undefined && env.NO_COLOR !== '') || env.TERM === 'dumb') {
    return 1;
  }
  if (env.TMUX) return 24;
  if (env.TF_BUILD !== undefined && env.AGENT_NAME !== undefined) return 4;
  if (env.CI !== undefined) {
    if (env.CIRCLECI !== undefined || env.GITEA_ACTIONS !== undefined || env.GITHUB_ACTIONS !== undefined) return 24;
    return ['APPVEYOR', 'BUILDKITE', 'DRONE', 'GITLAB_CI', 'TRAVIS'].some((name) => env[name] !== undefined) ||
      env.CI_NAME === 'codeship' ? 8 : 1;
  }
  if (env.TEAMCITY_VERSION !== undefined) return /^9\.(0*[1-9]\d*)\.|\d{2,}\./.test(env.TEAMCITY_VERSION) ? 4 : 1;
  switch (env.TERM_PROGRAM) {
    case 'iTerm.app':
      return !env.TERM_PROGRAM_VERSION || /^[0-2]\./.test(env.TERM_PROGRAM_VERSION) ? 8 : 24;
    case 'HyperTerm':
    case 'MacTerm':
      return 24;
    case 'Apple_Terminal':
      return 8;
  }
  if (env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit') return 24;
  if (env.TERM) {
    if (/truecolor/.test(env.TERM)) return 24;
    if (env.TERM.startsWith('xterm-256')) return 8;
    const term = env.TERM.toLowerCase();
    if (term === 'xterm-kitty' || term === 'mosh' || term === 'rxvt-unicode-24bit' || term === 'terminator') return 24;
    if (/ansi|color|linux|direct|^con\d*x\d|^rxvt|^screen|^xterm|^vt100|^vt220/.test(term) ||
        ['eterm', 'cons25', 'console', 'cygwin', 'dtterm', 'gnome', 'hurd', 'jfbterm', 'konsole', 'kterm', 'mlterm', 'putty',
          'st'].includes(term)) {
      return 4;
    }
  }
  return env.COLORTERM ? 4 : 1;
}

function hasColors(count, env) {
  if (env === undefined && (count === undefined || (typeof count === 'object' && count !== null))) {
    env = count;
    count = 16;
  } else {
    require('internal/validators').validateInteger(count, 'count', 2);
  }
  return count <= 2 ** this.getColorDepth(env);
}

module.exports = { getColorDepth, hasColors };
