//! Command-line options: Node's names, Node's parsing rules (`src/node_options-inl.h: OptionsParser::Parse`), Node's error messages.
//!
//! Options come first, then the script, then the script's arguments. `NODE_OPTIONS` precedes the command line. This file does not
//! implement the options: it passes each accepted one on as `--name` or `--name=value`. The options are in `table.rs`, those of Node in
//! `phasor_node::process::node_flags`.

use phasor_lens::watchdog;
use phasor_node::process::node_flags;

use crate::table::{ALIASES, BY_VARIABLE, DNS_ORDERS, FLAGS, Flag, INPUT_TYPES, REJECTION_MODES, ValueKind};

/// Maximum edit distance between a mistyped option and the suggested one.
const MAX_DISTANCE: usize = 3;

/// Why an argument is refused.
#[derive(Clone, Copy)]
enum Fault {
    /// Neither Phasor nor Node has the option, or its value is invalid.
    Bad,
    /// Node does not allow the option in `NODE_OPTIONS`.
    NotInEnvironment,
    NoArgument,
    /// `--no-name` of an option that takes a value.
    Negation,
}

impl Fault {
    /// Node's message.
    fn message(self, word: &str) -> String {
        match self {
            Fault::Bad => format!("bad option: {word}"),
            Fault::NotInEnvironment => {
                // Without the value, as in Node.
                let end = word.find('=').map_or(word.len(), |at| at + 1);
                format!("{} is not allowed in NODE_OPTIONS", &word[..end])
            }
            Fault::NoArgument => format!("{word} requires an argument"),
            Fault::Negation => format!("{word} is an invalid negation because it is not a boolean option"),
        }
    }
}

/// The parsed command line.
#[derive(Default, Debug, PartialEq, Eq)]
pub(crate) struct CommandLine {
    /// All accepted options in their long form; those of the environment come first.
    pub(crate) flags: Vec<String>,
    /// The options of the command line as they were given.
    pub(crate) exec_argv: Vec<String>,
    /// The script and its arguments; with `--eval`, only the arguments.
    pub(crate) args: Vec<String>,
    /// The code of `--eval` or `--print`.
    pub(crate) eval: Option<String>,
    /// Node's flags in `NODE_OPTIONS` that Phasor does not have.
    pub(crate) ignored: Vec<String>,
}

impl CommandLine {
    /// Adds the options of environment variables. They come first, so the command line takes precedence.
    pub(crate) fn add_variables(&mut self, value_of: impl Fn(&str) -> Option<String>) {
        let on = BY_VARIABLE.iter().filter(|(variable, _)| value_of(variable).as_deref() == Some("1"));
        self.flags.splice(0..0, on.map(|(_, flag)| (*flag).to_owned()));
    }

    /// True if an option is on. The last occurrence takes effect.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.switch(name) == Some(true)
    }

    /// True for `--name`, false for `--no-name`, `None` if neither is given. The last occurrence takes effect.
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
pub(crate) fn read(environment: Option<&str>, args: Vec<String>) -> Result<CommandLine, String> {
    let mut parsed = CommandLine::default();
    if let Some(text) = environment {
        let mut words = split(text)?.into_iter().peekable();
        while let Some(word) = words.next() {
            parse_option(&mut parsed, &word, &mut words, true)?;
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
        parsed.exec_argv.push(word.clone());
        parse_option(&mut parsed, &word, &mut rest, false)?;
    }
    if parsed.value("run").is_some() && !is_ended {
        // Of the arguments after the script's name, only those after `--` are passed to it (`src/node_task_runner.cc`).
        rest.by_ref().find(|word| word == "--");
    }
    parsed.args.extend(rest);
    check(&parsed)?;
    Ok(parsed)
}

/// Parses one option, and its value if that is a separate argument.
fn parse_option(
    parsed: &mut CommandLine,
    word: &str,
    rest: &mut std::iter::Peekable<impl Iterator<Item = String>>,
    environment: bool,
) -> Result<(), String> {
    if environment && (word == "-" || !word.starts_with('-')) {
        // Node skips an argument that is not an option, and so does this.
        return Ok(());
    }
    let by_alias = || ALIASES.iter().find(|(alias, _)| *alias == word).map(|(_, long)| (*long).to_owned());
    let by_letter = || FLAGS.iter().find(|flag| flag.short == word).map(|flag| format!("--{}", flag.name));
    let long = by_letter().or_else(by_alias).unwrap_or_else(|| word.to_owned());
    let (name, given) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (long.as_str(), None),
    };
    let Some(name) = name.strip_prefix("--") else { return Err(unknown(word, environment)) };
    // `_` equals `-` in option names (`src/node_options-inl.h: OptionsParser::Parse`).
    let name = name.replace('_', "-");
    let name = if name == "loader" { "experimental-loader".to_owned() } else { name };
    let find = |name: &str| FLAGS.iter().find(|flag| flag.name == name);
    let (flag, off) = match (find(&name), name.strip_prefix("no-").and_then(find)) {
        (Some(flag), _) => (flag, false),
        (None, Some(flag)) if flag.takes == ValueKind::NoValue => (flag, true),
        (None, Some(flag)) if flag.takes.value() => return Err(Fault::Negation.message(word)),
        _ if environment => return ignore(parsed, word, &name, given, rest),
        _ => return Err(foreign(&name).unwrap_or_else(|| unknown(word, false))),
    };
    if environment && !flag.in_environment {
        return Err(Fault::NotInEnvironment.message(word));
    }
    if off {
        parsed.flags.push(format!("--no-{}", flag.name));
        return Ok(());
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let value = match flag.takes {
        ValueKind::NoValue | ValueKind::AlwaysOn | ValueKind::Action => None,
        ValueKind::V8Number => match given.filter(|text| is_number(text)) {
            Some(text) => Some(text),
            None => return Err(Fault::Bad.message(word)),
        },
        ValueKind::Text | ValueKind::File | ValueKind::OneOf(_) | ValueKind::Number => match given
            .or_else(|| separate_value(rest))
        {
            Some(text) if text.is_empty() && word.contains('=') => return Err(Fault::NoArgument.message(word)),
            Some(text) if flag.takes == ValueKind::Number && !is_number(&text) => return Err(Fault::Bad.message(word)),
            Some(text) => {
                if environment || word.contains('=') {
                    Some(text)
                } else {
                    parsed.exec_argv.push(text.clone());
                    Some(unescaped(text))
                }
            }
            None => return Err(Fault::NoArgument.message(word)),
        },
    };
    match (flag.name, value) {
        ("eval", code) => parsed.eval = code,
        ("print", _) => {
            parsed.flags.push("--print".to_owned());
            // The code may follow with or without its own `-e`.
            if let Some(code) = rest.next_if(|next| !next.starts_with('-')) {
                parsed.exec_argv.push(code.clone());
                parsed.eval = Some(unescaped(code));
            } else if word == "-pe" {
                return Err(Fault::NoArgument.message("--eval"));
            }
        }
        (name, Some(value)) => parsed.flags.push(format!("--{name}={value}")),
        (name, None) => parsed.flags.push(format!("--{name}")),
    }
    Ok(())
}

/// The value of an option in a separate argument. As `OptionsParser::Parse`: an argument that starts with a dash is not a value.
fn separate_value(rest: &mut std::iter::Peekable<impl Iterator<Item = String>>) -> Option<String> {
    rest.next_if(|next| !next.starts_with('-'))
}

/// The value that a separate argument stands for: `\-` at its beginning escapes a dash (`OptionsParser::Parse`).
fn unescaped(text: String) -> String {
    text.strip_prefix('\\').filter(|rest| rest.starts_with('-')).map(str::to_owned).unwrap_or(text)
}

/// Skips a flag of Node in `NODE_OPTIONS` that Phasor does not have, and its value: the variable is often set for all programs of a
/// machine. Refuses what Node refuses.
fn ignore(
    parsed: &mut CommandLine,
    word: &str,
    name: &str,
    given: Option<String>,
    rest: &mut std::iter::Peekable<impl Iterator<Item = String>>,
) -> Result<(), String> {
    let flag = match node_flags::find(name) {
        Some(flag) if flag.in_environment => flag,
        None if name.strip_prefix("no-").and_then(node_flags::exact).is_some_and(|flag| flag.in_environment) => {
            return Err(Fault::Negation.message(word));
        }
        _ => return Err(unknown(word, true)),
    };
    if flag.takes_value
        && given.or_else(|| separate_value(rest)).is_none_or(|value| value.is_empty() && word.contains('='))
    {
        return Err(Fault::NoArgument.message(word));
    }
    let shown = format!("--{name}");
    if !parsed.ignored.contains(&shown) {
        parsed.ignored.push(shown);
    }
    Ok(())
}

/// The error message for a flag that Node or V8 has and Phasor does not.
fn foreign(name: &str) -> Option<String> {
    let whose = if node_flags::find(name)?.of_v8 { "V8" } else { "Node" };
    Some(format!("--{name} is a {whose} flag that Phasor does not have"))
}

/// The error message for an argument that neither Phasor nor Node knows.
fn unknown(word: &str, environment: bool) -> String {
    let fault = if environment { Fault::NotInEnvironment } else { Fault::Bad };
    let near = if environment { None } else { nearest(word) };
    match near {
        Some(near) => format!("{} (did you mean {near}?)", fault.message(word)),
        None => fault.message(word),
    }
}

/// The option with the smallest edit distance to a mistyped one, if that is small.
fn nearest(word: &str) -> Option<String> {
    let name = word.split('=').next()?.trim_start_matches('-').replace('_', "-");
    let shown = |flag: &Flag| {
        let off = (flag.takes == ValueKind::NoValue).then(|| format!("--no-{}", flag.name));
        off.into_iter().chain([format!("--{}", flag.name)]).collect::<Vec<_>>()
    };
    // The lengths differ by the distance at most: a long argument is compared with no flag.
    let is_close = |flag: &String| (flag.len() - 2).abs_diff(name.len()) <= MAX_DISTANCE;
    let all = FLAGS.iter().flat_map(shown).filter(is_close).map(|flag| (distance(&flag[2..], &name), flag));
    // A short name has a small distance to many others.
    let limit = MAX_DISTANCE.min(name.len() / 3);
    all.filter(|(distance, _)| *distance <= limit).min_by_key(|(distance, _)| *distance).map(|(_, flag)| flag)
}

/// The edit distance: how many bytes to insert, delete, replace or swap with their neighbour (optimal string alignment distance).
fn distance(one: &str, other: &str) -> usize {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut rows = vec![vec![0; other.len() + 1]; one.len() + 1];
    for (at, row) in rows.iter_mut().enumerate() {
        row[0] = at;
    }
    rows[0] = (0..=other.len()).collect();
    for i in 1..=one.len() {
        for j in 1..=other.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[one.len()][other.len()]
}

/// Checks for conflicting options and invalid values.
fn check(parsed: &CommandLine) -> Result<(), String> {
    if parsed.has("check") && parsed.eval.is_some() {
        return Err("either --check or --eval can be used, not both".to_owned());
    }
    if let Some(text) = parsed.value("blocked") {
        watchdog::parse_limit(text).map_err(|error| format!("--blocked: {error}"))?;
    }
    if parsed.value("unhandled-rejections").is_some_and(|mode| !REJECTION_MODES.contains(&mode)) {
        return Err("invalid value for --unhandled-rejections".to_owned());
    }
    // Node throws this error in JavaScript (`lib/internal/dns/utils.js: initializeDns`), so its message has another form.
    if let Some(order) = parsed.value("dns-result-order").filter(|order| !DNS_ORDERS.contains(order)) {
        return Err(format!(
            "The argument '--dns-result-order' must be one of: 'verbatim', 'ipv4first', 'ipv6first'. Received '{order}'"
        ));
    }
    if parsed.value("input-type").is_some_and(|kind| !INPUT_TYPES.contains(&kind)) {
        return Err(
            "--input-type must be \"module\",\"commonjs\", \"module-typescript\" or \"commonjs-typescript\"".to_owned()
        );
    }
    Ok(())
}

/// Splits `NODE_OPTIONS` at spaces (`src/node_options.cc: ParseNodeOptionsEnvVar`). Double quotes group; a backslash inside quotes escapes the next character.
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
            // As in Node, quotes without text between them are not a word.
            '"' => quoted = !quoted,
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
    fn options_end_before_the_script() {
        let parsed = read(None, words("--no-warnings -r ./a -C x app.js --check -e")).unwrap();
        assert_eq!(parsed.flags, ["--no-warnings", "--require=./a", "--conditions=x"]);
        assert_eq!(parsed.exec_argv, words("--no-warnings -r ./a -C x"));
        assert_eq!(parsed.args, words("app.js --check -e"));
    }

    #[test]
    fn package_scripts_get_the_arguments_after_the_dashes() {
        assert_eq!(read(None, words("--run a -- b --c")).unwrap().args, words("b --c"));
        assert_eq!(read(None, words("--run=a b -- c")).unwrap().args, words("c"));
        assert!(read(None, words("--run a b c")).unwrap().args.is_empty());
    }

    #[test]
    fn every_form_of_eval_and_print_is_parsed() {
        for text in ["-e 1", "--eval 1", "--eval=1", "-p 1", "-pe 1", "-p -e 1", "--print 1", "-e 1 -p"] {
            let parsed = read(None, words(text)).unwrap();
            assert_eq!(parsed.eval.as_deref(), Some("1"), "{text}");
            assert_eq!(parsed.has("print"), text.contains('p'), "{text}");
            assert_eq!(parsed.exec_argv, words(text));
        }
    }

    #[test]
    fn errors_have_the_messages_of_node() {
        let error_of = |text: &str| read(None, words(text)).unwrap_err();
        assert_eq!(error_of("--bogus"), "bad option: --bogus");
        assert_eq!(error_of("--no-title"), "--no-title is an invalid negation because it is not a boolean option");
        assert_eq!(error_of("--inspect=0"), "--inspect is a Node flag that Phasor does not have");
        assert_eq!(error_of("--no-addons"), "--no-addons is a Node flag that Phasor does not have");
        assert_eq!(error_of("--harmony"), "--harmony is a V8 flag that Phasor does not have");
        assert_eq!(
            error_of("--enable-source-map"),
            "bad option: --enable-source-map (did you mean --enable-source-maps?)"
        );
        assert_eq!(error_of("--no-wranings"), "bad option: --no-wranings (did you mean --no-warnings?)");
        assert_eq!(error_of("--no-man"), "bad option: --no-man");
        assert_eq!(error_of("-e"), "-e requires an argument");
        assert_eq!(error_of("-r --check"), "-r requires an argument");
        assert_eq!(error_of("-r -"), "-r requires an argument");
        assert_eq!(error_of("--title="), "--title= requires an argument");
        assert_eq!(error_of("-pe"), "--eval requires an argument");
        assert_eq!(error_of("--max-old-space-size=x"), "bad option: --max-old-space-size=x");
        assert_eq!(error_of("--check -e 1"), "either --check or --eval can be used, not both");
        assert_eq!(read(Some("-e 1"), Vec::new()).unwrap_err(), "-e is not allowed in NODE_OPTIONS");
        assert_eq!(read(Some("--eval=1"), Vec::new()).unwrap_err(), "--eval= is not allowed in NODE_OPTIONS");
        assert_eq!(read(Some("--require \"\""), Vec::new()).unwrap_err(), "--require requires an argument");
        let long = format!("--{}", "x".repeat(1 << 20));
        assert_eq!(error_of(&long), format!("bad option: {long}"));
    }

    #[test]
    fn a_backslash_escapes_a_dash() {
        assert_eq!(read(None, words("-e \\-1")).unwrap().eval.as_deref(), Some("-1"));
        assert_eq!(read(None, words("-p \\-1")).unwrap().eval.as_deref(), Some("-1"));
        assert_eq!(read(None, words("--title \\x")).unwrap().flags, ["--title=\\x"]);
    }

    #[test]
    fn flags_that_only_node_has_are_ignored_in_the_environment() {
        let text =
            "--inspect=0 --tls-keylog file --no-addons --inspect --v8-pool-size=2 word --title=x - --report_signal X";
        let parsed = read(Some(text), Vec::new()).unwrap();
        assert_eq!(parsed.ignored, ["--inspect", "--tls-keylog", "--no-addons", "--v8-pool-size", "--report-signal"]);
        assert_eq!(parsed.flags, ["--title=x"]);
        let error_of = |text: &str| read(Some(text), Vec::new()).unwrap_err();
        assert_eq!(error_of("--tls-keylog"), "--tls-keylog requires an argument");
        assert_eq!(error_of("--tls-keylog="), "--tls-keylog= requires an argument");
        assert_eq!(
            error_of("--no-tls-keylog"),
            "--no-tls-keylog is an invalid negation because it is not a boolean option"
        );
        for word in ["--foo", "--harmony", "--test", "--", "-p"] {
            assert_eq!(error_of(word), format!("{word} is not allowed in NODE_OPTIONS"));
        }
    }

    #[test]
    fn the_table_agrees_with_node() {
        assert!(FLAGS.is_sorted_by_key(|flag| flag.name));
        let own = ["blocked", "completion-fish", "completion-zsh", "man", "metrics"];
        // Options of V8 that Node lists twice or not at all.
        let of_v8 = ["max-old-space-size", "max-semi-space-size", "stack-size"];
        for flag in FLAGS.iter().filter(|flag| !own.contains(&flag.name)) {
            let of_node = node_flags::exact(flag.name).unwrap_or_else(|| panic!("{} is no flag of Node", flag.name));
            assert_eq!(of_node.in_environment, flag.in_environment, "{}", flag.name);
            assert!(of_node.takes_value == flag.takes.value() || of_v8.contains(&flag.name), "{}", flag.name);
        }
    }

    #[test]
    fn distances_count_edits() {
        for (one, other, edits) in
            [("", "ab", 2), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("abcd", "xbcy", 2)]
        {
            assert_eq!(distance(one, other), edits, "{one} {other}");
        }
    }

    #[test]
    fn allowed_node_environment_flags_lists_the_environment_options() {
        let more = (phasor_node::builtins().find)("internal/process/rare").unwrap();
        for flag in FLAGS {
            let listed = (more.source)().contains(&format!("'--{}'", flag.name));
            assert_eq!(listed, flag.in_environment, "{}", flag.name);
        }
    }

    #[test]
    fn node_options_precede_the_command_line() {
        let parsed = read(Some(r#"--warnings "--title=a \"b" "#), words("--no-warnings -")).unwrap();
        assert_eq!(parsed.value("title"), Some("a \"b"));
        assert!(!parsed.has("warnings"));
        assert_eq!(parsed.exec_argv, ["--no-warnings"]);
        assert_eq!(parsed.args, ["-"]);
        assert!(read(Some("\"a"), Vec::new()).unwrap_err().contains("unterminated"));
    }
}
