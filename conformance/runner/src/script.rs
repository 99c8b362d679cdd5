//! One script: what its files say, how it is run, and why it is at fault. Which scripts there are is not known here.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Runtimes;

/// How long a script may take.
const LIMIT: Duration = Duration::from_secs(10);

/// Everything that a script's head, its code file and its output files say.
#[derive(Debug)]
pub struct Script {
    /// The file's name.
    pub name: String,
    path: PathBuf,
    flags: Vec<String>,
    env: Vec<(String, String)>,
    code: i32,
    /// What standard error must hold.
    errors: Vec<String>,
    /// The outputs that are legal.
    legal: Vec<String>,
}

/// What a script did.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; 128 and the signal's number if one ended it.
    pub code: i32,
    /// What it printed.
    pub stdout: String,
    /// What it complained of.
    pub stderr: String,
}

impl Ran {
    fn first_error(&self) -> &str {
        self.stderr.lines().find(|line| !line.is_empty()).unwrap_or_default()
    }
}

impl Script {
    /// Reads a script and the files beside it; nothing if the file is no script with a record.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Script>> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_script = path.extension().is_some_and(|ending| ending == "js" || ending == "mjs");
        let (any, out) = (path.with_extension("any"), path.with_extension("out"));
        if !is_script || !name.starts_with(|first: char| first.is_ascii_digit()) || !(any.exists() || out.exists()) {
            return Ok(None);
        }
        let legal = if any.exists() { legal_ones(&fs::read_to_string(any)?) } else { vec![fs::read_to_string(out)?] };
        let text = fs::read_to_string(path)?;
        let (mut flags, mut env) = (Vec::new(), Vec::new());
        for line in text.lines().take(6) {
            if let Some(rest) = line.strip_prefix("// flags:") {
                flags = rest.split_whitespace().map(str::to_owned).collect();
            } else if let Some(rest) = line.strip_prefix("// env:") {
                let pair = |word: &str| word.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
                env = rest.split_whitespace().filter_map(pair).collect();
            }
        }
        let code_file = fs::read_to_string(path.with_extension("code")).unwrap_or_default();
        let code = code_file.lines().next().and_then(|line| line.trim().parse().ok()).unwrap_or(0);
        let errors = code_file.lines().filter_map(|line| line.strip_prefix("stderr: ")).map(str::to_owned).collect();
        Ok(Some(Script { name, path: path.to_owned(), flags, env, code, errors, legal }))
    }

    /// Whether several outputs are legal.
    pub(crate) fn has_choice(&self) -> bool {
        self.legal.len() > 1
    }

    /// Why the script does not do what it should; nothing if it does.
    pub(crate) fn fault(&self, runtimes: Runtimes<'_>, scratch: &Path) -> io::Result<Option<String>> {
        let Some(ours) = self.run(runtimes.program, &scratch.join("ours"))? else {
            return Ok(Some("takes too long".to_owned()));
        };
        let Some(node) = runtimes.against else {
            return Ok(self.fault_by_record(&ours));
        };
        Ok(match self.run(node, &scratch.join("theirs"))? {
            Some(theirs) => self.fault_by_other(&ours, &theirs),
            None => Some("Node takes too long".to_owned()),
        })
    }

    fn fault_by_record(&self, ours: &Ran) -> Option<String> {
        if ours.code != self.code {
            return Some(format!("ended with {}, not {}: {}", ours.code, self.code, ours.first_error()));
        }
        if !self.legal.contains(&ours.stdout) {
            return Some(format!("printed\n{}and not\n{}{}", ours.stdout, self.legal.join("or\n"), ours.first_error()));
        }
        self.lacks(ours)
    }

    /// What is recorded matters here only where Node may print this or that: then each may print its own.
    fn fault_by_other(&self, ours: &Ran, theirs: &Ran) -> Option<String> {
        if ours.code != theirs.code {
            return Some(format!("ended with {}, Node with {}: {}", ours.code, theirs.code, ours.first_error()));
        }
        let both_legal = || self.legal.len() > 1 && [ours, theirs].iter().all(|ran| self.legal.contains(&ran.stdout));
        if ours.stdout != theirs.stdout && !both_legal() {
            return Some(format!("printed\n{}and Node\n{}{}", ours.stdout, theirs.stdout, ours.first_error()));
        }
        // Complaints carry paths and versions: only what is recorded as essential is compared, where Node still says it.
        self.lacks(ours).filter(|_| self.lacks(theirs).is_none())
    }

    fn lacks(&self, ran: &Ran) -> Option<String> {
        let missing = self.errors.iter().find(|wanted| !ran.stderr.contains(wanted.as_str()))?;
        Some(format!("standard error lacks {missing:?}: {}", ran.first_error()))
    }

    /// Runs the script on `program` in a folder of its own; nothing if it takes too long.
    fn run(&self, program: &Path, scratch: &Path) -> io::Result<Option<Ran>> {
        let work = scratch.join(&self.name);
        fs::create_dir_all(work.join("t"))?;
        let here = work.join("t").canonicalize()?;
        let pipes = (0..8).map(|number| here.join(format!("p{number}")));
        if !Command::new("mkfifo").args(pipes).status()?.success() {
            return Err(io::Error::other("mkfifo failed"));
        }
        let (out, err) = (work.join("out"), work.join("err"));
        let mut child = Command::new(program)
            .args(&self.flags)
            .arg(&self.path)
            .current_dir(&here)
            .env("CONF_TMP", &here)
            .env("NO_COLOR", "1")
            .envs(self.env.iter().map(|(key, value)| (key, value)))
            .stdin(Stdio::null())
            .stdout(File::create(&out)?)
            .stderr(File::create(&err)?)
            .spawn()?;
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > LIMIT {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(3));
        };
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
        let text = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Some(Ran { code, stdout: text(&out)?, stderr: text(&err)? }))
    }
}

/// The outputs of an `.any` file, parted by lines of `---`.
fn legal_ones(text: &str) -> Vec<String> {
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
        Script { name, path, flags: vec![], env: vec![], code: 0, errors: own(errors), legal: own(legal) }
    }

    fn ran(code: i32, stdout: &str, stderr: &str) -> Ran {
        Ran { code, stdout: stdout.to_owned(), stderr: stderr.to_owned() }
    }

    #[test]
    fn legal_outputs_are_parted_by_dashes() {
        assert_eq!(legal_ones("a\nb\n---\nb\na\n"), ["a\nb\n", "b\na\n"]);
    }

    #[test]
    fn the_record_decides_over_code_output_and_errors() {
        let script = script(&["a\n", "b\n"], &["Oops"]);
        assert_eq!(script.fault_by_record(&ran(0, "b\n", "an Oops\n")), None);
        assert!(script.fault_by_record(&ran(1, "b\n", "an Oops\n")).unwrap().starts_with("ended with 1, not 0"));
        assert!(script.fault_by_record(&ran(0, "c\n", "an Oops\n")).unwrap().starts_with("printed\nc\n"));
        assert!(script.fault_by_record(&ran(0, "a\n", "")).unwrap().contains("lacks \"Oops\""));
    }

    #[test]
    fn against_another_the_other_decides() {
        let one = script(&["a\n"], &[]);
        assert_eq!(one.fault_by_other(&ran(0, "new\n", ""), &ran(0, "new\n", "")), None);
        assert!(one.fault_by_other(&ran(0, "a\n", ""), &ran(0, "new\n", "")).is_some());
        assert!(one.fault_by_other(&ran(0, "a\n", ""), &ran(7, "a\n", "")).is_some());
        let many = script(&["a\n", "b\n"], &["Oops"]);
        assert_eq!(many.fault_by_other(&ran(0, "a\n", "Oops"), &ran(0, "b\n", "Oops")), None);
        assert!(many.fault_by_other(&ran(0, "a\n", "Oops"), &ran(0, "c\n", "Oops")).is_some());
        assert!(many.fault_by_other(&ran(0, "a\n", ""), &ran(0, "b\n", "Oops")).is_some());
    }
}
