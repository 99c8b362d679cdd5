//! One script: reading its files, running it, and comparing its output. The list of all scripts is in `lib.rs`.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::Runtime;
use crate::processes::{self, Ended, Fate};

/// The subject of a script, which decides the environment that it runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// The order of callbacks: `conformance/order`, whose README describes the files. Standard output is a file, so that
    /// writes are synchronous. Comments at the head of the script set flags and environment variables.
    Order,
    /// The behaviour of Node's modules: the other folders. Standard output is a pipe. Head comments are not read.
    Modules,
}

impl Suite {
    /// How long a script may take.
    fn limit(self) -> Duration {
        match self {
            Suite::Order => Duration::from_secs(10),
            Suite::Modules => Duration::from_secs(60),
        }
    }
}

/// A script, with the settings in its head comment and what the files beside it expect.
#[derive(Debug)]
pub struct Script {
    /// Its folder and file name: `order/001-seed-cjs.js`.
    pub name: String,
    suite: Suite,
    path: PathBuf,
    flags: Vec<String>,
    env: Vec<(String, String)>,
    /// The expected exit code.
    code: i32,
    /// Texts that standard error must contain.
    errors: Vec<String>,
    /// The outputs that are legal.
    legal: Vec<String>,
}

/// What a script did.
#[derive(Debug)]
struct Run {
    /// The exit code; 128 and the signal's number if a signal ended it.
    code: i32,
    stdout: String,
    stderr: String,
}

impl Run {
    fn first_error(&self) -> &str {
        self.stderr.lines().find(|line| !line.is_empty()).unwrap_or_default()
    }
}

impl Script {
    /// Reads a script and the files beside it. None if the file is not a script, or has no recorded output.
    pub(crate) fn read(path: &Path, suite: Suite) -> io::Result<Option<Script>> {
        let (any, out) = (path.with_extension("any"), path.with_extension("out"));
        let is_script = path.extension().is_some_and(|ending| ["js", "mjs", "ts"].iter().any(|known| ending == *known));
        if !is_script || !(any.exists() || out.exists()) {
            return Ok(None);
        }
        let legal = if any.exists() { legal_outputs(&read_text(&any)?) } else { vec![read_text(&out)?] };
        let parts: Vec<_> = path.iter().rev().take(2).map(|part| part.to_string_lossy().into_owned()).collect();
        let name = parts.into_iter().rev().collect::<Vec<_>>().join("/");
        let (flags, env) = head_of(&read_text(path)?);
        let code_file = path.with_extension("code");
        let (code, errors) = match code_file.exists() {
            true => exit_of(&read_text(&code_file)?)
                .ok_or_else(|| io::Error::other(format!("{} does not begin with an exit code", code_file.display())))?,
            false => (0, Vec::new()),
        };
        Ok(Some(Script { name, suite, path: path.to_owned(), flags, env, code, errors, legal }))
    }

    /// Whether several outputs are legal.
    pub(crate) fn has_choice(&self) -> bool {
        self.legal.len() > 1
    }

    /// An output that is legal.
    #[cfg(test)]
    pub(crate) fn legal_output(&self) -> &str {
        &self.legal[0]
    }

    /// Runs the script once. Returns how its output or exit code differs from the expected one, or None.
    pub(crate) fn fault(&self, runtime: &Runtime) -> io::Result<Option<String>> {
        let scratch = processes::scratch()?;
        let outcome = self.fault_in(runtime, &scratch);
        let _ = fs::remove_dir_all(&scratch);
        outcome
    }

    fn fault_in(&self, runtime: &Runtime, scratch: &Path) -> io::Result<Option<String>> {
        let ours = match self.run(&runtime.program, &scratch.join("ours"))? {
            Ok(ours) => ours,
            Err(fault) => return Ok(Some(fault)),
        };
        let Some(node) = &runtime.reference else {
            return Ok(self.fault_by_record(&ours));
        };
        Ok(match self.run(node, &scratch.join("theirs"))? {
            Ok(theirs) => self.fault_by_reference(&ours, &theirs),
            Err(fault) => Some(format!("{fault} on Node")),
        })
    }

    fn fault_by_record(&self, ours: &Run) -> Option<String> {
        if ours.code != self.code {
            return Some(format!("ended with {}, not {}: {}", ours.code, self.code, ours.stderr));
        }
        if !self.legal.contains(&ours.stdout) {
            let closest = self.legal.iter().max_by_key(|legal| lines_in_common(legal, &ours.stdout))?;
            return Some(difference("recorded", closest, &ours.stdout) + &ours.stderr);
        }
        self.missing_error(ours)
    }

    /// Compares with a Node of today. The recorded outputs matter only if there are several: each runtime may then print
    /// another one of them.
    fn fault_by_reference(&self, ours: &Run, theirs: &Run) -> Option<String> {
        if ours.code != theirs.code {
            return Some(format!("ended with {}, Node with {}: {}", ours.code, theirs.code, ours.stderr));
        }
        let both_legal = || self.has_choice() && [ours, theirs].iter().all(|run| self.legal.contains(&run.stdout));
        if ours.stdout != theirs.stdout && !both_legal() {
            return Some(difference("Node", &theirs.stdout, &ours.stdout) + &ours.stderr);
        }
        // Error texts contain paths and versions: compare only what is recorded as essential, and where Node still prints it.
        self.missing_error(ours).filter(|_| self.missing_error(theirs).is_none())
    }

    fn missing_error(&self, run: &Run) -> Option<String> {
        let missing = self.errors.iter().find(|text| !run.stderr.contains(text.as_str()))?;
        Some(format!("standard error lacks {missing:?}: {}", run.first_error()))
    }

    /// Runs the script on `program` in a new folder. The inner error is the fault of a script that exceeds its limit.
    fn run(&self, program: &Path, scratch: &Path) -> io::Result<Result<Run, String>> {
        let folder = scratch.join("t");
        fs::create_dir_all(&folder)?;
        let folder = folder.canonicalize()?;
        let mut command = Command::new(program);
        command.args(&self.flags).arg(&self.path).current_dir(&folder).stdin(Stdio::null());
        command.env_remove("FORCE_COLOR").env_remove("NODE_OPTIONS");
        let limit = self.suite.limit();
        let (out, err) = (scratch.join("out"), scratch.join("err"));
        let ended = match self.suite {
            Suite::Order => {
                let pipes = (0..8).map(|number| folder.join(format!("p{number}")));
                if !Command::new("mkfifo").args(pipes).status()?.success() {
                    return Err(io::Error::other("mkfifo failed"));
                }
                command.env("CONF_TMP", &folder).env("NO_COLOR", "1");
                command.envs(self.env.iter().map(|(key, value)| (key, value)));
                command.stdout(File::create(&out)?).stderr(File::create(&err)?);
                let fate = processes::run(&mut command, limit)?.fate;
                Ended { fate, stdout: fs::read(&out)?, stderr: fs::read(&err)? }
            }
            Suite::Modules => {
                command.env("TZ", "UTC").env("LC_ALL", "C.UTF-8").stdout(Stdio::piped()).stderr(Stdio::piped());
                processes::run(&mut command, limit)?
            }
        };
        processes::kill_in(&folder);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(match ended.fate {
            Fate::Ended(status) => {
                Ok(Run { code: code_of(status), stdout: text(&ended.stdout), stderr: text(&ended.stderr) })
            }
            Fate::Late => Err(format!("did not end within {} s", limit.as_secs())),
            Fate::OutputHeld => Err(format!("a child process held its output open for {} s", limit.as_secs())),
        })
    }
}

/// The text of a file. The error names the file.
fn read_text(path: &Path) -> io::Result<String> {
    fs::read_to_string(path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

fn code_of(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// The exit code and the texts on standard error that a `.code` file expects. None if it does not begin with a number.
fn exit_of(text: &str) -> Option<(i32, Vec<String>)> {
    let code = text.lines().next()?.trim().parse().ok()?;
    Some((code, text.lines().filter_map(|line| line.strip_prefix("stderr: ")).map(str::to_owned).collect()))
}

/// The flags and the environment that the comments in the first lines of a script ask for.
fn head_of(text: &str) -> (Vec<String>, Vec<(String, String)>) {
    let (mut flags, mut env) = (Vec::new(), Vec::new());
    for line in text.lines().take(6) {
        if let Some(rest) = line.strip_prefix("// flags:") {
            flags = rest.split_whitespace().map(str::to_owned).collect();
        } else if let Some(rest) = line.strip_prefix("// env:") {
            let pair = |word: &str| word.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
            env = rest.split_whitespace().filter_map(pair).collect();
        }
    }
    (flags, env)
}

/// Counts the lines at the beginning that are the same, with what ends them.
fn lines_in_common(one: &str, other: &str) -> usize {
    one.split_inclusive('\n').zip(other.split_inclusive('\n')).take_while(|(a, b)| a == b).count()
}

/// Two texts from their first different line on, a few lines of each. A carriage return and a missing newline at the end are shown.
pub fn difference(label: &str, expected: &str, printed: &str) -> String {
    let same = lines_in_common(expected, printed);
    let shown = |line: &str| match line.strip_suffix('\n') {
        Some(line) => line.replace('\r', "\\r"),
        None => format!("{} (no newline)", line.replace('\r', "\\r")),
    };
    let excerpt = |mark: &str, text: &str| -> String {
        let lines = text.split_inclusive('\n').skip(same).take(EXCERPT_LINES);
        lines.map(|line| format!("  {mark:<9} {}\n", shown(line))).collect()
    };
    format!("line {}:\n{}{}", same + 1, excerpt(label, expected), excerpt("printed", printed))
}

/// How many lines of each text a difference shows.
const EXCERPT_LINES: usize = 12;

/// The outputs of an `.any` file, separated by lines of `---`.
fn legal_outputs(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut one = String::new();
    for line in text.lines() {
        if line == "---" {
            all.push(std::mem::take(&mut one));
        } else {
            one.push_str(line);
            one.push('\n');
        }
    }
    all.push(one);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(legal: &[&str], errors: &[&str]) -> Script {
        let own = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (name, path) = ("1.js".to_owned(), PathBuf::from("1.js"));
        let suite = Suite::Order;
        Script { name, suite, path, flags: vec![], env: vec![], code: 0, errors: own(errors), legal: own(legal) }
    }

    fn run(code: i32, stdout: &str, stderr: &str) -> Run {
        Run { code, stdout: stdout.to_owned(), stderr: stderr.to_owned() }
    }

    #[test]
    fn legal_outputs_are_separated_by_dashes() {
        assert_eq!(legal_outputs("a\nb\n---\nb\na\n"), ["a\nb\n", "b\na\n"]);
    }

    #[test]
    fn a_code_file_begins_with_a_number() {
        assert_eq!(exit_of("7\nstderr: Error: a\nstderr: b\n"), Some((7, vec!["Error: a".to_owned(), "b".to_owned()])));
        assert_eq!(exit_of("stderr: Error\n"), None);
        assert_eq!(exit_of(""), None);
    }

    #[test]
    fn head_comments_set_flags_and_environment() {
        let (flags, env) = head_of("// rules: R1\n// flags: --expose-gc -r x\n// env: A=1 B=\n");
        assert_eq!(flags, ["--expose-gc", "-r", "x"]);
        assert_eq!(env, [("A".to_owned(), "1".to_owned()), ("B".to_owned(), String::new())]);
        assert!(head_of(&("\n".repeat(6) + "// flags: --late\n")).0.is_empty());
    }

    #[test]
    fn a_difference_starts_at_its_line() {
        let text = difference("Node", "a\nb\nc\n", "a\nx\n");
        assert_eq!(text, "line 2:\n  Node      b\n  Node      c\n  printed   x\n");
        assert_eq!(difference("Node", "a\n", "a"), "line 1:\n  Node      a\n  printed   a (no newline)\n");
        assert_eq!(difference("Node", "a\n", "a\r\n"), "line 1:\n  Node      a\n  printed   a\\r\n");
    }

    #[test]
    fn the_record_decides_over_code_output_and_errors() {
        let script = script(&["a\n", "b\n"], &["Oops"]);
        assert_eq!(script.fault_by_record(&run(0, "b\n", "an Oops\n")), None);
        assert!(script.fault_by_record(&run(1, "b\n", "an Oops\n")).unwrap().starts_with("ended with 1, not 0"));
        assert!(script.fault_by_record(&run(0, "c\n", "an Oops\n")).unwrap().starts_with("line 1:"));
        assert!(script.fault_by_record(&run(0, "a\n", "")).unwrap().contains("lacks \"Oops\""));
    }

    #[test]
    fn the_reference_decides() {
        let one = script(&["a\n"], &[]);
        assert_eq!(one.fault_by_reference(&run(0, "new\n", ""), &run(0, "new\n", "")), None);
        assert!(one.fault_by_reference(&run(0, "a\n", ""), &run(0, "new\n", "")).is_some());
        assert!(one.fault_by_reference(&run(0, "a\n", ""), &run(7, "a\n", "")).is_some());
        let many = script(&["a\n", "b\n"], &["Oops"]);
        assert_eq!(many.fault_by_reference(&run(0, "a\n", "Oops"), &run(0, "b\n", "Oops")), None);
        assert!(many.fault_by_reference(&run(0, "a\n", "Oops"), &run(0, "c\n", "Oops")).is_some());
        assert!(many.fault_by_reference(&run(0, "a\n", ""), &run(0, "b\n", "Oops")).is_some());
    }
}
