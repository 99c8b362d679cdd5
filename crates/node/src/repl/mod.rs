//! Native functions of the REPL: prompting for a line, classifying and evaluating input.
//!
//! A separate thread edits lines, so that the loop keeps running at the prompt. It sends its results through an async handle, one per
//! event, so that ticks are drained after each. `repl.js` decides what a line means.

mod editor;
mod syntax;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, SyncSender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use phasor_core::{AsyncSender, Event, HandleId};
use phasor_js::bytes::Utf8;
use phasor_js::{JsFace, OnEvent, run_script, state};
use rquickjs::function::Func;
use rquickjs::{Array, Ctx, Error, Function, IntoJs, Object, Persistent, Result};

/// Set to stop the running script: the engine's interrupt handler polls it.
pub static INTERRUPT: AtomicBool = AtomicBool::new(false);

/// A message from the other threads to the loop's thread.
enum EditorEvent {
    /// A complete line.
    Line(String),
    /// Ctrl-C at the prompt. True if the line was empty.
    Abort(bool),
    /// Ctrl-D, or the terminal was closed.
    End,
    /// SIGINT without an active prompt.
    Signal,
    /// Completion request for a text. The reply is the part to be completed and its completions.
    Complete(String, SyncSender<(String, Vec<String>)>),
}

/// The queue to the loop's thread.
#[derive(Clone)]
struct EventQueue {
    waiting: Arc<Mutex<VecDeque<EditorEvent>>>,
    wake: AsyncSender,
}

impl EventQueue {
    fn send(&self, news: EditorEvent) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(news);
        self.wake.send();
    }
}

/// The user data of the async handle.
struct Inbox {
    /// Set once the async handle is open.
    post: RefCell<Option<EventQueue>>,
    /// The JavaScript function that handles events.
    call: Persistent<Function<'static>>,
}

impl OnEvent for Inbox {
    fn on_event(&self, ctx: &Ctx<'_>, _id: HandleId, _event: Event<JsFace>) -> Result<()> {
        let Some(post) = self.post.borrow().clone() else { return Ok(()) };
        let news = {
            let mut waiting = post.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let news = waiting.pop_front();
            if !waiting.is_empty() {
                post.wake.send();
            }
            news
        };
        // Between two events no script runs, so the interrupt has nothing to stop: clear it.
        INTERRUPT.store(false, Ordering::SeqCst);
        let call = self.call.clone().restore(ctx)?;
        match news {
            Some(EditorEvent::Line(line)) => call.call(("line", line)),
            Some(EditorEvent::Abort(empty)) => call.call(("abort", empty)),
            Some(EditorEvent::End) => call.call(("end",)),
            Some(EditorEvent::Signal) => call.call(("signal",)),
            Some(EditorEvent::Complete(text, reply)) => {
                let found: (String, Vec<String>) = {
                    let found: Array<'_> = call.call(("complete", text))?;
                    (found.get(0)?, found.get(1)?)
                };
                // The editor may have stopped waiting for the reply.
                let _ = reply.try_send(found);
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    let prompts: Rc<RefCell<Option<Sender<String>>>> = Rc::default();
    let asking = prompts.clone();
    natives.set("start", Func::from(move |ctx: Ctx<'js>, call: Function<'js>| start(&ctx, call, &prompts)))?;
    natives.set(
        "prompt",
        Func::from(move |Utf8(text): Utf8| asking.borrow().as_ref().is_some_and(|asking| ask(asking, text))),
    )?;
    natives.set("evaluate", Func::from(evaluate))?;
    natives.set("judge", Func::from(|Utf8(text): Utf8| syntax::classify(&text).name()))?;
    natives.set("endsInExpression", Func::from(|Utf8(text): Utf8| syntax::ends_in_expression(&text)))?;
    natives.set("lexicalNames", Func::from(|Utf8(text): Utf8| syntax::lexical_names(&text)))?;
    natives.set("restoreTerminal", Func::from(editor::restore_terminal))?;
    natives.set("isTerminal", Func::from(|| std::io::stdin().is_terminal() && std::io::stdout().is_terminal()))?;
    natives.set("write", Func::from(|Utf8(text): Utf8| write(&text)))?;
    natives.set("version", env!("CARGO_PKG_VERSION"))?;
    Ok(natives)
}

fn start<'js>(ctx: &Ctx<'js>, call: Function<'js>, prompts: &RefCell<Option<Sender<String>>>) -> Result<()> {
    let inbox = Rc::new(Inbox { post: RefCell::new(None), call: Persistent::save(ctx, call) });
    // The handle keeps the loop alive while the REPL is open.
    let (_, wake) = state(ctx).core().async_open(inbox.clone());
    let post = EventQueue { waiting: Arc::default(), wake };
    *inbox.post.borrow_mut() = Some(post.clone());
    let (asking, asked) = channel();
    *prompts.borrow_mut() = Some(asking);
    editor::save_terminal();
    let signals = post.clone();
    let (ready, is_ready) = channel();
    thread(ctx, "repl-signals", move || editor::watch_sigint(&signals, ready))?;
    // The editor restores the previous signal action after each line, so ours must be installed first.
    let _ = is_ready.recv();
    thread(ctx, "repl-lines", move || editor::read_lines(&asked, &post))
}

fn thread(ctx: &Ctx<'_>, name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    match std::thread::Builder::new().name(name.into()).spawn(work) {
        Ok(_) => Ok(()),
        Err(error) => Err(rquickjs::Exception::throw_message(ctx, &error.to_string())),
    }
}

/// Prompts for a line. Returns false if the editor thread has ended.
fn ask(asking: &Sender<String>, prompt: String) -> bool {
    // Without a terminal the prompt is written synchronously, before any later output.
    if !std::io::stdin().is_terminal() {
        write(&prompt);
    }
    asking.send(prompt).is_ok()
}

/// Runs a script in the global scope and returns `[threw, value]`. Uncatchable exceptions (interrupts) are returned too, so that the REPL
/// goes on.
fn evaluate<'js>(ctx: Ctx<'js>, Utf8(text): Utf8, Utf8(file): Utf8, awaits: bool) -> Result<Array<'js>> {
    let result = Array::new(ctx.clone())?;
    match run_script(&ctx, &text, &file, awaits) {
        Ok(value) => {
            result.set(0, false)?;
            result.set(1, value)?;
        }
        Err(Error::Exception) => {
            let thrown = ctx.catch();
            result.set(0, true)?;
            result.set(1, thrown)?;
        }
        Err(error) => {
            result.set(0, true)?;
            result.set(1, error.to_string().into_js(&ctx)?)?;
        }
    }
    Ok(result)
}

/// Writes to the terminal, ignoring errors.
///
/// The text is written by one system call: the standard writer flushes at newlines, and the editor could write in between.
fn write(text: &str) {
    let out = std::io::stdout().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let _ = out.and_then(|mut out| out.write_all(text.as_bytes()));
}
