//! The numbers by which JavaScript refers to handles, and the list of active handles and requests under Node's names.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use phasor_core::HandleId;
use phasor_js::{Tracked, state};
use rquickjs::object::Property;
use rquickjs::{Ctx, Object, Result};

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

    /// The name in `process.getActiveResourcesInfo()`.
    fn name(self) -> &'static str {
        match self {
            Wrap::TcpSocket => "TCPSocketWrap",
            Wrap::TcpServer => "TCPServerWrap",
            Wrap::Pipe => "PipeWrap",
            Wrap::PipeServer => "PipeServerWrap",
            Wrap::Udp => "UDPWrap",
            Wrap::Process => "ProcessWrap",
            Wrap::TcpConnect => "TCPConnectWrap",
            Wrap::PipeConnect => "PipeConnectWrap",
            Wrap::Write => "WriteWrap",
            Wrap::Shutdown => "ShutdownWrap",
            Wrap::UdpSend => "UDPSendWrap",
            Wrap::GetAddrInfo => "GetAddrInfoReqWrap",
            Wrap::GetNameInfo => "GetNameInfoReqWrap",
            Wrap::Hidden => "",
        }
    }

    /// Registers the handle with `async_hooks`, if hooks are enabled. `trigger` is the async id of the handle that a request belongs to.
    pub(crate) fn track<'js>(self, ctx: &Ctx<'js>, object: &Object<'js>, trigger: Option<f64>) -> Option<Tracked> {
        let kind = match self {
            Wrap::TcpSocket => "TCPWRAP".to_owned(),
            other => other.name().to_uppercase(),
        };
        let tracked = Tracked::new(ctx, &kind, object, trigger)?;
        // Defining the property can fail on a frozen object; the id is informational.
        let _ = object.prop("asyncId", Property::from(tracked.id()).configurable());
        Some(tracked)
    }
}

/// An entry of the handle table.
struct Slot {
    id: HandleId,
    wrap: Wrap,
    binding: Weak<HandleBinding>,
}

/// The handle table of this thread.
#[derive(Default)]
struct Table {
    slots: Vec<Option<Slot>>,
    free: Vec<u32>,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
    static REQUESTS: [Cell<u32>; Wrap::ALL.len()] = const { [const { Cell::new(0) }; Wrap::ALL.len()] };
}

/// A handle number that is freed on drop.
pub(crate) struct Entry {
    wrap: Wrap,
    number: Cell<Option<u32>>,
}

impl Entry {
    pub(crate) fn new(wrap: Wrap) -> Entry {
        Entry { wrap, number: Cell::new(None) }
    }

    pub(crate) fn opened(&self, id: HandleId, binding: &Rc<HandleBinding>) -> u32 {
        let slot = Slot { id, wrap: self.wrap, binding: Rc::downgrade(binding) };
        let number = TABLE.with_borrow_mut(|table| match table.free.pop() {
            Some(number) => {
                table.slots[number as usize] = Some(slot);
                number
            }
            None => {
                table.slots.push(Some(slot));
                (table.slots.len() - 1) as u32
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
    TABLE.with_borrow(|table| table.slots.get(number as usize)?.as_ref().map(|slot| slot.id))
}

/// The binding of the handle with a number.
pub(crate) fn binding_of(number: u32) -> Option<Rc<HandleBinding>> {
    TABLE.with_borrow(|table| table.slots.get(number as usize)?.as_ref()?.binding.upgrade())
}

/// The handle and its binding.
pub(crate) fn opened(number: u32) -> Option<(HandleId, Rc<HandleBinding>)> {
    TABLE.with_borrow(|table| {
        let slot = table.slots.get(number as usize)?.as_ref()?;
        Some((slot.id, slot.binding.upgrade()?))
    })
}

/// Invalidates a number; it is reused when the handle is closed.
pub(crate) fn forget(number: u32) -> Option<HandleId> {
    TABLE.with_borrow_mut(|table| table.slots.get_mut(number as usize)?.take().map(|slot| slot.id))
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
pub(crate) fn active(ctx: Ctx<'_>, requests: bool) -> Vec<&'static str> {
    if requests {
        return REQUESTS.with(|counts| {
            let all = Wrap::ALL.iter().zip(counts);
            all.flat_map(|(wrap, count)| std::iter::repeat_n(wrap.name(), count.get() as usize)).collect()
        });
    }
    alive(&ctx, |slot| slot.wrap.name())
}

/// The objects of handles that keep the process alive.
pub(crate) fn active_objects<'js>(ctx: Ctx<'js>) -> Result<Vec<Object<'js>>> {
    let binding: Vec<_> = alive(&ctx, |slot| slot.binding.upgrade());
    binding.iter().flatten().filter_map(|binding| binding.object(&ctx).transpose()).collect()
}

/// Maps each handle that keeps the process alive.
fn alive<T>(ctx: &Ctx<'_>, part: impl Fn(&Slot) -> T) -> Vec<T> {
    let state = state(ctx);
    let core = state.core();
    TABLE.with_borrow(|table| {
        let seen = table.slots.iter().flatten().filter(|slot| slot.wrap != Wrap::Hidden && core.has_ref(slot.id));
        seen.map(part).collect()
    })
}
