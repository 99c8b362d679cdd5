//! The addresses of the calls that have led here, captured in less than a microsecond.
//!
//! [`Backtracer::capture`] asks the unwinder of the C compiler, which the standard library has linked. That takes some
//! microseconds, because the unwinder reads the tables of each function. So it also learns how large the frame of a function
//! is at each call. The next time it adds the size to the stack pointer, which gives the frame of the caller; the return
//! address lies below it.
//!
//! # Ground rules
//! - A frame without a fixed size (`alloca`) is found out when the walk by sizes comes to an address that was never seen, or
//!   when the unwinder finds another size. Then the unwinder is asked for each backtrace through that call.
//! - The walk by sizes reads only the stack of the calling thread, from the current frame to the stack's end.
//!
//! # Safety
//! `_Unwind_Backtrace` calls a function of ours with a context that is valid during the call. All bytes of a thread's stack
//! between the current frame and the end can be read.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// How many calls the unwinder visits at most, those that are left out included.
const MOST_VISITED: usize = 64;

/// How many calls are known at most.
const MOST_RULES: usize = 1 << 16;

/// Captures the return addresses of the calls that have led here.
#[derive(Debug)]
pub struct Backtracer {
    /// Code whose calls are left out.
    skipped: Range<usize>,
    /// The cached facts about a call, by its return address.
    rules: HashMap<usize, Rule, BuildHasherDefault<AddressHasher>>,
    /// The distance in bytes between the stack pointer in [`capture`](Backtracer::capture) and the stack pointer in its
    /// caller; 0 if it is not known yet.
    start: usize,
    /// The stack of the thread that has called last, and a mark of that thread.
    stack: Range<usize>,
    thread: usize,
}

/// The way to get from a frame to the frame of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The frame has this many bytes.
    Size(usize),
    /// There is no caller, or code without tables.
    End,
    /// Only the unwinder can find the frame of the caller.
    Ask,
}

/// Hashes an address: the multiplication brings all bits into the upper ones, which the table uses.
#[derive(Default)]
pub struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|word| self.write_u64(u64::from_le_bytes(*word)));
        rest.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

/// A frame: the return address into it, and its stack pointer at that call.
type Frame = (usize, usize);

/// The frames that the unwinder has visited.
struct Visited {
    frames: [Frame; MOST_VISITED],
    count: usize,
    /// How many that are not skipped are still wanted.
    wanted: usize,
    skipped: Range<usize>,
    /// The unwinder was stopped, so that the last frame may have a caller.
    is_stopped: bool,
}

impl Backtracer {
    /// Leaves out the calls from the code at `skipped`.
    pub fn new(skipped: Range<usize>) -> Backtracer {
        Backtracer { skipped, rules: HashMap::default(), start: 0, stack: 0..0, thread: 0 }
    }

    /// Fills in the return addresses of the active calls, innermost first. Returns the number of addresses. Code
    /// without unwinding tables, such as the code of a JIT compiler, ends the backtrace.
    #[inline(never)]
    pub fn capture(&mut self, addresses: &mut [usize]) -> usize {
        let here = stack_pointer();
        if let Some(count) = self.walk(here, addresses) {
            return count;
        }
        let mut visited = Visited {
            frames: [(0, 0); MOST_VISITED],
            count: 0,
            wanted: addresses.len(),
            skipped: self.skipped.clone(),
            is_stopped: false,
        };
        // SAFETY: the function has the right type, and gets a pointer to frames that outlive the call.
        unsafe { _Unwind_Backtrace(on_frame, (&raw mut visited).cast()) };
        self.learn(here, &visited);
        let found = visited.frames[..visited.count].iter().skip(1).map(|(address, _)| *address);
        let mut count = 0;
        for (place, address) in addresses.iter_mut().zip(found.filter(|address| !self.skipped.contains(address))) {
            *place = address;
            count += 1;
        }
        count
    }

    /// The walk by sizes, from the stack pointer of [`capture`](Backtracer::capture). `None` if something is not known.
    #[inline]
    fn walk(&mut self, here: usize, addresses: &mut [usize]) -> Option<usize> {
        if self.start == 0 {
            return None;
        }
        let thread = thread_mark();
        if self.thread != thread {
            self.thread = thread;
            self.stack = own_stack();
        }
        // A coroutine has a stack of its own.
        if !self.stack.contains(&here) {
            return None;
        }
        let (mut pointer, mut count) = (here.checked_add(self.start)?, 0);
        for _ in 0..MOST_VISITED {
            if count == addresses.len() {
                return Some(count);
            }
            let place = pointer.checked_sub(size_of::<usize>())?;
            if place < here || pointer > self.stack.end || place % align_of::<usize>() != 0 {
                return None;
            }
            // SAFETY: a word of this thread's stack, between the current frame and the end.
            let address = unsafe { (place as *const usize).read_volatile() };
            let rule = *self.rules.get(&address)?;
            if !self.skipped.contains(&address) {
                *addresses.get_mut(count)? = address;
                count += 1;
            }
            match rule {
                Rule::Size(size) => pointer = pointer.checked_add(size)?,
                Rule::End => return Some(count),
                Rule::Ask => return None,
            }
        }
        None
    }

    /// Learns the sizes of the frames that the unwinder has visited. The first is that of `capture`.
    fn learn(&mut self, here: usize, visited: &Visited) {
        if !cfg!(target_arch = "x86_64") {
            return;
        }
        let frames = &visited.frames[..visited.count];
        if let [_, (_, caller), ..] = frames {
            self.start = caller.wrapping_sub(here);
        }
        for (number, (address, pointer)) in frames.iter().enumerate().skip(1) {
            let rule = match frames.get(number + 1) {
                Some((_, next)) if next > pointer => Rule::Size(next - pointer),
                Some(_) => Rule::Ask,
                None if visited.is_stopped => continue,
                None => Rule::End,
            };
            if let Some(known) = self.rules.get_mut(address) {
                if *known != rule {
                    *known = Rule::Ask;
                }
            } else if self.rules.len() < MOST_RULES {
                self.rules.insert(*address, rule);
            }
        }
    }
}

/// The stack pointer in the calling function.
#[inline(always)]
fn stack_pointer() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        let pointer: usize;
        // SAFETY: reads a register.
        unsafe { std::arch::asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
        pointer
    }
    // Without `learn` it is not used.
    #[cfg(not(target_arch = "x86_64"))]
    0
}

/// A number of the calling thread, cheaper than its id.
#[inline]
fn thread_mark() -> usize {
    thread_local!(static MARK: u8 = const { 0 });
    MARK.with(|mark| std::ptr::from_ref(mark).addr())
}

/// The stack of the calling thread; empty if the C library does not know it.
#[cold]
fn own_stack() -> Range<usize> {
    // SAFETY: the attributes are initialised by `pthread_getattr_np` before they are read, and destroyed afterwards.
    unsafe {
        let mut attributes = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return 0..0;
        }
        let (mut start, mut size) = (std::ptr::null_mut(), 0);
        let result = libc::pthread_attr_getstack(&attributes, &mut start, &mut size);
        libc::pthread_attr_destroy(&mut attributes);
        if result == 0 { start.addr()..start.addr().saturating_add(size) } else { 0..0 }
    }
}

/// The context of a frame during the unwinding.
#[repr(C)]
struct UnwindContext {
    _private: [u8; 0],
}

unsafe extern "C" {
    fn _Unwind_Backtrace(
        trace: extern "C" fn(*mut UnwindContext, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut UnwindContext) -> usize;
    /// The stack pointer of the frame, at the call of the frame that was visited before.
    fn _Unwind_GetCFA(context: *mut UnwindContext) -> usize;
}

/// Results of a trace function (`unwind.h`).
const URC_NO_REASON: c_int = 0;
const URC_END_OF_STACK: c_int = 5;

extern "C" fn on_frame(context: *mut UnwindContext, visited: *mut c_void) -> c_int {
    // SAFETY: the pointer that `capture` gave; there is no other reference during the call.
    let visited = unsafe { &mut *visited.cast::<Visited>() };
    // SAFETY: the unwinder's context, valid during this call.
    let frame = unsafe { (_Unwind_GetIP(context), _Unwind_GetCFA(context)) };
    if frame.0 == 0 {
        return URC_END_OF_STACK;
    }
    let place = visited.frames.get_mut(visited.count).filter(|_| visited.wanted > 0);
    let Some(place) = place else {
        visited.is_stopped = true;
        return URC_END_OF_STACK;
    };
    *place = frame;
    // The first frame is the frame of `capture`.
    visited.count += 1;
    if visited.count > 1 && !visited.skipped.contains(&frame.0) {
        visited.wanted -= 1;
    }
    URC_NO_REASON
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::{Symbols, object_of};

    #[inline(never)]
    fn phasor_test_function(backtracer: &mut Backtracer, addresses: &mut [usize]) -> usize {
        std::hint::black_box(backtracer.capture(addresses))
    }

    #[inline(never)]
    fn recursive(depth: usize, backtracer: &mut Backtracer, addresses: &mut [usize]) -> usize {
        match depth {
            0 => phasor_test_function(backtracer, addresses),
            _ => std::hint::black_box(recursive(depth - 1, backtracer, addresses)),
        }
    }

    #[test]
    fn a_backtrace_names_the_callers_with_and_without_the_unwinder() {
        let mut backtracer = Backtracer::new(0..0);
        let mut captured = Vec::new();
        for _ in 0..3 {
            let mut addresses = [0; 60];
            let count = phasor_test_function(&mut backtracer, &mut addresses);
            captured.push(addresses[..count].to_vec());
        }
        let mut symbols = Symbols::default();
        for addresses in &captured {
            let names: Vec<_> = addresses.iter().filter_map(|address| symbols.locate(address - 1).function).collect();
            let position = names.iter().position(|name| name.contains("phasor_test_function"));
            assert!(names[position.unwrap() + 1].contains("a_backtrace_names_the_callers"), "{names:?}");
        }
        assert!(captured.windows(2).all(|pair| pair[0] == pair[1]));
        if cfg!(target_arch = "x86_64") {
            assert!(backtracer.start != 0 && !backtracer.rules.is_empty());
        }
    }

    #[test]
    fn both_ways_give_the_same_at_every_depth() {
        let own = object_of(recursive as *const () as usize).unwrap().segment;
        for skipped in [0..0, own] {
            let mut known = Backtracer::new(skipped.clone());
            for depth in [3, 3, 0, 7, 7, 1, 3, 20, 20] {
                let (mut by_known, mut by_new) = ([0; 12], [0; 12]);
                // One place of the call, because the addresses tell places apart.
                let mut counts = [0; 2];
                let mut new = Backtracer::new(skipped.clone());
                for (backtracer, addresses, count) in [(&mut known, &mut by_known, 0), (&mut new, &mut by_new, 1)] {
                    counts[count] = recursive(depth, backtracer, addresses);
                }
                assert_eq!(counts[0], counts[1], "depth {depth}");
                assert_eq!(by_known, by_new, "depth {depth}");
            }
        }
    }

    #[test]
    fn a_frame_whose_size_changes_is_left_to_the_unwinder() {
        let mut backtracer = Backtracer::new(0..0);
        let frames = |size: usize| {
            let mut visited =
                Visited { frames: [(0, 0); MOST_VISITED], count: 4, wanted: 0, skipped: 0..0, is_stopped: false };
            visited.frames[..4].copy_from_slice(&[(1, 1000), (2, 1100), (3, 1100 + size), (4, 1300 + size)]);
            visited
        };
        backtracer.learn(1000, &frames(80));
        if cfg!(target_arch = "x86_64") {
            assert_eq!(
                [backtracer.rules[&2], backtracer.rules[&3], backtracer.rules[&4]],
                [Rule::Size(80), Rule::Size(200), Rule::End]
            );
            backtracer.learn(1000, &frames(96));
            assert_eq!([backtracer.rules[&2], backtracer.rules[&3]], [Rule::Ask, Rule::Size(200)]);
        }
    }

    #[test]
    fn other_threads_have_stacks_of_their_own() {
        let mut backtracer = Backtracer::new(0..0);
        let mut addresses = [0; 40];
        for _ in 0..2 {
            phasor_test_function(&mut backtracer, &mut addresses);
        }
        std::thread::spawn(move || {
            for _ in 0..3 {
                let mut addresses = [0; 40];
                assert!(phasor_test_function(&mut backtracer, &mut addresses) > 3);
            }
        })
        .join()
        .unwrap();
    }
}
