//! The threads of the REPL: one edits lines, one waits for SIGINT. Neither touches JavaScript.

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use phasor_core::{Face, Loop, RunMode};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Config, Context, Editor, EventContext, EventHandler, Helper,
    KeyEvent, RepeatCount,
};

use super::{EditorEvent, EventQueue, INTERRUPT};

/// Node's default number of history lines (`lib/internal/repl.js: createRepl`).
const HISTORY_LINES: usize = 1000;

/// The time that [`TabCompleter`] waits for a reply of the loop's thread, which may be busy.
const COMPLETION_LIMIT: Duration = Duration::from_millis(500);

/// The terminal mode before the first prompt.
static TERMINAL: OnceLock<Termios> = OnceLock::new();

pub(super) fn save_terminal() {
    if let Ok(mode) = tcgetattr(std::io::stdin()) {
        let _ = TERMINAL.set(mode);
    }
}

/// Restores the terminal mode: a timer may end the process while a line is being edited.
pub(super) fn restore_terminal() {
    if let Some(mode) = TERMINAL.get() {
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, mode);
    }
}

/// Requests completions from the loop's thread.
struct TabCompleter(EventQueue);

impl Completer for TabCompleter {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let (reply, replied) = sync_channel(1);
        self.0.send(EditorEvent::Complete(line.get(..pos).unwrap_or(line).to_owned(), reply));
        Ok(match replied.recv_timeout(COMPLETION_LIMIT) {
            Ok((part, found)) => (pos.saturating_sub(part.len()), found),
            Err(_) => (pos, Vec::new()),
        })
    }
}

impl Helper for TabCompleter {}
impl Highlighter for TabCompleter {}
impl Hinter for TabCompleter {
    type Hint = String;
}
impl Validator for TabCompleter {}

/// Records whether the line was empty at Ctrl-C. Does not change the effect of the key.
struct RecordEmpty(Arc<AtomicBool>);

impl ConditionalEventHandler for RecordEmpty {
    fn handle(&self, _: &rustyline::Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        self.0.store(context.line().is_empty(), Ordering::SeqCst);
        None
    }
}

fn history_file() -> Option<PathBuf> {
    std::env::var_os("HOME").filter(|home| !home.is_empty()).map(|home| PathBuf::from(home).join(".phasor_history"))
}

/// Reads lines without editing if standard input is not a terminal, as `node -i` does. `ask` in `mod.rs` prints the prompts.
fn read_plain(prompts: &Receiver<String>, post: &EventQueue) {
    let mut input = std::io::stdin().lock();
    while prompts.recv().is_ok() {
        let mut bytes = Vec::new();
        let event = match input.read_until(b'\n', &mut bytes) {
            Ok(1..) => {
                let text = String::from_utf8_lossy(&bytes);
                EditorEvent::Line(text.trim_end_matches('\n').trim_end_matches('\r').to_owned())
            }
            _ => EditorEvent::End,
        };
        post.send(event);
    }
}

/// Reads one line for each prompt received, until the channel closes.
pub(super) fn read_lines(prompts: &Receiver<String>, post: &EventQueue) {
    if !std::io::stdin().is_terminal() {
        return read_plain(prompts, post);
    }
    let config = Config::builder().completion_type(CompletionType::List).max_history_size(HISTORY_LINES);
    let Ok(mut editor) = config.and_then(|config| Editor::<TabCompleter, DefaultHistory>::with_config(config.build()))
    else {
        return post.send(EditorEvent::End);
    };
    let empty = Arc::new(AtomicBool::new(true));
    editor.set_helper(Some(TabCompleter(post.clone())));
    editor.bind_sequence(KeyEvent::ctrl('C'), EventHandler::Conditional(Box::new(RecordEmpty(empty.clone()))));
    let history = history_file();
    if let Some(file) = &history {
        // The file may not exist yet.
        let _ = editor.load_history(file);
    }
    while let Ok(prompt) = prompts.recv() {
        let event = loop {
            match editor.readline(&prompt) {
                Ok(line) => {
                    let added = editor.add_history_entry(&line).unwrap_or(false);
                    if let (true, Some(file)) = (added, &history) {
                        // The history file is optional: errors are ignored.
                        let _ = editor.append_history(file);
                    }
                    break EditorEvent::Line(line);
                }
                Err(ReadlineError::Interrupted) => {
                    // A callback that does not return may be running: interrupt it.
                    INTERRUPT.store(true, Ordering::SeqCst);
                    break EditorEvent::Abort(empty.load(Ordering::SeqCst));
                }
                Err(ReadlineError::Signal(_)) => {}
                Err(_) => break EditorEvent::End,
            }
        };
        post.send(event);
    }
}

/// The [`Face`] of a loop that only watches signals.
struct SignalFrontEnd;

impl Face for SignalFrontEnd {
    type Handle = ();
    type Request = ();
    type Bytes = Vec<u8>;
}

/// Watches SIGINT on a loop of its own, because the JavaScript loop handles no events while a script runs. Drops `ready` once the signal
/// handler is installed.
pub(super) fn watch_sigint(post: &EventQueue, ready: Sender<()>) {
    let Ok(mut core) = Loop::<SignalFrontEnd>::new() else { return };
    let id = core.signal_open(());
    if core.signal_start(id, rustix::process::Signal::INT.as_raw()).is_err() {
        return;
    }
    drop(ready);
    while core.next(RunMode::Default).is_some() {
        INTERRUPT.store(true, Ordering::SeqCst);
        post.send(EditorEvent::Signal);
    }
}
