//! Sandboxes for C programs: an ordinary user, a folder that this user owns, and namespaces with loopback only.
//!
//! libuv's tests refuse to run as root, connect to outside addresses, use fixed ports, and leave processes behind when they fail. A
//! [`Sandbox`] isolates the machine from that: it has a network namespace with only loopback, and a process namespace whose processes
//! all end with it. It uses util-linux's `unshare` and `setpriv`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::crate_rules::workspace_root;
use crate::libuv::compiler;
use crate::test::succeed;

/// The script of the first process of a sandbox, with which all others end. `$1` switches to the user, `$2` is the second script.
const INIT_SCRIPT: &str = r#"
[ $$ = 1 ] || { echo "not in a process namespace" >&2; exit 1; }
"$LOOPBACK_UP" || exit 1
printf '%s' "$MOUNTS" | while IFS= read -r from && IFS= read -r to; do mount --bind "$from" "$to" || exit 1; done || exit 1
$1 bash -c "$2"
exit $?
"#;

/// The script that runs as the user. It reads a time limit in seconds and a shell command, alternately, and prints the exit code and
/// CPU seconds. It kills processes that a command leaves running: `kill -1` reaches all processes of the sandbox except this shell.
const USER_SCRIPT: &str = r#"
exec 3<&0 4>&1 </dev/null
TIMEFORMAT='%3U %3S'
echo ready >&4
while IFS= read -r -u 3 limit && IFS= read -r -u 3 command; do
  { time timeout --kill-after=5 "$limit" bash -c "exec $command" >"$ANSWERS/output" 2>&1 3<&- 4>&-; code=$?; } 2>"$ANSWERS/cpu"
  kill -KILL -- -1 2>"$ANSWERS/kill"
  echo "$code $(tail -n 1 "$ANSWERS/cpu")" >&4
done
"#;

/// The user that root switches to.
const UNPRIVILEGED_ID: u32 = 65534;

/// How long a sandbox may take beyond the time limit of a command.
const GRACE: Duration = Duration::from_secs(20);

/// The folder that holds the sandboxes. Removed on drop, and by the [`FolderRemover`] if this process is killed.
pub(crate) struct SandboxRoot {
    folder: PathBuf,
    /// Dropped after the folder was removed, and then has nothing to do.
    _remover: FolderRemover,
    /// The uid and gid that own the folder.
    user: (u32, u32),
    /// True if this process runs as root and switches to `user`. Otherwise it creates user namespaces.
    root: bool,
}

/// A set of namespaces, with a shell inside that runs one command after another.
pub(crate) struct Sandbox {
    shell: Child,
    commands: ChildStdin,
    answers: Receiver<String>,
    /// The folder for the output of the commands.
    folder: PathBuf,
}

/// The result of a command.
pub(crate) struct Ran {
    /// As in a shell: 124 means that the time limit has expired.
    pub(crate) code: i32,
    /// The standard output and standard error of the command.
    pub(crate) output: String,
    /// User and system time of the command and its children.
    pub(crate) cpu_seconds: f64,
}

impl SandboxRoot {
    /// Creates the folder in the system's temporary folder, because other users may not be able to enter ours.
    pub(crate) fn new(name: &str) -> Result<SandboxRoot> {
        for tool in ["unshare", "setpriv", "taskset", "bash", "timeout"] {
            let found = Command::new(tool).arg("--version").stdout(Stdio::null()).status();
            found.with_context(|| format!("`{tool}` is needed (Debian: util-linux, bash, coreutils)"))?;
        }
        remove_left_behind(name);
        let folder = std::env::temp_dir().join(format!("phasor-{name}-{}", std::process::id()));
        fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        // The owner of a new folder is the effective user of this process.
        let we = fs::metadata(&folder)?;
        let root = we.uid() == 0;
        let user = if root { (UNPRIVILEGED_ID, UNPRIVILEGED_ID) } else { (we.uid(), we.gid()) };
        let root = SandboxRoot { _remover: FolderRemover::new(&folder)?, folder, user, root };
        fs::set_permissions(&root.folder, fs::Permissions::from_mode(0o755))?;
        let source = workspace_root().join("xtask/src/loopback_up.c");
        succeed(compiler().arg(source).arg("-o").arg(root.folder.join("loopback_up")))?;
        Ok(root)
    }

    /// Creates a folder that belongs to the user.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        self.chown_to_user(&folder)?;
        Ok(folder)
    }

    /// Copies a file or folder to `to`, which then belongs to the user.
    pub(crate) fn copy(&self, from: &Path, to: &Path) -> Result<()> {
        let failure = || format!("cannot copy {} to {}", from.display(), to.display());
        if from.is_dir() {
            fs::create_dir_all(to).with_context(failure)?;
            self.chown_to_user(to)?;
            for entry in fs::read_dir(from).with_context(failure)? {
                let entry = entry?;
                self.copy(&entry.path(), &to.join(entry.file_name()))?;
            }
            return Ok(());
        }
        fs::copy(from, to).with_context(failure)?;
        self.chown_to_user(to)
    }

    fn chown_to_user(&self, path: &Path) -> Result<()> {
        let (user, group) = self.user;
        chown(path, Some(user), Some(group)).with_context(|| format!("cannot give {} to {user}", path.display()))
    }

    /// Creates namespaces and starts the shell in them, with `env` and a few other variables in its environment.
    pub(crate) fn open(&self, name: &str, work_dir: &Path, env: &[(&str, &str)]) -> Result<Sandbox> {
        self.open_with(name, work_dir, env, &[])
    }

    /// Opens a sandbox with bind mounts that are visible only inside: each pair is a folder and its mount point.
    pub(crate) fn open_with(
        &self,
        name: &str,
        work_dir: &Path,
        env: &[(&str, &str)],
        mounts: &[(&Path, &Path)],
    ) -> Result<Sandbox> {
        let folder = self.folder(&format!("answers-{name}"))?;
        let (user, group) = self.user;
        // If this process is killed, the sandbox must end too.
        let mut unshare = Command::new("setpriv");
        unshare.args(["--pdeathsig", "KILL", "unshare", "--net", "--pid", "--mount-proc", "--fork", "--kill-child"]);
        let become_user = if self.root {
            format!("setpriv --reuid={user} --regid={group} --clear-groups")
        } else {
            // Only root of a namespace can bring up its loopback interface, and libuv's tests refuse to run as root: so a nested
            // namespace maps the user back to their own id.
            unshare.args(["--user", "--map-root-user"]);
            format!("unshare --user --map-user={user} --map-group={group}")
        };
        unshare.args(["--", "sh", "-c", INIT_SCRIPT, "sh", &become_user, USER_SCRIPT]).current_dir(work_dir);
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/sbin:/usr/bin:/sbin:/bin".into());
        unshare.env_clear().env("PATH", path).env("HOME", work_dir).env("LANG", "C.UTF-8").env("ANSWERS", &folder);
        unshare.env("LOOPBACK_UP", self.folder.join("loopback_up")).envs(env.iter().copied());
        let mounts = mounts.iter().map(|(from, to)| format!("{}\n{}\n", from.display(), to.display()));
        unshare.env("MOUNTS", mounts.collect::<String>());
        let started = unshare.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn();
        let mut shell = started.context("cannot start unshare")?;
        let (commands, output) = (shell.stdin.take(), shell.stdout.take());
        let (Some(commands), Some(output)) = (commands, output) else { bail!("unshare has no input or output") };
        let (sender, answers) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let sandbox = Sandbox { shell, commands, answers, folder };
        match sandbox.answers.recv_timeout(GRACE) {
            Ok(ready) if ready == "ready" => Ok(sandbox),
            _ => bail!(
                "cannot make a network and process namespace (see above): run as root with CAP_SYS_ADMIN, or where users may make \
                 namespaces of their own (sysctl kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu 24.04 and later, \
                 kernel.unprivileged_userns_clone=1, user.max_user_namespaces)"
            ),
        }
    }
}

/// Removes the folders of tasks that were killed.
fn remove_left_behind(name: &str) {
    let start = format!("phasor-{name}-");
    for entry in fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let process = entry.file_name().to_string_lossy().strip_prefix(&start).and_then(|id| id.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new("/proc").join(process.to_string()).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

impl Drop for SandboxRoot {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A shell that removes a folder when this process ends, even by Ctrl-C: then the other end of the shell's standard input is closed.
/// It has its own process group, which signals of the terminal do not reach.
struct FolderRemover {
    shell: Child,
    stdin: Option<ChildStdin>,
}

impl FolderRemover {
    fn new(folder: &Path) -> Result<FolderRemover> {
        let mut shell = Command::new("sh");
        // Retries after a second, because processes that are still ending may have written a file meanwhile.
        shell.args(["-c", r#"read -r _; rm -rf -- "$1" || { sleep 1; rm -rf -- "$1"; }"#, "sh"]).arg(folder);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut shell = shell.spawn().context("cannot start sh")?;
        Ok(FolderRemover { stdin: shell.stdin.take(), shell })
    }
}

impl Drop for FolderRemover {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.shell.wait();
    }
}

impl Sandbox {
    /// Runs a shell command. After the limit, the command and its children are killed.
    pub(crate) fn run(&mut self, command: &str, limit: Duration) -> Result<Ran> {
        assert!(!command.contains('\n'), "a command is one line");
        writeln!(self.commands, "{}\n{command}", limit.as_secs().max(1)).context("the sandbox's shell is gone")?;
        let answer = self.answers.recv_timeout(limit + GRACE);
        let answer = answer.with_context(|| format!("no answer from the sandbox that runs `{command}`"))?;
        let mut numbers = answer.split_whitespace();
        let code = numbers.next().and_then(|word| word.parse().ok());
        let code = code.with_context(|| format!("the sandbox answered {answer:?}"))?;
        let cpu_seconds = numbers.filter_map(|word| word.parse::<f64>().ok()).sum();
        let output = fs::read(self.folder.join("output")).context("cannot read the output of the command")?;
        Ok(Ran { code, output: String::from_utf8_lossy(&output).into_owned(), cpu_seconds })
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // `--kill-child` kills the first process of the namespace together with unshare, and that ends all others.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(name: &str) -> SandboxRoot {
        SandboxRoot::new(&format!("sandbox-test-{name}")).unwrap()
    }

    #[test]
    fn a_sandbox_runs_as_an_ordinary_user_with_loopback_only() {
        let root = root("user");
        let mut sandbox = root.open("a", &root.folder("work").unwrap(), &[("WORD", "given")]).unwrap();
        let ran = sandbox.run("sh -c 'id -u; echo $WORD; tail -n +3 /proc/net/dev; touch here'", GRACE).unwrap();
        assert_eq!(ran.code, 0, "{}", ran.output);
        let lines: Vec<_> = ran.output.lines().collect();
        assert!(lines[0] != "0" && lines[1] == "given" && lines.len() == 3, "{lines:?}");
        assert!(lines[2].trim_start().starts_with("lo:"), "{lines:?}");
    }

    #[test]
    fn processes_that_a_command_leaves_running_are_killed() {
        let root = root("left");
        let mut sandbox = root.open("a", &root.folder("work").unwrap(), &[]).unwrap();
        assert_eq!(sandbox.run("sh -c 'sleep 1000 & exit 3'", GRACE).unwrap().code, 3);
        assert_eq!(sandbox.run("sleep 1000", Duration::from_secs(1)).unwrap().code, 124);
        let ran = sandbox.run("bash -c 'cat /proc/[0-9]*/comm'", GRACE).unwrap();
        assert!(ran.code == 0 && !ran.output.contains("sleep"), "{}", ran.output);
    }

    #[test]
    fn a_bind_mount_is_visible_inside_only() {
        let root = root("mount");
        let (from, to) = (root.folder("from").unwrap(), root.folder("to").unwrap());
        fs::write(from.join("file"), "text").unwrap();
        let mut sandbox = root.open_with("a", &root.folder("work").unwrap(), &[], &[(&from, &to)]).unwrap();
        assert_eq!(sandbox.run("cat ../to/file", GRACE).unwrap().output, "text");
        assert!(!to.join("file").exists());
    }

    #[test]
    fn the_broom_sweeps_when_it_is_let_go() {
        let folder = std::env::temp_dir().join(format!("phasor-remover-{}", std::process::id()));
        fs::create_dir_all(folder.join("deep")).unwrap();
        let remover = FolderRemover::new(&folder).unwrap();
        assert!(folder.exists());
        drop(remover);
        assert!(!folder.exists());
    }

    #[test]
    fn cpu_time_of_children_is_counted() {
        let root = root("time");
        let mut sandbox = root.open("a", &root.folder("work").unwrap(), &[]).unwrap();
        let ran = sandbox.run("bash -c '(for ((i = 0; i < 200000; i++)); do :; done)'", GRACE).unwrap();
        assert!(ran.cpu_seconds > 0.05 && ran.cpu_seconds < 60.0, "{}", ran.cpu_seconds);
    }
}
