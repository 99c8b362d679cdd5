//! Native functions of the REPL: prompting for a line, classifying and evaluating input.
//!
//! A separate thread edits lines, so that the loop keeps running at the prompt. It sends its results through an async handle, one per
//! event, so that ticks are drained after each. `repl.js` decides what a line means.

mod awaits;
mod editor;
mod syntax;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, SyncSender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use phasor_core::{AsyncSender, Event, HandleId};
use phasor_engine::{
    ErrorKind, Fallible, Function, Global, JsString, Local, Object, Scope, Script, Source, Value, define_natives,
};
use phasor_js::{InterruptFlag, JsFace, OnEvent, state};

/// Set to stop the running script.
pub static INTERRUPT: InterruptFlag = InterruptFlag::new();

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
    fn send(&self, event: EditorEvent) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(event);
        self.wake.send();
    }
}

/// The user data of the async handle.
struct Inbox {
    /// Set once the async handle is open.
    post: RefCell<Option<EventQueue>>,
    /// The JavaScript function that handles events.
    call: Global<Function>,
}

impl OnEvent for Inbox {
    fn on_event(&self, scope: Scope<'_>, _id: HandleId, _event: Event<JsFace>) -> Fallible<()> {
        let Some(post) = self.post.borrow().clone() else { return Ok(()) };
        let event = {
            let mut waiting = post.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let event = waiting.pop_front();
            if !waiting.is_empty() {
                post.wake.send();
            }
            event
        };
        // A request from before this event has no script to stop any more: clear it.
        INTERRUPT.store(false, Ordering::SeqCst);
        // An interrupt must not stop the JavaScript of the REPL itself. `evaluate` allows it while the code of the program runs.
        INTERRUPT.holding(true, || self.call_listener(scope, event))
    }
}

impl Inbox {
    /// Calls the JavaScript function for an event.
    fn call_listener(&self, scope: Scope<'_>, event: Option<EditorEvent>) -> Fallible<()> {
        let call = self.call.get(scope);
        match event {
            Some(EditorEvent::Line(line)) => call.call_with(scope, (), ("line", line)).map(drop),
            Some(EditorEvent::Abort(empty)) => call.call_with(scope, (), ("abort", empty)).map(drop),
            Some(EditorEvent::End) => call.call_with(scope, (), ("end",)).map(drop),
            Some(EditorEvent::Signal) => call.call_with(scope, (), ("signal",)).map(drop),
            Some(EditorEvent::Complete(text, reply)) => {
                let found = call.call_with(scope, (), ("complete", text))?;
                let found: Local<'_, Object> = phasor_engine::FromJs::from_js(scope, found)?;
                let found = (found.get_as(scope, 0)?, found.get_as(scope, 1)?);
                // The editor may have stopped waiting for the reply.
                let _ = reply.try_send(found);
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    let prompts: Rc<RefCell<Option<Sender<String>>>> = Rc::default();
    let sender = Rc::clone(&prompts);
    define_natives!(scope, natives,
        "start" => |scope: Scope<'_>, call: Local<'_, Function>| start(scope, call, &prompts),
        "prompt" => |_: Scope<'_>, text: String| sender.borrow().as_ref().is_some_and(|sender| ask(sender, text)),
        "evaluate" => evaluate,
        "judge" => |_: Scope<'_>, text: String| syntax::classify(&text).name(),
        "endsInExpression" => |_: Scope<'_>, text: String| syntax::ends_in_expression(&text),
        "lexicalNames" => |_: Scope<'_>, text: String| syntax::lexical_names(&text),
        "restoreTerminal" => |_: Scope<'_>| editor::restore_terminal(),
        "isTerminal" => |_: Scope<'_>| std::io::stdin().is_terminal() && std::io::stdout().is_terminal(),
        "write" => |_: Scope<'_>, text: String| write(&text),
    );
    natives.set(scope, "version", env!("CARGO_PKG_VERSION"))?;
    Ok(natives)
}

fn start(scope: Scope<'_>, call: Local<'_, Function>, prompts: &RefCell<Option<Sender<String>>>) -> Fallible<()> {
    let inbox = Rc::new(Inbox { post: RefCell::new(None), call: Global::new(scope, call) });
    // The handle keeps the loop alive while the REPL is open.
    let (_, wake) = state(scope).core().async_open(inbox.clone());
    let post = EventQueue { waiting: Arc::default(), wake };
    *inbox.post.borrow_mut() = Some(post.clone());
    let (sender, receiver) = channel();
    *prompts.borrow_mut() = Some(sender);
    editor::save_terminal();
    let signals = post.clone();
    let (ready, is_ready) = channel();
    thread(scope, "repl-signals", move || editor::watch_sigint(&signals, ready))?;
    // The editor restores the previous signal action after each line, so ours must be installed first.
    let _ = is_ready.recv();
    thread(scope, "repl-lines", move || editor::read_lines(&receiver, &post))
}

fn thread(scope: Scope<'_>, name: &str, work: impl FnOnce() + Send + 'static) -> Fallible<()> {
    match std::thread::Builder::new().name(name.into()).spawn(work) {
        Ok(_) => Ok(()),
        Err(error) => Err(scope.throw_error(ErrorKind::Error, &error.to_string())),
    }
}

/// Prompts for a line. Returns false if the editor thread has ended.
fn ask(sender: &Sender<String>, prompt: String) -> bool {
    // Without a terminal the prompt is written synchronously, before any later output.
    if !std::io::stdin().is_terminal() {
        write(&prompt);
    }
    sender.send(prompt).is_ok()
}

/// `(text, file, awaits)`: runs a script in the global scope and returns `[threw, value, wasInterrupted]`. If `awaits` is set, the value is a
/// promise of `{ value }` (see [`awaits::wrap`]).
fn evaluate<'s>(
    scope: Scope<'s>,
    text: Local<'s, JsString>,
    file: String,
    awaits: bool,
) -> Fallible<Vec<Local<'s, Value>>> {
    let text = if awaits { JsString::new(scope, &awaits::wrap(&text.to_text(scope)?))? } else { text };
    let run = || Script::compile(scope, Source::new(text, &file))?.run(scope);
    match INTERRUPT.holding(false, || scope.try_catch(run)) {
        Ok(value) => Ok(vec![scope.boolean(false), value]),
        Err(Some(thrown)) => Ok(vec![scope.boolean(true), thrown]),
        Err(None) if state(scope).is_leaving() => Err(scope.terminate()),
        Err(None) => {
            state(scope).take_interruption();
            Ok(vec![scope.boolean(true), scope.undefined(), scope.boolean(true)])
        }
    }
}

/// Writes to the terminal, ignoring errors.
///
/// The text is written by one system call: the standard writer flushes at newlines, and the editor could write in between.
fn write(text: &str) {
    let out = std::io::stdout().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let _ = out.and_then(|mut out| out.write_all(text.as_bytes()));
}
