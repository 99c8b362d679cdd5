//! [`HandleBinding`]: the user data of a core handle; and requests on handles.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use phasor_core::{Errno, Event, HandleId, Outcome};
use phasor_engine::{ArrayBuffer, Bytes, Fallible, Global, Local, Object, Scope, Value};
use phasor_js::{About, JsFace, OnDone, OnEvent, Request, ResourceId, SpanKind, Tracked, call_tracked, state};

use super::callbacks::{self, Callback};
use super::handles::{Entry, Listed, Wrap, binding_of};
use super::{SLAB_BYTES, with_slab};

/// The user data of a core handle: the JavaScript object that receives its events. Keeps the object alive until the handle is closed.
pub(crate) struct HandleBinding {
    entry: Entry,
    /// `None` after the handle was closed.
    object: RefCell<Option<Global<Object>>>,
    /// The async resource, if async hooks are enabled.
    tracked: Option<Box<Tracked>>,
    destination: RefCell<Destination>,
    bytes_read: Cell<u64>,
    bytes_written: Cell<u64>,
    /// The connection or child process in a recording.
    span: Cell<ResourceId>,
}

/// Native code that reads a handle directly, instead of the object's `onread`.
pub(crate) trait HandleReader {
    /// The handle is readable, or a datagram arrived.
    fn read(&self, scope: Scope<'_>, binding: &HandleBinding, id: HandleId) -> Fallible<()>;
}

/// The destination of read bytes.
#[derive(Clone)]
enum Destination {
    /// The object's `onread`, with a new buffer for each read.
    Object,
    /// A buffer of the script. `onread` of the object is called without a buffer.
    Buffer(Rc<Global<Value>>),
    Reader(Rc<dyn HandleReader>),
}

impl HandleBinding {
    pub(crate) fn new(scope: Scope<'_>, wrap: Wrap, object: Local<'_, Object>) -> Rc<HandleBinding> {
        let tracked = wrap.track(scope, object, None);
        Rc::new(HandleBinding {
            entry: Entry::new(wrap),
            tracked: tracked.map(Box::new),
            object: RefCell::new(Some(Global::new(scope, object))),
            destination: RefCell::new(Destination::Object),
            bytes_read: Cell::new(0),
            bytes_written: Cell::new(0),
            span: Cell::new(ResourceId::NONE),
        })
    }

    /// Attaches the binding to a handle, and returns the handle's number.
    pub(crate) fn opened(self: &Rc<HandleBinding>, id: HandleId) -> u32 {
        self.entry.opened(id, self)
    }

    /// The JavaScript object, until the handle is closed.
    pub(crate) fn object<'s>(&self, scope: Scope<'s>) -> Option<Local<'s, Object>> {
        self.object.borrow().as_ref().map(|object| object.get(scope))
    }

    /// Calls a method of the object, in its async scope.
    pub(crate) fn call<'s>(
        &self,
        scope: Scope<'s>,
        callback: Callback,
        arguments: &[Local<'s, Value>],
    ) -> Fallible<()> {
        let Some(object) = self.object(scope) else { return Ok(()) };
        call_tracked(scope, self.tracked.as_deref(), object, || {
            callbacks::call(scope, callback, object, arguments).map(drop)
        })
    }

    /// Calls `onread` with only a count or an error number.
    pub(crate) fn call_onread(&self, scope: Scope<'_>, count: i32) -> Fallible<()> {
        self.call(scope, Callback::Read, &[scope.number(count)])
    }

    /// `socket.bytesRead`.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.bytes_read.get()
    }

    /// `socket.bytesWritten`, including queued bytes.
    pub(crate) fn bytes_written(&self) -> u64 {
        self.bytes_written.get()
    }

    pub(crate) fn count_read(&self, bytes: usize) {
        self.bytes_read.set(self.bytes_read.get() + bytes as u64);
    }

    pub(crate) fn count_written(&self, bytes: usize) {
        self.bytes_written.set(self.bytes_written.get() + bytes as u64);
    }

    /// Begins the span of a connection or child process, if this thread is recorded. Records what the handle is, too.
    pub(crate) fn begin_span(&self, scope: Scope<'_>, kind: SpanKind, id: HandleId, label: impl FnOnce() -> String) {
        let state = state(scope);
        if state.is_recorded() {
            self.span.set(state.begin_span(kind, ResourceId::handle(id), label));
        }
    }

    /// Ends the span.
    pub(crate) fn end_span(&self, scope: Scope<'_>, status: u32) {
        let span = self.span.take();
        if span.is_some() {
            state(scope).end_span(span, status, self.bytes_read.get() + self.bytes_written.get());
        }
    }

    /// Sets the reader of the handle. `None` selects the object's `onread`.
    pub(crate) fn set_reader(&self, reader: Option<Rc<dyn HandleReader>>) {
        self.set_destination(reader.map_or(Destination::Object, Destination::Reader));
    }

    /// Selects a buffer of the script as the destination of all further reads.
    pub(super) fn read_into(&self, scope: Scope<'_>, buffer: Bytes<'_>) {
        self.set_destination(Destination::Buffer(Rc::new(Global::new(scope, buffer.as_value()))));
    }

    fn set_destination(&self, destination: Destination) {
        // Drop after the borrow ends.
        let before = self.destination.replace(destination);
        drop(before);
    }

    fn read(&self, scope: Scope<'_>, id: HandleId) -> Fallible<()> {
        let destination = self.destination.borrow().clone();
        match destination {
            Destination::Object => self.read_for_object(scope, id),
            Destination::Buffer(buffer) => match Bytes::of(buffer.get(scope)) {
                Some(buffer) => self.read_for_user(scope, id, buffer),
                None => Ok(()),
            },
            Destination::Reader(reader) => reader.read(scope, self, id),
        }
    }

    fn read_for_object(&self, scope: Scope<'_>, id: HandleId) -> Fallible<()> {
        let got = with_slab(|slab| {
            let got = state(scope).core().stream_read(id, slab);
            got.map(|count| (count, (count > 0).then(|| ArrayBuffer::copy_of(scope, &slab[..count]))))
        });
        match got {
            Ok((count, Some(bytes))) => {
                self.count_read(count);
                self.call(scope, Callback::Read, &[scope.number(count as f64), bytes?.as_value()])
            }
            Ok((_, None)) => Ok(()),
            Err(errno) => self.call_onread(scope, -errno.raw()),
        }
    }

    fn read_for_user(&self, scope: Scope<'_>, id: HandleId, user: Bytes<'_>) -> Fallible<()> {
        let got = with_slab(|slab| {
            let room = user.len().min(SLAB_BYTES);
            let got = state(scope).core().stream_read(id, &mut slab[..room]);
            if let Ok(count) = got {
                let read = &slab[..count];
                user.write(|bytes| bytes[..count].copy_from_slice(read));
            }
            got
        });
        match got {
            Ok(0) => Ok(()),
            Ok(count) => {
                self.count_read(count);
                self.call_onread(scope, count as i32)
            }
            Err(errno) => self.call_onread(scope, -errno.raw()),
        }
    }

    /// Creates the object of an incoming connection if the server is tracked by async hooks. As in Node, it is created without an async
    /// context, so that it has no `AsyncLocalStorage` store.
    fn new_client<'s>(&self, scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
        match (&self.tracked, self.object(scope)) {
            (Some(tracked), Some(object)) => {
                tracked.triggering(scope, || callbacks::call(scope, Callback::NewClient, object, &[]))
            }
            _ => Ok(scope.undefined()),
        }
    }
}

impl OnEvent for HandleBinding {
    fn describe<'s>(&self, scope: Scope<'s>, about: &mut About<'s>) {
        about.object = self.object(scope);
        // The loop does not know any more what a closing handle was.
        let kind = match self.entry.wrap() {
            Wrap::Hidden => "dns query",
            Wrap::TcpServer => "tcp server",
            Wrap::PipeServer => "unix socket server",
            _ => return,
        };
        about.entry.kind = kind.into();
    }

    fn on_event(&self, scope: Scope<'_>, id: HandleId, event: Event<JsFace>) -> Fallible<()> {
        match event {
            Event::Readable(_) | Event::Datagram(_) => self.read(scope, id),
            Event::Hangup(_) => self.call_onread(scope, -Errno::EOF.raw()),
            Event::Connection(_, result) => {
                let status = result.map_or_else(|errno| -errno.raw(), |()| 0);
                let client = if result.is_ok() { self.new_client(scope)? } else { scope.undefined() };
                self.call(scope, Callback::Accept, &[scope.number(status), client])
            }
            Event::Timer(_) => self.call(scope, Callback::Timeout, &[]),
            Event::Exit(_, status) => {
                // As a shell tells a signal.
                self.end_span(scope, if status.signal == 0 { status.code as u32 } else { 128 + status.signal as u32 });
                let arguments = [scope.number(status.code as f64), scope.number(status.signal)];
                self.call(scope, Callback::Exited, &arguments)
            }
            _ => Ok(()),
        }
    }

    fn on_closed(&self, scope: Scope<'_>) -> Fallible<()> {
        self.entry.release();
        // Without a close callback, hooks see no call (`src/handle_wrap.cc: HandleWrap::OnClose`).
        let is_called = match (&self.tracked, self.object(scope)) {
            (Some(_), Some(object)) => match object.get(scope, "closed") {
                Ok(callback) => !callback.is_undefined(),
                // A getter threw. The call reads the property again and reports that exception.
                Err(thrown) => scope.caught(thrown).is_some(),
            },
            _ => true,
        };
        let called = if is_called { self.call(scope, Callback::Closed, &[]) } else { Ok(()) };
        if let Some(tracked) = &self.tracked {
            tracked.end(scope);
        }
        self.set_destination(Destination::Object);
        let object = self.object.take();
        drop(object);
        called
    }
}

/// A request on a handle that calls `oncomplete(status)`, and is listed as active until then.
pub(crate) fn request(scope: Scope<'_>, number: u32, listed: Listed, object: Local<'_, Object>) -> Request {
    let trigger = binding_of(number).and_then(|binding| binding.tracked.as_deref().map(Tracked::id));
    request_with(scope, listed, object, trigger, |scope, outcome| {
        let status = match outcome {
            Outcome::Connect(result) | Outcome::Shutdown(result) => result,
            Outcome::Write { result, .. } | Outcome::Send { result, .. } => result,
            _ => Ok(()),
        };
        Ok(vec![scope.number(status.map_or_else(|errno| -errno.raw(), |()| 0))])
    })
}

/// A request that calls `oncomplete` of its object. `results` converts the outcome to the arguments. `trigger` is the async id of the handle
/// that the request belongs to.
pub(crate) fn request_with(
    scope: Scope<'_>,
    listed: Listed,
    object: Local<'_, Object>,
    trigger: Option<f64>,
    results: impl for<'s> FnOnce(Scope<'s>, Outcome<JsFace>) -> Fallible<Vec<Local<'s, Value>>> + 'static,
) -> Request {
    let tracked = listed.wrap().track(scope, object, trigger);
    Box::new(HandleRequest { listed, tracked, object: Global::new(scope, object), results })
}

/// A request of [`request_with`].
struct HandleRequest<R> {
    listed: Listed,
    tracked: Option<Tracked>,
    object: Global<Object>,
    results: R,
}

impl<R> OnDone for HandleRequest<R>
where
    R: for<'s> FnOnce(Scope<'s>, Outcome<JsFace>) -> Fallible<Vec<Local<'s, Value>>>,
{
    fn on_done(self: Box<Self>, scope: Scope<'_>, outcome: Outcome<JsFace>) -> Fallible<()> {
        let HandleRequest { listed, tracked, object, results } = *self;
        state(scope).drop_after_drain(listed);
        let object = object.get(scope);
        let arguments = results(scope, outcome)?;
        if let Some(tracked) = &tracked {
            tracked.end(scope);
        }
        call_tracked(scope, tracked.as_ref(), object, || {
            callbacks::call(scope, Callback::Complete, object, &arguments).map(drop)
        })
    }

    fn describe<'s>(&self, scope: Scope<'s>, about: &mut About<'s>) {
        about.object = Some(self.object.get(scope));
    }
}
