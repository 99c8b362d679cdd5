//! Completion scripts for bash, zsh and fish, generated from the table of flags. `--completion-SHELL` prints one, and the shell reads it
//! with `source <(phasor --completion-bash)`.

use crate::commands::COMMANDS;
use crate::table::{ALIASES, FLAGS, Flag, ValueKind};

/// The name of the completed command.
const PROGRAM: &str = "phasor";

/// The completion script for a shell.
pub(crate) fn script(shell: Shell) -> String {
    match shell {
        Shell::Bash => bash(),
        Shell::Zsh => zsh(),
        Shell::Fish => fish(),
    }
}

/// A shell with completion scripts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Shell {
    /// All shells, with the names of their flags.
    pub(crate) const ALL: [(&str, Shell); 3] =
        [("completion-bash", Shell::Bash), ("completion-zsh", Shell::Zsh), ("completion-fish", Shell::Fish)];
}

/// All names of all flags with their dashes. With `values`, a flag that takes a value ends with `=`.
fn names(values: bool) -> Vec<String> {
    let mut names = vec!["--".to_owned()];
    for flag in FLAGS {
        names.extend((!flag.short.is_empty()).then(|| flag.short.to_owned()));
        names.push(format!("--{}{}", flag.name, if values && flag.takes.value() { "=" } else { "" }));
        names.extend((flag.takes == ValueKind::NoValue).then(|| format!("--no-{}", flag.name)));
    }
    names.extend(ALIASES.iter().map(|(alias, _)| (*alias).to_owned()));
    names
}

/// The names of the commands.
fn commands() -> String {
    COMMANDS.iter().map(|command| command.name).collect::<Vec<_>>().join(" ")
}

/// The flags with a fixed list of values.
fn choices() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    FLAGS.iter().filter_map(|flag| match flag.takes {
        ValueKind::OneOf(words) => Some((flag.name, words)),
        _ => None,
    })
}

fn bash() -> String {
    // bash splits words at `=`: the flag is two words before the value, or one word if the value is empty.
    let mut cases = String::new();
    for (name, words) in choices() {
        cases.push_str(&format!(
            "    --{name}) COMPREPLY=( $(compgen -W '{}' -- \"$value\") ); return ;;\n",
            words.join(" ")
        ));
    }
    format!(
        "# Completion of {PROGRAM} for bash, made by `{PROGRAM} --completion-bash`.
_{PROGRAM}_complete() {{
  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" name='' value=''
  COMPREPLY=()
  if [[ $word == = ]]; then
    name=\"${{COMP_WORDS[COMP_CWORD-1]}}\"
  elif [[ COMP_CWORD -ge 2 && ${{COMP_WORDS[COMP_CWORD-1]}} == = ]]; then
    name=\"${{COMP_WORDS[COMP_CWORD-2]}}\"
    value=$word
  elif [[ COMP_CWORD -ge 1 && $word != -* ]]; then
    name=\"${{COMP_WORDS[COMP_CWORD-1]}}\"
    value=$word
  fi
  case \"$name\" in
{cases}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=( $(compgen -W '{}' -- \"$word\") )
    if [[ ${{#COMPREPLY[@]}} -eq 1 && ${{COMPREPLY[0]}} == *= ]]; then
      compopt -o nospace
    fi
    return
  fi
  compopt -o filenames
  # A name may have spaces.
  mapfile -t COMPREPLY < <(compgen -f -- \"$value\")
  if [[ COMP_CWORD -eq 1 ]]; then
    COMPREPLY+=( $(compgen -W '{}' -- \"$word\") )
  fi
}}
complete -F _{PROGRAM}_complete {PROGRAM}
",
        names(true).join(" "),
        commands()
    )
}

/// A description with a backslash before each character in `special`.
fn escaped(text: &str, special: &[char]) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if special.contains(&letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

fn zsh() -> String {
    // In single quotes, a quote is written as '\''; brackets and colons separate the description from the rest.
    let quoted = |text: &str| escaped(text, &['[', ']', ':', '\\']).replace('\'', "'\\''");
    let value = |flag: &Flag| match flag.takes {
        ValueKind::File => ":file:_files".to_owned(),
        ValueKind::OneOf(words) => format!(":value:({})", words.join(" ")),
        ValueKind::Text => ":text: ".to_owned(),
        ValueKind::Number | ValueKind::V8Number => ":number: ".to_owned(),
        ValueKind::NoValue | ValueKind::AlwaysOn | ValueKind::Action => String::new(),
    };
    let mut specs = String::new();
    for flag in FLAGS {
        let described = if flag.help.is_empty() { String::new() } else { format!("[{}]", quoted(flag.help)) };
        // `-e CODE` and `--eval=CODE`; a flag may be repeated.
        let (between, short) = match flag.takes.value() {
            true => ("=", "+"),
            false => ("", ""),
        };
        let own = if flag.on_by_default { String::new() } else { described.clone() };
        specs.push_str(&format!("  '*--{}{between}{own}{}'\n", flag.name, value(flag)));
        if !flag.short.is_empty() {
            let short = if flag.name == "print" { "" } else { short };
            specs.push_str(&format!("  '*{}{short}{own}{}'\n", flag.short, value(flag)));
        }
        if flag.takes == ValueKind::NoValue {
            let off = if flag.on_by_default { described } else { String::new() };
            specs.push_str(&format!("  '*--no-{}{off}'\n", flag.name));
        }
    }
    format!(
        "#compdef {PROGRAM}
# Completion of {PROGRAM} for zsh, made by `{PROGRAM} --completion-zsh`.
_{PROGRAM}() {{
  local -a flags
  flags=(
{}  )
  _arguments -S $flags '1:script:{{_files; compadd {}}}' '*::argument:_files'
}}
if [[ $funcstack[1] == _{PROGRAM} ]]; then
  _{PROGRAM} \"$@\"
else
  compdef _{PROGRAM} {PROGRAM}
fi
",
        specs.replace("\n  '", "\n    '").replacen("  '", "    '", 1),
        commands()
    )
}

fn fish() -> String {
    let quoted = |text: &str| format!("'{}'", escaped(text, &['\\', '\'']));
    let mut out = format!("# Completion of {PROGRAM} for fish, made by `{PROGRAM} --completion-fish`.\n");
    for command in COMMANDS {
        let described = quoted(command.summary);
        out.push_str(&format!("complete -c {PROGRAM} -n __fish_use_subcommand -a {} -d {described}\n", command.name));
    }
    for flag in FLAGS {
        let short = flag.short.strip_prefix('-').map(|letter| format!(" -s {letter}")).unwrap_or_default();
        let value = match flag.takes {
            ValueKind::File => " -r -F".to_owned(),
            ValueKind::OneOf(words) => format!(" -x -a {}", quoted(&words.join(" "))),
            ValueKind::Text | ValueKind::Number | ValueKind::V8Number => " -x".to_owned(),
            ValueKind::NoValue | ValueKind::AlwaysOn | ValueKind::Action => String::new(),
        };
        let described = if flag.help.is_empty() { String::new() } else { format!(" -d {}", quoted(flag.help)) };
        let (own, off) = if flag.on_by_default { ("", described.as_str()) } else { (described.as_str(), "") };
        out.push_str(&format!("complete -c {PROGRAM}{short} -l {}{value}{own}\n", flag.name));
        if flag.takes == ValueKind::NoValue {
            out.push_str(&format!("complete -c {PROGRAM} -l no-{}{off}\n", flag.name));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_have_every_flag() {
        for (_, shell) in Shell::ALL {
            let text = script(shell);
            for flag in FLAGS {
                let name = if shell == Shell::Fish { format!("-l {}", flag.name) } else { format!("--{}", flag.name) };
                assert!(text.contains(&name), "{shell:?} {name}");
            }
        }
    }
}
