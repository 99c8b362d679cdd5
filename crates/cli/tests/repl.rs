//! The prompt and scripts on a terminal: keys go in, and what is on the screen is waited for.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// How long the screen may take to show something.
const LIMIT: Duration = Duration::from_secs(30);

/// A terminal with a prompt on it, and a home of its own.
struct Terminal {
    child: Child,
    keys: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
    home: PathBuf,
}

impl Terminal {
    fn open(name: &str) -> Terminal {
        let mut terminal = Terminal::run(name, "");
        terminal.wait_for("\u{1b}[K> ");
        terminal
    }

    /// Runs code, or the prompt if there is none.
    fn run(name: &str, code: &str) -> Terminal {
        let home = std::env::temp_dir().join(format!("phasor-repl-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        tcsetwinsize(&ours, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let path = ptsname(&ours, Vec::new()).unwrap();
        let theirs = rustix::fs::open(path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let theirs = File::from(theirs);
        let stdio = || Stdio::from(theirs.try_clone().unwrap());
        // Ctrl-C is a signal only on the terminal that controls the process.
        let child = Command::new("setsid")
            .arg("--ctty")
            .arg(env!("CARGO_BIN_EXE_phasor"))
            .args((!code.is_empty()).then_some(["-e", code]).into_iter().flatten())
            .env("HOME", &home)
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .current_dir(&home)
            .stdin(stdio())
            .stdout(stdio())
            .stderr(stdio())
            .spawn()
            .unwrap();
        let keys = File::from(ours);
        let mut reader = keys.try_clone().unwrap();
        let (shown, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut bytes) {
                if shown.send(bytes[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal { child, keys, screen, seen: String::new(), home }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until a text is shown, and forgets everything up to it.
    fn wait_for(&mut self, text: &str) {
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            match self.screen.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("{text:?} is not shown, but {:?}", self.seen),
            }
        }
    }

    /// Types a line, waits for what is printed, and for the next prompt.
    fn line(&mut self, line: &str, printed: &str) {
        self.press(&format!("{line}\r"));
        self.wait_for(&format!("\n{printed}\r\n"));
        self.wait_for("\u{1b}[K> ");
    }

    fn ends_with(&mut self, code: i32) {
        let end = Instant::now() + LIMIT;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert_eq!(status.code(), Some(code));
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the prompt does not end");
    }

    fn file(&self, name: &str) -> PathBuf {
        Path::new(&self.home).join(name)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

#[test]
fn lines_are_run_and_their_values_printed() {
    let mut it = Terminal::open("values");
    it.line("1+1", "2");
    it.line("_ * 2", "4");
    it.line("{a: 1}", "{ a: 1 }");
    it.line("let kept = 5", "undefined");
    it.line("kept", "5");
    it.line("let kept = 6", "Uncaught SyntaxError: Identifier 'kept' has already been declared");
    it.press("function f() {\r");
    it.wait_for("\u{1b}[K... ");
    it.line("return kept }", "undefined");
    it.line("f()", "5");
    it.line("const later = await new Promise((done) => setTimeout(done, 5, 'came'))", "undefined");
    it.line("later", "'came'");
    it.line("path.basename('/a/b')", "'b'");
    it.press(".exit\r");
    it.ends_with(0);
    let history = std::fs::read_to_string(it.file(".phasor_history")).unwrap();
    assert!(history.contains("1+1") && history.contains("f()"), "{history}");
}

#[test]
fn what_is_thrown_is_printed_and_the_prompt_goes_on() {
    let mut it = Terminal::open("errors");
    it.line("throw new Error('x')", "Uncaught Error: x");
    it.line("_error.message", "'x'");
    it.line("throw 5", "Uncaught 5");
    it.line("let a b", "let a b\r\n      ^\r\n\r\nUncaught SyntaxError: Unexpected identifier 'b'");
    it.line("({}).x()", "Uncaught TypeError: {}.x is not a function");
    it.line("await Promise.reject(new TypeError('y'))", "Uncaught TypeError: y");
    it.press("setTimeout(() => { throw new Error('timer') }, 1); 0\r");
    // The loop runs while the editor waits.
    it.wait_for("Uncaught Error: timer\r\n> ");
    it.line("2+3", "5");
    it.line(".nothing", "Invalid REPL keyword");
    it.press("\x04");
    it.ends_with(0);
}

#[test]
fn tab_completes_without_running_anything() {
    let mut it = Terminal::open("tab");
    it.line("const thing = { first: 1, get trap() { ran = true; return {} } }; var ran = false", "undefined");
    it.press("thing.fi\t");
    it.wait_for("thing.first");
    it.press("\r");
    it.wait_for("\n1\r\n");
    it.wait_for("\u{1b}[K> ");
    it.press("thing.trap.x\t\r");
    it.wait_for("\nundefined\r\n");
    it.wait_for("\u{1b}[K> ");
    it.line("ran", "true");
    it.line("ran = false", "false");
    it.press("thing.trap.toS\t");
    it.press("\x03");
    it.wait_for("\u{1b}[K> ");
    it.line("ran", "false");
    it.press("Math.ma\t(1, 7)\r");
    it.wait_for("\n7\r\n");
}

#[test]
fn ctrl_c_stops_code_clears_lines_and_ends_the_prompt() {
    let mut it = Terminal::open("interrupt");
    it.press("console.log('run' + 'ning'); while (true) {}\r");
    it.wait_for("running\r\n");
    it.press("\x03");
    it.wait_for("ERR_SCRIPT_EXECUTION_INTERRUPTED'");
    it.wait_for("\u{1b}[K> ");
    it.press("console.log('wait' + 'ing'); await new Promise(() => {})\r");
    it.wait_for("waiting\r\n");
    it.press("\x03");
    it.wait_for("ERR_SCRIPT_EXECUTION_INTERRUPTED'");
    it.wait_for("\u{1b}[K> ");
    // A callback that runs while the prompt waits is stopped, too.
    it.line("setTimeout(() => { console.log('call' + 'back'); while (true) {} }, 100); 0", "0");
    it.wait_for("callback");
    it.press("\x03");
    it.wait_for("(To exit, press Ctrl+C again or Ctrl+D or type .exit)");
    it.wait_for("\u{1b}[K> ");
    it.press("[1,\r");
    it.wait_for("\u{1b}[K... ");
    it.press("\x03");
    it.wait_for("\u{1b}[K> ");
    it.line("1+1", "2");
    it.press("\x03");
    it.wait_for("(To exit, press Ctrl+C again or Ctrl+D or type .exit)");
    it.wait_for("\u{1b}[K> ");
    it.press("\x03");
    it.ends_with(0);
}

#[test]
fn sessions_are_saved_and_loaded() {
    let mut it = Terminal::open("save");
    it.line("var one = 1", "undefined");
    it.line(".save session.js", "Session saved to: session.js");
    assert_eq!(std::fs::read_to_string(it.file("session.js")).unwrap(), "var one = 1");
    std::fs::write(it.file("two.js"), "var two = 2;\ntwo + one").unwrap();
    it.line(".load two.js", "3");
    it.line("two", "2");
    it.line(".load none.js", "Failed to load: none.js");
}

#[test]
fn a_script_knows_its_terminal() {
    let code = "const { stdin, stdout } = process; \
                console.log(stdin.isTTY, stdout.isTTY, stdout.columns, stdout.rows, stdin.isRaw); \
                console.log(stdout.getColorDepth(), stdout.hasColors(), stdout.getColorDepth({ TERM: 'xterm-256color' })); \
                console.log({ a: 1 }); \
                stdout.write('abc'); stdout.clearLine(0); stdout.cursorTo(0); console.log('over'); \
                stdout.on('resize', () => console.log('size', stdout.columns, stdout.rows)); \
                stdin.setRawMode(true); \
                stdin.on('data', (keys) => { console.log('keys', JSON.stringify(String(keys))); \
                  if (String(keys) === 'q') process.exit(4) }); \
                console.log('ready', stdin.isRaw)";
    let mut it = Terminal::run("script", code);
    it.wait_for("true true 80 24 false\r\n1 false 8\r\n{ a: 1 }\r\n");
    it.wait_for("abc\u{1b}[2K\u{1b}[1Gover\r\n");
    it.wait_for("ready true");
    tcsetwinsize(&it.keys, Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    it.wait_for("size 100 30");
    // Raw: keys come one by one, and Ctrl-C is one of them.
    it.press("\x03");
    it.wait_for("keys \"\\u0003\"");
    it.press("q");
    it.ends_with(4);
}

#[test]
fn lines_are_edited_together() {
    let mut it = Terminal::open("editor");
    it.press(".editor\r");
    it.wait_for("// Entering editor mode (Ctrl+D to finish, Ctrl+C to cancel)\r\n");
    it.press("1 +\r2\r");
    // The second line has been taken, and the terminal reads keys again: only then Ctrl-D is one.
    it.wait_for("l2\u{1b}[?2004l");
    it.wait_for("\u{1b}[?2026l");
    it.press("\x04");
    it.wait_for("\n3\r\n");
    it.wait_for("\u{1b}[K> ");
    it.press("[1,\r");
    it.wait_for("\u{1b}[K... ");
    it.press(".break\r");
    it.wait_for("\u{1b}[K> ");
    it.line("6", "6");
}
