//! Native verbs of the prompt: asking the editor for a line, judging and running what was typed.
//!
//! Lines are edited on a thread of their own, so that the loop keeps running while somebody types. What that thread has
//! to say comes through an async handle, one piece for each event, so that each has a drain of its own. What a line
//! *means* is decided in `repl.js`.

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

/// Set while somebody wants running code to stop: the engine looks at it from time to time.
pub static INTERRUPT: AtomicBool = AtomicBool::new(false);

/// What the other threads have to say.
enum News {
    /// A whole line.
    Line(String),
    /// Ctrl-C at the prompt; whether nothing was typed.
    Abort(bool),
    /// Ctrl-D, or a terminal that is gone.
    End,
    /// SIGINT: Ctrl-C while no line is asked for.
    Signal,
    /// What can follow this text, and who wants to know: the part that is completed, and how it can go on.
    Complete(String, SyncSender<(String, Vec<String>)>),
}

/// The way to the loop's thread.
#[derive(Clone)]
struct Post {
    waiting: Arc<Mutex<VecDeque<News>>>,
    wake: AsyncSender,
}

impl Post {
    fn send(&self, news: News) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(news);
        self.wake.send();
    }
}

/// Hung on the async handle.
struct Inbox {
    post: RefCell<Option<Post>>,
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
        // Nothing was running when this came, so there is nothing to stop any more.
        INTERRUPT.store(false, Ordering::SeqCst);
        let call = self.call.clone().restore(ctx)?;
        match news {
            Some(News::Line(line)) => call.call(("line", line)),
            Some(News::Abort(empty)) => call.call(("abort", empty)),
            Some(News::End) => call.call(("end",)),
            Some(News::Signal) => call.call(("signal",)),
            Some(News::Complete(text, reply)) => {
                let found: (String, Vec<String>) = {
                    let found: Array<'_> = call.call(("complete", text))?;
                    (found.get(0)?, found.get(1)?)
                };
                // Who asked may have given up.
                let _ = reply.try_send(found);
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// Makes the object of native verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let verbs = Object::new(ctx.clone())?;
    let prompts: Rc<RefCell<Option<Sender<String>>>> = Rc::default();
    let asking = prompts.clone();
    verbs.set("start", Func::from(move |ctx: Ctx<'js>, call: Function<'js>| start(&ctx, call, &prompts)))?;
    verbs.set(
        "prompt",
        Func::from(move |Utf8(text): Utf8| asking.borrow().as_ref().is_some_and(|asking| ask(asking, text))),
    )?;
    verbs.set("evaluate", Func::from(evaluate))?;
    verbs.set("judge", Func::from(|Utf8(text): Utf8| syntax::judge(&text).name()))?;
    verbs.set("endsInExpression", Func::from(|Utf8(text): Utf8| syntax::ends_in_expression(&text)))?;
    verbs.set("lexicalNames", Func::from(|Utf8(text): Utf8| syntax::lexical_names(&text)))?;
    verbs.set("restoreTerminal", Func::from(editor::restore_terminal))?;
    verbs.set("isTerminal", Func::from(|| std::io::stdin().is_terminal() && std::io::stdout().is_terminal()))?;
    verbs.set("write", Func::from(|Utf8(text): Utf8| write(&text)))?;
    verbs.set("version", env!("CARGO_PKG_VERSION"))?;
    Ok(verbs)
}

fn start<'js>(ctx: &Ctx<'js>, call: Function<'js>, prompts: &RefCell<Option<Sender<String>>>) -> Result<()> {
    let inbox = Rc::new(Inbox { post: RefCell::new(None), call: Persistent::save(ctx, call) });
    // It keeps the loop alive: a prompt waits for as long as somebody may type.
    let (_, wake) = state(ctx).core().async_open(inbox.clone());
    let post = Post { waiting: Arc::default(), wake };
    *inbox.post.borrow_mut() = Some(post.clone());
    let (asking, asked) = channel();
    *prompts.borrow_mut() = Some(asking);
    editor::save_terminal();
    let signals = post.clone();
    let (ready, is_ready) = channel();
    thread(ctx, "repl-signals", move || editor::hear_signals(&signals, ready))?;
    // The editor puts the signal's action of before back after each line: ours must be there first.
    let _ = is_ready.recv();
    thread(ctx, "repl-lines", move || editor::read_lines(&asked, &post))
}

fn thread(ctx: &Ctx<'_>, name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    match std::thread::Builder::new().name(name.into()).spawn(work) {
        Ok(_) => Ok(()),
        Err(error) => Err(rquickjs::Exception::throw_message(ctx, &error.to_string())),
    }
}

/// Asks for a line. Whether there is anybody to read one.
fn ask(asking: &Sender<String>, prompt: String) -> bool {
    // Where there is nothing to edit, the prompt is written here and now: what else is written comes after it.
    if !std::io::stdin().is_terminal() {
        write(&prompt);
    }
    asking.send(prompt).is_ok()
}

/// Runs a text as a script of the global scope. Gives `[threw, value]`: also what cannot be caught (an interrupt) is
/// given, since the prompt goes on after it.
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

/// Writes to the terminal; one that is gone is no error.
///
/// A text is written at one go: the standard writer would write the lines first, and the editor may write between the two.
fn write(text: &str) {
    let out = std::io::stdout().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let _ = out.and_then(|mut out| out.write_all(text.as_bytes()));
}
