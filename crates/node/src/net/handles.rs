//! The numbers by which JavaScript refers to handles, and the list of active handles and requests under Node's names.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use phasor_core::HandleId;
use phasor_engine::{Array, Attributes, Fallible, IntoJs, Local, Object, Scope, Value};
use phasor_js::{Tracked, state};

use super::HandleBinding;

/// Node's type of a handle or request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named as Node names it")]
pub enum Wrap {
    TcpSocket,
    TcpServer,
    Pipe,
    PipeServer,
    Udp,
    Process,
    TcpConnect,
    PipeConnect,
    Write,
    Shutdown,
    UdpSend,
    GetAddrInfo,
    GetNameInfo,
    /// Hidden from `process.getActiveResourcesInfo()`.
    Hidden,
}

impl Wrap {
    const ALL: [Wrap; 14] = [
        Wrap::TcpSocket,
        Wrap::TcpServer,
        Wrap::Pipe,
        Wrap::PipeServer,
        Wrap::Udp,
        Wrap::Process,
        Wrap::TcpConnect,
        Wrap::PipeConnect,
        Wrap::Write,
        Wrap::Shutdown,
        Wrap::UdpSend,
        Wrap::GetAddrInfo,
        Wrap::GetNameInfo,
        Wrap::Hidden,
    ];

    /// The name in `process.getActiveResourcesInfo()`: Node's `MemoryInfoName` of the wrap, which is not its async_hooks type.
    fn name(self) -> &'static str {
        match self {
            Wrap::TcpSocket => "TCPSocketWrap",
            Wrap::TcpServer => "TCPServerWrap",
            Wrap::Pipe | Wrap::PipeServer => "PipeWrap",
            Wrap::Udp => "UDPWrap",
            Wrap::Process => "ProcessWrap",
            Wrap::TcpConnect | Wrap::PipeConnect => "ConnectWrap",
            Wrap::Write => "SimpleWriteWrap",
            Wrap::Shutdown => "SimpleShutdownWrap",
            Wrap::UdpSend => "SendWrap",
            Wrap::GetAddrInfo => "GetAddrInfoReqWrap",
            Wrap::GetNameInfo => "GetNameInfoReqWrap",
            Wrap::Hidden => "",
        }
    }

    /// The type in `async_hooks`: a provider of `src/async_wrap.h`.
    fn provider(self) -> &'static str {
        match self {
            Wrap::TcpSocket => "TCPWRAP",
            Wrap::TcpServer => "TCPSERVERWRAP",
            Wrap::Pipe => "PIPEWRAP",
            Wrap::PipeServer => "PIPESERVERWRAP",
            Wrap::Udp => "UDPWRAP",
            Wrap::Process => "PROCESSWRAP",
            Wrap::TcpConnect => "TCPCONNECTWRAP",
            Wrap::PipeConnect => "PIPECONNECTWRAP",
            Wrap::Write => "WRITEWRAP",
            Wrap::Shutdown => "SHUTDOWNWRAP",
            Wrap::UdpSend => "UDPSENDWRAP",
            Wrap::GetAddrInfo => "GETADDRINFOREQWRAP",
            Wrap::GetNameInfo => "GETNAMEINFOREQWRAP",
            Wrap::Hidden => "",
        }
    }

    /// Registers the handle with `async_hooks`, if hooks are enabled. `trigger` is the async id of the handle that a request belongs to.
    pub(crate) fn track(self, scope: Scope<'_>, object: Local<'_, Object>, trigger: Option<f64>) -> Option<Tracked> {
        let tracked = Tracked::new(scope, self.provider(), object, trigger)?;
        // Defining the property can fail on a frozen object; the id is informational.
        let _ =
            object.define(scope, "asyncId", tracked.id(), Attributes { configurable: true, ..Attributes::default() });
        Some(tracked)
    }
}

/// An entry of the handle table.
struct Slot {
    id: HandleId,
    wrap: Wrap,
    binding: Weak<HandleBinding>,
    /// The number is invalid, but the handle is listed until its close callback (`src/handle_wrap.cc: HandleWrap::IsAlive`).
    closing: bool,
    /// Handles are listed in the order in which they were opened; slots are reused.
    serial: u64,
}

/// The handle table of this thread.
#[derive(Default)]
struct Table {
    /// The index is the handle's number.
    slots: Vec<Option<Slot>>,
    /// Numbers without a handle.
    free: Vec<u32>,
    /// The serial number of the next handle.
    next_serial: u64,
}

impl Table {
    /// The slot of a handle that is not closing.
    fn open_slot(&self, number: u32) -> Option<&Slot> {
        self.slots.get(number as usize)?.as_ref().filter(|slot| !slot.closing)
    }
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
    static REQUESTS: [Cell<u32>; Wrap::ALL.len()] = const { [const { Cell::new(0) }; Wrap::ALL.len()] };
}

/// A handle number that is freed on drop.
pub(crate) struct Entry {
    wrap: Wrap,
    /// `None` until the handle is opened, and after its number was freed.
    number: Cell<Option<u32>>,
}

impl Entry {
    pub(crate) fn new(wrap: Wrap) -> Entry {
        Entry { wrap, number: Cell::new(None) }
    }

    /// Node's type of the handle.
    pub(crate) fn wrap(&self) -> Wrap {
        self.wrap
    }

    pub(crate) fn opened(&self, id: HandleId, binding: &Rc<HandleBinding>) -> u32 {
        let number = TABLE.with_borrow_mut(|table| {
            let serial = table.next_serial;
            table.next_serial += 1;
            let slot = Slot { id, wrap: self.wrap, binding: Rc::downgrade(binding), closing: false, serial };
            match table.free.pop() {
                Some(number) => {
                    table.slots[number as usize] = Some(slot);
                    number
                }
                None => {
                    table.slots.push(Some(slot));
                    (table.slots.len() - 1) as u32
                }
            }
        });
        self.number.set(Some(number));
        number
    }

    /// Frees the number for another handle.
    pub(crate) fn release(&self) {
        let Some(number) = self.number.take() else { return };
        let _ = TABLE.try_with(|table| {
            let mut table = table.borrow_mut();
            table.slots[number as usize] = None;
            table.free.push(number);
        });
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.release();
    }
}

/// The handle with a number, unless it is closing.
pub(crate) fn id_of(number: u32) -> Option<HandleId> {
    TABLE.with_borrow(|table| table.open_slot(number).map(|slot| slot.id))
}

/// The binding of the handle with a number.
pub(crate) fn binding_of(number: u32) -> Option<Rc<HandleBinding>> {
    TABLE.with_borrow(|table| table.open_slot(number)?.binding.upgrade())
}

/// Invalidates a number. The number is reused after the handle is closed.
pub(crate) fn forget(number: u32) -> Option<HandleId> {
    TABLE.with_borrow_mut(|table| {
        let slot = table.slots.get_mut(number as usize)?.as_mut().filter(|slot| !slot.closing)?;
        slot.closing = true;
        Some(slot.id)
    })
}

/// A request that is listed as active until this is dropped.
pub(crate) struct Listed(Wrap);

impl Listed {
    pub(crate) fn new(wrap: Wrap) -> Listed {
        REQUESTS.with(|counts| counts[wrap as usize].set(counts[wrap as usize].get() + 1));
        Listed(wrap)
    }

    pub(crate) fn wrap(&self) -> Wrap {
        self.0
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let _ = REQUESTS.try_with(|counts| {
            let count = &counts[self.0 as usize];
            count.set(count.get().saturating_sub(1));
        });
    }
}

/// The names of requests, or of handles, that keep the process alive.
pub(super) fn active(scope: Scope<'_>, requests: bool) -> Fallible<Local<'_, Array>> {
    let names: Vec<&str> = if requests {
        REQUESTS.with(|counts| {
            let all = Wrap::ALL.iter().zip(counts);
            all.flat_map(|(wrap, count)| std::iter::repeat_n(wrap.name(), count.get() as usize)).collect()
        })
    } else {
        alive(scope, |slot| slot.wrap.name())
    };
    let names: Vec<Local<'_, Value>> = names.into_iter().map(|name| name.into_js(scope)).collect::<Fallible<_>>()?;
    Array::new(scope, &names)
}

/// The objects of handles that keep the process alive.
pub(super) fn active_objects(scope: Scope<'_>) -> Fallible<Local<'_, Array>> {
    let bindings = alive(scope, |slot| slot.binding.upgrade());
    let objects: Vec<Local<'_, Value>> =
        bindings.iter().flatten().filter_map(|binding| Some(binding.object(scope)?.as_value())).collect();
    Array::new(scope, &objects)
}

/// Maps each handle that keeps the process alive.
fn alive<T>(scope: Scope<'_>, part: impl Fn(&Slot) -> T) -> Vec<T> {
    let core = state(scope).core();
    TABLE.with_borrow(|table| {
        let seen = table.slots.iter().flatten().filter(|slot| slot.wrap != Wrap::Hidden && core.has_ref(slot.id));
        let mut seen: Vec<&Slot> = seen.collect();
        seen.sort_unstable_by_key(|slot| slot.serial);
        seen.into_iter().map(part).collect()
    })
}
