//! The man page, which `--man` prints as roff with the macros of man(7). The flags are in `table.rs`.

use crate::commands::{COMMANDS, CommandInfo};
use crate::help::NODE_VERSION;
use crate::table::{ALIASES, EXAMPLES, FLAGS, Flag, VARIABLES, ValueKind};

/// The date of the last change of the page's text.
const DATE: &str = "2026-11-18";

/// The maximum line width of the roff source.
const WIDTH: usize = 78;

/// The text of the page.
pub(crate) fn page() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut page = format!(
        ".\\\" Made by `phasor --man`.\n.TH PHASOR 1 {DATE} \"phasor {version}\" \"User Commands\"\n\
         .SH NAME\nphasor \\- run JavaScript with Node's event loop and Node's core modules\n\
         .SH SYNOPSIS\n.B phasor\n.RI [ options ]\n.RI [ script.js ]\n.RI [ arguments ]\n.br\n\
         .B phasor\n.RI [ options ]\n.B \\-e\n.I code\n.RI [ arguments ]\n.br\n\
         .B phasor\n.I command\n.RI [ arguments ]\n\
         .SH DESCRIPTION\n"
    );
    page.push_str(&line(&format!(
        "phasor runs programs that are written for Node.js {NODE_VERSION}: with its order of events, its modules and its errors. \
         Without a script, the program is read from standard input; on a terminal that is a prompt."
    )));
    page.push_str(".SH COMMANDS\n");
    page.push_str(&line(
        "A first argument that is the name of a command and of no file runs the command; ./name runs a file.",
    ));
    for command in COMMANDS {
        commands_entry(&mut page, command);
    }
    page.push_str(".SH OPTIONS\n");
    entry(&mut page, &[strong("-")], "script read from stdin (default if no file name is provided)");
    entry(&mut page, &[strong("--")], "indicate the end of options");
    for flag in FLAGS.iter().filter(|flag| !flag.help.is_empty()) {
        entry(&mut page, &forms(flag), flag.help);
    }
    let silent: Vec<_> = FLAGS.iter().filter(|flag| flag.help.is_empty()).map(|flag| strong(&flag.shown())).collect();
    page.push_str(".PP\nAccepted because programs for Node pass them:\n");
    page.push_str(&format!("{}.\n", silent.join(",\n")));
    page.push_str(".PP\n");
    page.push_str(&line(
        "A flag of Node that phasor does not have is refused on the command line, and ignored with a warning in NODE_OPTIONS.",
    ));
    page.push_str(".SH ENVIRONMENT\n");
    for (name, what) in VARIABLES {
        entry(&mut page, &[strong(name)], what);
    }
    page.push_str(".SH EXIT STATUS\n");
    for (code, what) in STATUSES {
        entry(&mut page, &[strong(code)], what);
    }
    page.push_str(".SH EXAMPLES\n");
    for (at, (command, what)) in EXAMPLES.iter().enumerate() {
        let paragraph = if at == 0 { "" } else { ".PP\n" };
        page.push_str(&format!(
            "{paragraph}{}.PP\n.in +4n\n.nf\n{}\n.fi\n.in\n",
            line(&capitalized(&format!("{what}:"))),
            escaped(command)
        ));
    }
    page.push_str(".SH SEE ALSO\n.BR node (1)\n");
    page
}

/// A command: how it is called, what it does, its options and examples.
fn commands_entry(page: &mut String, command: &CommandInfo) {
    for usage in command.usage {
        page.push_str(&format!(".PP\n\\fBphasor {}\\fR {}\n", command.name, escaped(usage)));
    }
    page.push_str(".PP\n.RS\n");
    page.push_str(&line(command.details));
    for (option, what) in command.options {
        entry(page, &[strong(option)], what);
    }
    for (example, what) in command.examples {
        page.push_str(&format!(
            ".PP\n{}.PP\n.in +4n\n.nf\n{}\n.fi\n.in\n",
            line(&capitalized(&format!("{what}:"))),
            escaped(example)
        ));
    }
    page.push_str(".RE\n");
}

/// Exit codes and their meanings, as `process.exitCode` in Node.
const STATUSES: &[(&str, &str)] = &[
    ("0", "The program ended and nothing is left to do."),
    ("1", "An exception was not caught."),
    ("7", "A handler of uncaught exceptions threw."),
    ("9", "An option is wrong."),
    ("13", "A top-level await never settled."),
    (">128", "A signal ended the program: 128 and its number, as the shell shows it."),
];

/// The forms of a flag in bold, with their values in italics.
fn forms(flag: &Flag) -> Vec<String> {
    let value = match flag.takes {
        ValueKind::File => "file",
        ValueKind::OneOf(_) | ValueKind::Text => {
            if flag.name == "eval" {
                "code"
            } else {
                "value"
            }
        }
        ValueKind::Number | ValueKind::V8Number => "number",
        ValueKind::NoValue | ValueKind::AlwaysOn | ValueKind::Action => "",
    };
    let valued = |between: &str, name: &str| match value {
        "" => strong(name),
        _ => format!("{}{between}\\fI{value}\\fR", strong(name)),
    };
    let short = (!flag.short.is_empty()).then(|| valued(" ", flag.short));
    let alias = ALIASES.iter().find(|(alias, long)| alias.starts_with("--") && long[2..] == *flag.name);
    let alias = alias.map(|(alias, _)| valued("=", alias));
    short.into_iter().chain([valued("=", &flag.shown())]).chain(alias).collect()
}

/// A name in bold.
fn strong(text: &str) -> String {
    format!("\\fB{}\\fR", escaped(text))
}

/// A tagged paragraph.
fn entry(page: &mut String, forms: &[String], what: &str) {
    page.push_str(&format!(
        ".TP\n{}\n{}",
        forms.join(", "),
        line(&format!("{}.", capitalized(what.trim_end_matches('.'))))
    ));
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// A text, wrapped. A period or quote at the start of a line is escaped, because it would be a roff request.
fn line(text: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        let between = match length {
            0 => "",
            _ if length + word.len() < WIDTH => " ",
            _ => "\n",
        };
        length = if between == " " { length + 1 + word.len() } else { word.len() };
        let guard = if between != " " && word.starts_with(['.', '\'']) { "\\&" } else { "" };
        out.push_str(&format!("{between}{guard}{}", escaped(word)));
    }
    out.push('\n');
    out
}

/// Escapes the characters with a meaning in roff. Hyphens become ASCII, so that examples can be copied.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\(rs").replace('-', "\\-").replace('\'', "\\(aq").replace('`', "\\(ga").replace('^', "\\(ha")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_does_not_start_a_roff_request() {
        let page = page();
        let requests =
            [".\\\"", ".TH", ".SH", ".RS", ".RE", ".B", ".RI", ".I", ".BR", ".TP", ".PP", ".br", ".in", ".nf", ".fi"];
        for line in page.lines().filter(|line| line.starts_with(['.', '\''])) {
            assert!(requests.contains(&line.split(' ').next().unwrap()), "{line}");
        }
        assert!(
            page.contains("\n.TP\n\\fB\\-r\\fR \\fIfile\\fR, \\fB\\-\\-require\\fR=\\fIfile\\fR\nCommonJS module"),
            "{page}"
        );
        assert_eq!(line(".a 'b"), "\\&.a \\(aqb\n");
    }
}
