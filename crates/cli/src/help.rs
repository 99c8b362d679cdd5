//! What `--help` and `--version` print.

/// The version of Node whose behaviour is matched.
pub(crate) const NODE_VERSION: &str = "v22.23.3";

/// The text of `--help`.
pub(crate) const HELP: &str = "\
Usage: phasor [options] [ script.js ] [arguments]
       phasor [options] -e CODE [arguments]

Runs JavaScript with Node's event loop. Without a script, the program is read from
standard input; on a terminal that is a prompt.

Options:
  -                           script read from stdin (default if no file name is
                              provided)
  --                          indicate the end of options
  -c, --check                 syntax check script without executing
  -C, --conditions=...        additional user conditions for conditional exports
                              and imports
  --disable-warning=...       silence warnings of that code or type
  --dns-result-order=...      verbatim (the default), ipv4first or ipv6first
  -e, --eval=...              evaluate script
  --env-file=...              set environment variables from a file
  --experimental-loader=...   ES module with hooks for imports, as of
                              module.register() (option can be repeated)
  --expose-gc                 make the garbage collector callable as gc()
  --expose-internals          make the runtime's own modules (internal/...)
                              requirable
  -h, --help                  print this text
  -i, --interactive           open the prompt, also if stdin is no terminal
  --import=...                ES module to preload (option can be repeated)
  --input-type=...            set module type for string input
  --max-old-space-size=...    limit of the heap, in MiB
  --network-family-autoselection-attempt-timeout=...
                              how long an address is tried, in milliseconds
  --no-deprecation            silence deprecation warnings
  --no-fast-paths             run the JavaScript behind native fast paths (for contributors)
  --no-network-family-autoselection
                              try one address of a name only
  --no-warnings               silence all process warnings
  -p, --print [...]           evaluate script and print result
  --redirect-warnings=...     write warnings to a file instead of stderr
  -r, --require=...           CommonJS module to preload (option can be repeated)
  --run=...                   run a script of the nearest package.json
  --stack-size=...            limit of the stack, in KiB
  --stack-trace-limit=...     how many frames a stack shows
  --throw-deprecation         throw an exception on deprecations
  --title=...                 the process title to use on startup
  --trace-deprecation         show stack traces on deprecations
  --trace-uncaught            show stack traces of the uncaught
  --trace-warnings            show stack traces on process warnings
  --unhandled-rejections=...  strict, warn, none, throw (the default) or
                              warn-with-error-code
  -v, --version               print the version

Environment variables:
  NODE_OPTIONS                options for every run, before those given
  NODE_NO_WARNINGS            1 to silence process warnings
  NODE_PENDING_DEPRECATION    1 to show deprecations that are pending
  NODE_PRESERVE_SYMLINKS      1 to keep links of modules as they are
  NODE_PRESERVE_SYMLINKS_MAIN 1 to keep the main script's link as it is
  NODE_REDIRECT_WARNINGS      a file for warnings
  NODE_PATH                   ':'-separated list of directories for require
  NO_COLOR, FORCE_COLOR       never or always print in colour
  UV_THREADPOOL_SIZE          how many threads work in the pool

Examples:
  phasor app.js one two       run a file; process.argv has one and two
  phasor -p 'process.uptime()'
  phasor -e 'setImmediate(() => console.log(\"check\"))'
  echo 'console.log(1)' | phasor -
  phasor --check app.js && phasor app.js
";

/// The text of `--version`. A program that is called by Node's name answers as Node does.
pub(crate) fn version(argv0: &str) -> String {
    match argv0.rsplit('/').next() {
        Some("node") => NODE_VERSION.to_owned(),
        _ => format!("phasor {} (Node.js {NODE_VERSION})", env!("CARGO_PKG_VERSION")),
    }
}
