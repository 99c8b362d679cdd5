//! The output of `--help` and `--version`. The flags are in `table.rs`.

use crate::commands::COMMANDS;
use crate::table::{EXAMPLES, FLAGS, Flag, VARIABLES};

/// The Node version that this program is compatible with.
pub(crate) const NODE_VERSION: &str = "v22.23.3";

/// The column of the descriptions.
const INDENT: usize = 30;

/// The maximum line width.
const WIDTH: usize = 80;

/// The text of `--help`.
pub(crate) fn help() -> String {
    let mut text = String::from(
        "Usage: phasor [options] [ script.js ] [arguments]\n       phasor [options] -e CODE [arguments]\n       phasor COMMAND ...\n\n\
         Runs JavaScript with Node's event loop. Without a script, the program is read from\n\
         standard input; on a terminal that is a prompt.\n\nCommands, unless a file has this name; `phasor COMMAND --help` says more:\n",
    );
    for command in COMMANDS {
        entry(&mut text, command.name, command.summary);
    }
    text.push_str("\nOptions:\n");
    entry(&mut text, "-", "script read from stdin (default if no file name is provided)");
    entry(&mut text, "--", "indicate the end of options");
    for flag in FLAGS.iter().filter(|flag| !flag.help.is_empty()) {
        entry(&mut text, &synopsis(flag), flag.help);
    }
    text.push_str("\nEnvironment variables:\n");
    for (name, what) in VARIABLES {
        entry(&mut text, name, what);
    }
    text.push_str("\nExamples:\n");
    for (command, what) in EXAMPLES {
        text.push_str(&format!("  # {what}\n  {command}\n"));
    }
    text
}

/// A flag with its alias and a placeholder for its value.
fn synopsis(flag: &Flag) -> String {
    let short = if flag.short.is_empty() { String::new() } else { format!("{}, ", flag.short) };
    let value = match flag.name {
        "print" => " [...]",
        _ if flag.takes.value() => "=...",
        _ => "",
    };
    format!("{short}{}{value}", flag.shown())
}

/// Appends sentences, wrapped.
pub(crate) fn paragraph(text: &mut String, sentences: &str) {
    let mut width = 0;
    for word in sentences.split_whitespace() {
        let length = word.chars().count();
        if width > 0 {
            let fits = width + 1 + length <= WIDTH;
            text.push(if fits { ' ' } else { '\n' });
            width = if fits { width + 1 } else { 0 };
        }
        text.push_str(word);
        width += length;
    }
    text.push('\n');
}

/// Appends a name and its description, wrapped.
pub(crate) fn entry(text: &mut String, name: &str, what: &str) {
    let mut line = format!("  {name}");
    if line.len() + 2 > INDENT {
        text.push_str(&line);
        text.push('\n');
        line.clear();
    }
    line.push_str(&" ".repeat(INDENT - line.len()));
    for word in what.split(' ') {
        if line.len() + word.len() > WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            line = " ".repeat(INDENT);
        }
        line.push_str(word);
        line.push(' ');
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

/// The text of `--version`. Called under the name `node`, it is Node's version.
pub(crate) fn version(argv0: &str) -> String {
    match argv0.rsplit('/').next() {
        Some("node") => NODE_VERSION.to_owned(),
        _ => format!("phasor {} (Node.js {NODE_VERSION})", env!("CARGO_PKG_VERSION")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_is_as_wide_as_a_terminal() {
        let text = help();
        let options = text.split("\nExamples:\n").next().unwrap();
        assert!(options.lines().skip(8).all(|line| line.len() <= WIDTH && line.trim_end() == line), "{text}");
        assert!(text.contains("\n  -r, --require=...           CommonJS module to preload (option can be\n                              repeated)\n"));
        assert!(text.contains("\n  --no-warnings               silence all process warnings\n"));
    }
}
