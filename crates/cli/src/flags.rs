//! Command line options: Node's names, Node's parsing rules, and Node's error messages.
//!
//! Options come first, then the script, then the script's arguments. `NODE_OPTIONS` comes before the command line. This file does not
//! implement the options: it passes each accepted one on as `--name` or `--name=value`.

/// The kind of value that an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Takes {
    /// None; `--no-name` turns it off.
    Nothing,
    /// None: the behaviour is always on and cannot be turned off.
    Said,
    /// A string: `--name=text` or `--name text`.
    Text,
    /// An integer, only as `--name=number`, like V8's options.
    Number,
}

/// A supported option.
struct Known {
    /// Without the dashes.
    name: &'static str,
    takes: Takes,
    /// Whether it is allowed in `NODE_OPTIONS`.
    in_environment: bool,
}

const fn known(name: &'static str, takes: Takes, in_environment: bool) -> Known {
    Known { name, takes, in_environment }
}

use Takes::{Nothing, Number, Said, Text};

/// All options, sorted by name.
const KNOWN: &[Known] = &[
    known("abort-on-uncaught-exception", Nothing, true),
    known("check", Nothing, false),
    known("conditions", Text, true),
    known("debug-arraybuffer-allocations", Nothing, true),
    known("deprecation", Nothing, true),
    known("disable-warning", Text, true),
    known("dns-result-order", Text, true),
    known("enable-source-maps", Nothing, true),
    known("env-file", Text, false),
    known("env-file-if-exists", Text, false),
    known("eval", Text, false),
    known("experimental-abortcontroller", Said, true),
    known("experimental-detect-module", Said, true),
    known("experimental-global-customevent", Said, true),
    known("experimental-global-navigator", Said, true),
    known("experimental-global-webcrypto", Said, true),
    known("experimental-import-meta-resolve", Nothing, true),
    known("experimental-json-modules", Said, true),
    known("experimental-loader", Text, true),
    known("experimental-modules", Said, true),
    known("experimental-repl-await", Said, true),
    known("experimental-require-module", Said, true),
    known("experimental-strip-types", Said, true),
    known("experimental-top-level-await", Said, true),
    known("experimental-worker", Said, true),
    known("expose-gc", Nothing, false),
    known("expose-internals", Nothing, false),
    known("fast-paths", Nothing, true),
    known("help", Nothing, false),
    known("import", Text, true),
    known("input-type", Text, true),
    known("insecure-http-parser", Nothing, true),
    known("interactive", Nothing, false),
    known("max-http-header-size", Number, true),
    known("max-old-space-size", Number, true),
    known("max-semi-space-size", Number, true),
    known("network-family-autoselection", Nothing, true),
    known("network-family-autoselection-attempt-timeout", Number, true),
    known("node-snapshot", Nothing, true),
    known("pending-deprecation", Nothing, true),
    known("preserve-symlinks", Nothing, true),
    known("preserve-symlinks-main", Nothing, true),
    known("print", Nothing, false),
    known("redirect-warnings", Text, true),
    known("require", Text, true),
    known("run", Text, false),
    known("stack-size", Number, false),
    known("stack-trace-limit", Number, true),
    known("throw-deprecation", Nothing, true),
    known("title", Text, true),
    known("trace-deprecation", Nothing, true),
    known("trace-exit", Nothing, true),
    known("trace-uncaught", Nothing, true),
    known("trace-warnings", Nothing, true),
    known("unhandled-rejections", Text, true),
    known("version", Nothing, false),
    known("warnings", Nothing, true),
];

/// Single-letter aliases.
const SHORT: &[(&str, &str)] = &[
    ("-C", "--conditions"),
    ("-c", "--check"),
    ("-e", "--eval"),
    ("-h", "--help"),
    ("-i", "--interactive"),
    ("-p", "--print"),
    ("-pe", "--print"),
    ("-r", "--require"),
    ("-v", "--version"),
];

/// Options that an environment variable turns on.
const BY_VARIABLE: &[(&str, &str)] = &[
    ("NODE_PENDING_DEPRECATION", "--pending-deprecation"),
    ("NODE_PRESERVE_SYMLINKS", "--preserve-symlinks"),
    ("NODE_PRESERVE_SYMLINKS_MAIN", "--preserve-symlinks-main"),
    ("PHASOR_NO_FAST_PATHS", "--no-fast-paths"),
];

/// The parsed command line.
#[derive(Default, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// All accepted options in one form; those of the environment come first.
    pub(crate) flags: Vec<String>,
    /// The options of the command line as they were given.
    pub(crate) exec_argv: Vec<String>,
    /// The script and its arguments, or the arguments of the code.
    pub(crate) args: Vec<String>,
    /// Code given by `--eval` or `--print`.
    pub(crate) eval: Option<String>,
}

impl Asked {
    /// Adds the options that environment variables turn on. The command line takes precedence.
    pub(crate) fn add_variables(&mut self, value_of: impl Fn(&str) -> Option<String>) {
        let on = BY_VARIABLE.iter().filter(|(variable, _)| value_of(variable).as_deref() == Some("1"));
        self.flags.splice(0..0, on.map(|(_, flag)| (*flag).to_owned()));
    }

    /// True if an option is on. The last occurrence counts.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.switch(name) == Some(true)
    }

    /// True for `--name`, false for `--no-name`, none if neither is given. The last occurrence counts.
    pub(crate) fn switch(&self, name: &str) -> Option<bool> {
        let last = self.flags.iter().rev().find(|flag| {
            let bare = flag.trim_start_matches("--");
            bare == name || bare.strip_prefix("no-") == Some(name)
        });
        last.map(|flag| flag.trim_start_matches("--") == name)
    }

    /// The last value of an option.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.flags.iter().rev().find_map(|flag| flag.strip_prefix("--")?.strip_prefix(name)?.strip_prefix('='))
    }
}

/// Parses `NODE_OPTIONS` and the command line without the program name. The error is Node's message.
pub(crate) fn read(environment: Option<&str>, args: Vec<String>) -> Result<Asked, String> {
    let mut asked = Asked::default();
    if let Some(text) = environment {
        let mut words = split(text)?.into_iter().peekable();
        while let Some(word) = words.next() {
            one(&mut asked, &word, &mut words, true)?;
        }
    }
    let mut rest = args.into_iter().peekable();
    let mut is_ended = false;
    while let Some(word) = rest.peek().cloned() {
        if word == "--" {
            rest.next();
            is_ended = true;
            break;
        }
        if word == "-" || !word.starts_with('-') {
            break;
        }
        rest.next();
        asked.exec_argv.push(word.clone());
        one(&mut asked, &word, &mut rest, false)?;
    }
    if asked.value("run").is_some() && !is_ended {
        // A package's script hears only of what stands behind the two dashes.
        rest.by_ref().find(|word| word == "--");
    }
    asked.args.extend(rest);
    check(&asked)?;
    Ok(asked)
}

/// Parses one option, and its value if that is a separate argument.
fn one(
    asked: &mut Asked,
    word: &str,
    rest: &mut std::iter::Peekable<impl Iterator<Item = String>>,
    environment: bool,
) -> Result<(), String> {
    let bad = || match environment {
        true => format!("{word} is not allowed in NODE_OPTIONS"),
        false => format!("bad option: {word}"),
    };
    let long = SHORT.iter().find(|(short, _)| *short == word).map_or(word, |(_, long)| long);
    let (name, given) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (long, None),
    };
    let Some(name) = name.strip_prefix("--") else { return Err(bad()) };
    // As V8, and as Node for all options: `_` equals `-`.
    let name = name.replace('_', "-");
    let name = if name == "loader" { "experimental-loader".to_owned() } else { name };
    let find = |name: &str| KNOWN.iter().find(|known| known.name == name);
    let (known, off) = match (find(&name), name.strip_prefix("no-").and_then(find)) {
        (Some(known), _) => (known, false),
        (None, Some(known)) if known.takes == Nothing => (known, true),
        _ => return Err(bad()),
    };
    if environment && !known.in_environment {
        return Err(bad());
    }
    if off {
        asked.flags.push(format!("--no-{}", known.name));
        return Ok(());
    }
    let value = match known.takes {
        Nothing | Said => None,
        Number => match given.filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())) {
            Some(text) => Some(text),
            None => return Err(bad()),
        },
        // As Node: an argument that looks like an option is not a value.
        Text => match given.or_else(|| rest.next_if(|next| !next.starts_with('-') || next.len() == 1)) {
            Some(text) => {
                if !environment && !word.contains('=') {
                    asked.exec_argv.push(text.clone());
                }
                Some(text)
            }
            None => return Err(format!("{word} requires an argument")),
        },
    };
    match (known.name, value) {
        ("eval", code) => asked.eval = code,
        ("print", _) => {
            asked.flags.push("--print".to_owned());
            // The code may follow, with or without an `-e` of its own.
            if let Some(code) = rest.next_if(|next| !next.starts_with('-')) {
                asked.exec_argv.push(code.clone());
                asked.eval = Some(code);
            }
        }
        (name, Some(value)) => asked.flags.push(format!("--{name}={value}")),
        (name, None) => asked.flags.push(format!("--{name}")),
    }
    Ok(())
}

/// Checks for conflicting options and invalid values.
fn check(asked: &Asked) -> Result<(), String> {
    if asked.has("check") && asked.eval.is_some() {
        return Err("either --check or --eval can be used, not both".to_owned());
    }
    let modes = ["strict", "warn", "none", "throw", "warn-with-error-code"];
    if asked.value("unhandled-rejections").is_some_and(|mode| !modes.contains(&mode)) {
        return Err("invalid value for --unhandled-rejections".to_owned());
    }
    // Node throws this one, with a stack of its own.
    let orders = ["verbatim", "ipv4first", "ipv6first"];
    if let Some(order) = asked.value("dns-result-order").filter(|order| !orders.contains(order)) {
        return Err(format!(
            "The argument '--dns-result-order' must be one of: 'verbatim', 'ipv4first', 'ipv6first'. Received '{order}'"
        ));
    }
    let types = ["module", "commonjs", "module-typescript", "commonjs-typescript"];
    if asked.value("input-type").is_some_and(|kind| !types.contains(&kind)) {
        return Err(
            "--input-type must be \"module\",\"commonjs\", \"module-typescript\" or \"commonjs-typescript\"".to_owned()
        );
    }
    Ok(())
}

/// Splits `NODE_OPTIONS` at spaces. Double quotes group; a backslash inside quotes escapes the next character.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if quoted => match characters.next() {
                Some(next) => word.get_or_insert_default().push(next),
                None => return Err("invalid value for NODE_OPTIONS (invalid escape)".to_owned()),
            },
            ' ' if !quoted => words.extend(word.take()),
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    if quoted {
        return Err("invalid value for NODE_OPTIONS (unterminated string)".to_owned());
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn options_end_where_the_script_begins() {
        let asked = read(None, words("--no-warnings -r ./a -C x app.js --check -e")).unwrap();
        assert_eq!(asked.flags, ["--no-warnings", "--require=./a", "--conditions=x"]);
        assert_eq!(asked.exec_argv, words("--no-warnings -r ./a -C x"));
        assert_eq!(asked.args, words("app.js --check -e"));
    }

    #[test]
    fn scripts_of_packages_hear_of_what_is_behind_the_dashes() {
        assert_eq!(read(None, words("--run a -- b --c")).unwrap().args, words("b --c"));
        assert_eq!(read(None, words("--run=a b -- c")).unwrap().args, words("c"));
        assert!(read(None, words("--run a b c")).unwrap().args.is_empty());
    }

    #[test]
    fn code_is_taken_in_every_form() {
        for text in ["-e 1", "--eval 1", "--eval=1", "-p 1", "-pe 1", "-p -e 1", "--print 1", "-e 1 -p"] {
            let asked = read(None, words(text)).unwrap();
            assert_eq!(asked.eval.as_deref(), Some("1"), "{text}");
            assert_eq!(asked.has("print"), text.contains('p'), "{text}");
            assert_eq!(asked.exec_argv, words(text));
        }
    }

    #[test]
    fn wrong_ones_are_told_in_nodes_words() {
        let wrong = |text: &str| read(None, words(text)).unwrap_err();
        assert_eq!(wrong("--bogus"), "bad option: --bogus");
        assert_eq!(wrong("--no-title"), "bad option: --no-title");
        assert_eq!(wrong("-e"), "-e requires an argument");
        assert_eq!(wrong("-r --check"), "-r requires an argument");
        assert_eq!(wrong("--max-old-space-size=x"), "bad option: --max-old-space-size=x");
        assert_eq!(wrong("--check -e 1"), "either --check or --eval can be used, not both");
        assert_eq!(read(Some("-e 1"), Vec::new()).unwrap_err(), "-e is not allowed in NODE_OPTIONS");
    }

    #[test]
    fn scripts_hear_of_all_that_the_environment_may_have() {
        let more = phasor_node::BUILTINS.iter().find(|builtin| builtin.id == "internal/process/rare").unwrap();
        for known in KNOWN {
            let listed = (more.source)().contains(&format!("'--{}'", known.name));
            assert_eq!(listed, known.in_environment, "{}", known.name);
        }
    }

    #[test]
    fn the_environment_goes_first() {
        let asked = read(Some(r#"--warnings "--title=a \"b" "#), words("--no-warnings -")).unwrap();
        assert_eq!(asked.value("title"), Some("a \"b"));
        assert!(!asked.has("warnings"));
        assert_eq!(asked.exec_argv, ["--no-warnings"]);
        assert_eq!(asked.args, ["-"]);
        assert!(read(Some("\"a"), Vec::new()).unwrap_err().contains("unterminated"));
    }
}
