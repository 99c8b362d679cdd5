//! Functions of the process by their addresses, and the addresses of the calls that have led here.
//!
//! [`Symbols`] reads the symbol tables from the files of the program and its libraries, so that it also finds functions
//! that are not exported. [`backtrace`] asks the unwinder of the C compiler, which the standard library has linked.
//!
//! # Safety
//! `dl_iterate_phdr(3)` keeps objects from being unloaded during its callbacks. `_Unwind_Backtrace` calls a function of ours
//! with a context that is valid during the call; it reads the stack by the tables of the code's own compiler.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, c_int, c_void};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::slice;

use crate::elf::ElfFile;

/// What is at an address of code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeLocation {
    /// The function, if a symbol table names it.
    pub function: Option<String>,
    /// The file of the program or library; empty for code that was made at run time.
    pub object: PathBuf,
    /// The address, relative to that of the object; absolute without one.
    pub offset: usize,
}

/// The program, or a library that it has loaded.
#[derive(Debug)]
struct Object {
    path: PathBuf,
    base: usize,
    /// Its functions by address, as in the file, and their sizes.
    functions: Vec<(u64, u64, String)>,
}

/// Finds functions by address. The symbol tables of an object are read when the first of its addresses is asked for.
#[derive(Debug, Default)]
pub struct Symbols {
    /// By path and address.
    objects: BTreeMap<(PathBuf, usize), Rc<Object>>,
}

impl Symbols {
    /// What is at an address.
    pub fn locate(&mut self, address: usize) -> CodeLocation {
        let Some(LoadedObject { path, base, .. }) = object_of(address) else {
            return CodeLocation { offset: address, ..CodeLocation::default() };
        };
        let key = (path, base);
        let object = match self.objects.get(&key) {
            Some(object) => Rc::clone(object),
            None => {
                let object = Rc::new(Object { functions: functions(&key.0), path: key.0.clone(), base });
                self.objects.insert(key, Rc::clone(&object));
                object
            }
        };
        let offset = address.wrapping_sub(object.base);
        CodeLocation { function: object.function_at(offset as u64), object: object.path.clone(), offset }
    }
}

impl Object {
    /// The function that has the code at this offset.
    fn function_at(&self, offset: u64) -> Option<String> {
        let next = self.functions.partition_point(|(address, ..)| *address <= offset);
        let (address, size, name) = self.functions.get(next.checked_sub(1)?)?;
        // A function in assembler may have no size.
        (offset - address < *size || *size == 0).then(|| name.clone())
    }
}

/// The functions that a file defines, by address.
fn functions(path: &Path) -> Vec<(u64, u64, String)> {
    let elf = File::open(path).and_then(|file| ElfFile::read(&file)).ok().flatten().unwrap_or_default();
    let mut functions: Vec<_> = elf
        .symbols()
        .filter(|symbol| symbol.is_defined && symbol.is_function && !symbol.name.is_empty())
        .map(|symbol| (symbol.address, symbol.size, String::from_utf8_lossy(symbol.name).into_owned()))
        .collect();
    // Of several names for a function the first by the alphabet, and of those at an address one with a size.
    functions.sort_by(|(one, size, name), (other, other_size, other_name)| {
        (one, *size == 0, name).cmp(&(other, *other_size == 0, other_name))
    });
    functions.dedup_by_key(|(address, ..)| *address);
    functions
}

/// An object in memory.
#[derive(Clone, Debug)]
pub struct LoadedObject {
    /// Its file.
    pub path: PathBuf,
    /// What is added to the addresses in the file.
    pub base: usize,
    /// The segment with the address that was asked for.
    pub segment: std::ops::Range<usize>,
}

/// The program or library that an address belongs to.
pub fn object_of(address: usize) -> Option<LoadedObject> {
    let mut search = (address, None);
    // SAFETY: the callback has the right type, and gets a pointer to a search that outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(on_object), (&raw mut search).cast()) };
    search.1
}

/// Looks whether an object has the address. A result other than 0 ends the walk.
///
/// # Safety
/// `info` is valid, and `search` points to the address and the result of [`object_of`].
unsafe extern "C" fn on_object(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    // SAFETY: guaranteed by `dl_iterate_phdr` and its caller; there is no other reference to either.
    let (info, (address, found)) = unsafe { (&*info, &mut *search.cast::<(usize, Option<LoadedObject>)>()) };
    if info.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: the program headers of a loaded object.
    let headers = unsafe { slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let base = info.dlpi_addr as usize;
    let segments = headers.iter().filter(|header| header.p_type == libc::PT_LOAD).map(|header| {
        let start = base.wrapping_add(header.p_vaddr as usize);
        start..start.wrapping_add(header.p_memsz as usize)
    });
    let Some(segment) = segments.into_iter().find(|segment| segment.contains(address)) else { return 0 };
    let name = match info.dlpi_name.is_null() {
        true => &[],
        // SAFETY: the name of a loaded object is a C string.
        false => unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes(),
    };
    let path = match name {
        // The program itself.
        [] => std::env::current_exe().unwrap_or_default(),
        name => PathBuf::from(OsStr::from_bytes(name)),
    };
    *found = Some(LoadedObject { path, base, segment });
    1
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
}

/// Results of a trace function (`unwind.h`).
const URC_NO_REASON: c_int = 0;
const URC_END_OF_STACK: c_int = 5;

/// A backtrace that is being made.
struct Backtrace<'a> {
    frames: &'a mut [usize],
    count: usize,
    /// Calls from here are left out.
    skipped: &'a std::ops::Range<usize>,
}

/// Fills in the return addresses of the calls that have led here, the innermost first. Those that lie in `skipped` are left
/// out. Returns how many there are. Code without unwinding tables, as that of a JIT compiler, ends the
/// backtrace.
pub fn backtrace(frames: &mut [usize], skipped: &std::ops::Range<usize>) -> usize {
    let mut backtrace = Backtrace { frames, count: 0, skipped };
    // SAFETY: the function has the right type, and gets a pointer to a backtrace that outlives the call.
    unsafe { _Unwind_Backtrace(on_frame, (&raw mut backtrace).cast()) };
    backtrace.count
}

extern "C" fn on_frame(context: *mut UnwindContext, backtrace: *mut c_void) -> c_int {
    // SAFETY: the pointer that `backtrace` gave; there is no other reference during the call.
    let backtrace = unsafe { &mut *backtrace.cast::<Backtrace<'_>>() };
    // SAFETY: the unwinder's context, valid during this call.
    let address = unsafe { _Unwind_GetIP(context) };
    if address == 0 {
        return URC_END_OF_STACK;
    }
    if backtrace.skipped.contains(&address) {
        return URC_NO_REASON;
    }
    let Some(frame) = backtrace.frames.get_mut(backtrace.count) else { return URC_END_OF_STACK };
    *frame = address;
    backtrace.count += 1;
    URC_NO_REASON
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn phasor_test_function(frames: &mut [usize]) -> usize {
        std::hint::black_box(backtrace(frames, &(0..0)))
    }

    #[test]
    fn a_function_that_is_not_exported_is_found_by_its_address() {
        let mut symbols = Symbols::default();
        let found = symbols.locate(phasor_test_function as *const () as usize);
        assert!(found.function.unwrap().contains("phasor_test_function"));
        assert_eq!(found.object, std::env::current_exe().unwrap());
        let found = symbols.locate(libc::getpid as *const () as usize);
        assert!(found.function.unwrap().contains("getpid") && found.object.to_str().unwrap().contains("libc"));
        assert_eq!(symbols.locate(1), CodeLocation { offset: 1, ..CodeLocation::default() });
    }

    #[test]
    fn a_backtrace_names_the_callers() {
        let mut frames = [0; 64];
        let count = phasor_test_function(&mut frames);
        let mut symbols = Symbols::default();
        let names: Vec<_> = frames[..count].iter().filter_map(|address| symbols.locate(address - 1).function).collect();
        let position = names.iter().position(|name| name.contains("phasor_test_function"));
        let caller = &names[position.unwrap() + 1];
        assert!(caller.contains("a_backtrace_names_the_callers"), "{names:?}");
        let own = object_of(phasor_test_function as *const () as usize).unwrap().segment;
        let left = backtrace(&mut frames, &own);
        assert!(frames[..left].iter().all(|frame| !own.contains(frame)));
        assert_eq!(phasor_test_function(&mut frames[..2]), 2);
    }
}
