//! The table of Phasor's command line: flags, environment variables and examples. The parser, `--help`, the man page and the shell
//! completions use it. It contains only data.

/// The kind of value that a flag takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueKind {
    /// No value; `--no-name` turns the flag off.
    NoValue,
    /// No value: the behaviour is always on and cannot be turned off.
    AlwaysOn,
    /// No value: the flag is an action, which has no `--no-name`.
    Action,
    /// A string: `--name=text` or `--name text`.
    Text,
    /// The path of a file; same syntax as a string.
    File,
    /// One of these values; same syntax as a string.
    OneOf(&'static [&'static str]),
    /// An integer with the syntax of a string: an option of Node.
    Number,
    /// An integer, only as `--name=number`: an option of V8.
    V8Number,
}

impl ValueKind {
    /// True if the flag takes a value.
    pub(crate) fn value(self) -> bool {
        !matches!(self, NoValue | AlwaysOn | Action)
    }
}

/// A flag that Phasor has.
#[derive(Clone, Copy)]
pub(crate) struct Flag {
    /// The name without the dashes.
    pub(crate) name: &'static str,
    /// The single-letter alias with its dash; empty if there is none.
    pub(crate) short: &'static str,
    pub(crate) takes: ValueKind,
    /// Whether the flag is allowed in `NODE_OPTIONS`.
    pub(crate) in_environment: bool,
    /// True for a flag that is on unless `--no-name` is given. The documentation shows that form.
    pub(crate) on_by_default: bool,
    /// A sentence for `--help`; empty for flags that exist only for compatibility and have no effect worth a description.
    pub(crate) help: &'static str,
}

impl Flag {
    const fn short(mut self, short: &'static str) -> Flag {
        self.short = short;
        self
    }

    const fn help(mut self, help: &'static str) -> Flag {
        self.help = help;
        self
    }

    const fn on(mut self) -> Flag {
        self.on_by_default = true;
        self
    }

    /// The flag as the documentation shows it, with its dashes and without a value.
    pub(crate) fn shown(&self) -> String {
        match self.on_by_default {
            true => format!("--no-{}", self.name),
            false => format!("--{}", self.name),
        }
    }
}

const fn flag(name: &'static str, takes: ValueKind, in_environment: bool) -> Flag {
    Flag { name, short: "", takes, in_environment, on_by_default: false, help: "" }
}

use ValueKind::{Action, AlwaysOn, File, NoValue, Number, OneOf, Text, V8Number};

/// The modes of `--unhandled-rejections`.
pub(crate) const REJECTION_MODES: &[&str] = &["strict", "warn", "none", "throw", "warn-with-error-code"];
/// The orders of `--dns-result-order`.
pub(crate) const DNS_ORDERS: &[&str] = &["verbatim", "ipv4first", "ipv6first"];
/// The types of `--input-type`.
pub(crate) const INPUT_TYPES: &[&str] = &["module", "commonjs", "module-typescript", "commonjs-typescript"];

/// All flags, sorted by name.
#[rustfmt::skip]
pub(crate) const FLAGS: &[Flag] = &[
    flag("abort-on-uncaught-exception", NoValue, true).help("abort instead of exiting after an uncaught exception"),
    flag("blocked", Text, true).help("report on stderr what blocks the event loop for this long, such as 50ms or 1s"),
    flag("check", NoValue, false).short("-c").help("syntax check script without executing"),
    flag("completion-bash", Action, false).help("print a completion script for bash"),
    flag("completion-fish", Action, false).help("print a completion script for fish"),
    flag("completion-zsh", Action, false).help("print a completion script for zsh"),
    flag("conditions", Text, true).short("-C").help("additional user conditions for conditional exports and imports"),
    flag("debug-arraybuffer-allocations", NoValue, true),
    flag("deprecation", NoValue, true).on().help("silence deprecation warnings"),
    flag("disable-warning", Text, true).help("silence warnings of that code or type"),
    flag("dns-result-order", OneOf(DNS_ORDERS), true).help("order of the addresses of dns.lookup(): verbatim (the default), ipv4first or ipv6first"),
    flag("enable-source-maps", NoValue, true).help("show places of the original source in stacks"),
    flag("env-file", File, false).help("set environment variables from a file"),
    flag("env-file-if-exists", File, false).help("set environment variables from a file, if it exists"),
    flag("eval", Text, false).short("-e").help("evaluate script"),
    flag("experimental-abortcontroller", AlwaysOn, true),
    flag("experimental-detect-module", AlwaysOn, true),
    flag("experimental-global-customevent", AlwaysOn, true),
    flag("experimental-global-navigator", AlwaysOn, true),
    flag("experimental-global-webcrypto", AlwaysOn, true),
    flag("experimental-import-meta-resolve", NoValue, true),
    flag("experimental-json-modules", AlwaysOn, true),
    flag("experimental-loader", File, true).help("ES module with hooks for imports, as of module.register() (option can be repeated)"),
    flag("experimental-modules", AlwaysOn, true),
    flag("experimental-repl-await", AlwaysOn, true),
    flag("experimental-require-module", AlwaysOn, true),
    flag("experimental-strip-types", AlwaysOn, true),
    flag("experimental-top-level-await", AlwaysOn, true),
    flag("experimental-vm-modules", NoValue, true).help("vm.SourceTextModule and vm.SyntheticModule, and importModuleDynamically of scripts"),
    flag("experimental-worker", AlwaysOn, true),
    flag("expose-gc", NoValue, true).help("make the garbage collector callable as gc()"),
    flag("expose-internals", NoValue, false).help("make the runtime's own modules (internal/...) requirable"),
    flag("help", Action, false).short("-h").help("print this text"),
    flag("import", File, true).help("ES module to preload (option can be repeated)"),
    flag("input-type", OneOf(INPUT_TYPES), true).help("set module type for string input"),
    flag("insecure-http-parser", NoValue, true).help("accept HTTP messages that the strict parser refuses"),
    flag("interactive", NoValue, false).short("-i").help("open the prompt, also if stdin is no terminal"),
    flag("man", Action, false).help("print the man page, as roff"),
    flag("max-http-header-size", Number, true).help("limit of the headers of an HTTP message, in bytes"),
    flag("max-old-space-size", V8Number, true).help("limit of the heap, in MiB"),
    flag("max-semi-space-size", V8Number, true),
    flag("metrics", Text, false).help("serve metrics of the event loops for Prometheus at this address, such as 127.0.0.1:9464"),
    flag("network-family-autoselection", NoValue, true).on().help("try one address of a name only"),
    flag("network-family-autoselection-attempt-timeout", Number, true).help("how long an address is tried, in milliseconds"),
    flag("node-snapshot", NoValue, true),
    flag("pending-deprecation", NoValue, true).help("show deprecations that are pending"),
    flag("preserve-symlinks", NoValue, true).help("keep symbolic links of modules as they are"),
    flag("preserve-symlinks-main", NoValue, true).help("keep the main script's symbolic link as it is"),
    flag("print", NoValue, false).short("-p").help("evaluate script and print result"),
    flag("redirect-warnings", File, true).help("write warnings to a file instead of stderr"),
    flag("require", File, true).short("-r").help("CommonJS module to preload (option can be repeated)"),
    flag("run", Text, false).help("run a script of the nearest package.json"),
    flag("stack-size", V8Number, false).help("limit of the stack, in KiB"),
    flag("stack-trace-limit", Number, true).help("how many frames a stack shows"),
    flag("throw-deprecation", NoValue, true).help("throw an exception on deprecations"),
    flag("title", Text, true).help("the process title to use on startup"),
    flag("trace-deprecation", NoValue, true).help("show stack traces on deprecations"),
    flag("trace-exit", NoValue, true).help("show a stack trace when the program calls process.exit()"),
    flag("trace-uncaught", NoValue, true).help("show stack traces of uncaught exceptions"),
    flag("trace-warnings", NoValue, true).help("show stack traces on process warnings"),
    flag("unhandled-rejections", OneOf(REJECTION_MODES), true)
        .help("what an unhandled rejection does: strict, warn, none, throw (the default) or warn-with-error-code"),
    flag("version", Action, false).short("-v").help("print the version"),
    flag("warnings", NoValue, true).on().help("silence all process warnings"),
];

/// Alternative names of flags.
pub(crate) const ALIASES: &[(&str, &str)] = &[("-pe", "--print"), ("--loader", "--experimental-loader")];

/// The environment variables that the program reads, with their descriptions.
pub(crate) const VARIABLES: &[(&str, &str)] = &[
    (
        "NODE_OPTIONS",
        "options for every run, before those of the command line; flags of Node that Phasor does not have are ignored with a warning",
    ),
    ("NODE_NO_WARNINGS", "1 to silence process warnings"),
    ("NODE_PENDING_DEPRECATION", "1 to show deprecations that are pending"),
    ("NODE_PRESERVE_SYMLINKS", "1 to keep links of modules as they are"),
    ("NODE_PRESERVE_SYMLINKS_MAIN", "1 to keep the main script's link as it is"),
    ("NODE_REDIRECT_WARNINGS", "a file for warnings"),
    ("NODE_PATH", "':'-separated list of directories for require"),
    ("NO_COLOR, FORCE_COLOR", "never or always print in colour"),
    (
        "PHASOR_CONTROL",
        "1 to open the control socket at start, for `phasor why`, `phasor top` and `phasor trace`; SIGUSR1 opens it later",
    ),
    ("UV_THREADPOOL_SIZE", "how many threads work in the pool"),
];

/// Environment variables that turn on an option if they are `1`.
pub(crate) const BY_VARIABLE: &[(&str, &str)] = &[
    ("NODE_PENDING_DEPRECATION", "--pending-deprecation"),
    ("NODE_PRESERVE_SYMLINKS", "--preserve-symlinks"),
    ("NODE_PRESERVE_SYMLINKS_MAIN", "--preserve-symlinks-main"),
];

/// Example commands, with their descriptions.
pub(crate) const EXAMPLES: &[(&str, &str)] = &[
    ("phasor app.js one two", "run a file; process.argv has one and two"),
    ("phasor -p 'process.uptime()'", "print the value of an expression"),
    ("phasor -e 'setImmediate(() => console.log(\"check\"))'", "run code that is given on the command line"),
    ("echo 'console.log(1)' | phasor -", "run a program from standard input"),
    ("phasor --enable-source-maps dist/app.js", "run what a compiler made; stacks show the original source"),
    ("phasor --blocked=50ms server.js", "name the line that blocks the event loop for 50 ms or longer"),
    ("phasor --check app.js && phasor app.js", "run a file only if its syntax is right"),
    ("source <(phasor --completion-bash)", "complete options in this bash"),
    ("phasor --man | man -l -", "read the man page"),
];
