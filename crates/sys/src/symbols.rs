//! Functions of the process by their addresses.
//!
//! [`Symbols`] reads the symbol tables from the files of the program and its libraries, so that it also finds functions
//! that are not exported.
//!
//! # Safety
//! `dl_iterate_phdr(3)` keeps objects from being unloaded during its callbacks. `__cxa_demangle` has the type that the C++ ABI
//! defines.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::slice;

use crate::elf::{ElfFile, SymbolTable};

/// The function at a code address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeLocation {
    /// The function, if a symbol table names it.
    pub function: Option<String>,
    /// The file of the program or library; empty for code that was made at run time.
    pub object: PathBuf,
    /// The address, relative to the address of the object; absolute if no object is known.
    pub offset: usize,
}

/// The program, or a library that it has loaded.
#[derive(Debug)]
struct Object {
    /// The names of its functions.
    elf: ElfFile,
    /// The functions of the object, by address.
    functions: Vec<Function>,
}

/// A function in a file.
#[derive(Clone, Copy, Debug)]
struct Function {
    address: u64,
    size: u64,
    /// The number of its symbol table, and its name's offset there.
    table: u32,
    name: u32,
}

/// Finds functions by address. The symbol tables of an object are read when the first of its addresses is asked for.
#[derive(Debug, Default)]
pub struct Symbols {
    objects: BTreeMap<PathBuf, Object>,
}

impl Symbols {
    /// Without objects.
    pub const fn new() -> Symbols {
        Symbols { objects: BTreeMap::new() }
    }

    /// Finds the function at a code address.
    pub fn locate(&mut self, address: usize) -> CodeLocation {
        let Some(LoadedObject { path, base, .. }) = object_of(address) else {
            return CodeLocation { offset: address, ..CodeLocation::default() };
        };
        let object = match self.objects.entry(path.clone()) {
            Entry::Occupied(object) => object.into_mut(),
            Entry::Vacant(object) => object.insert(Object::read(&path)),
        };
        let offset = address.wrapping_sub(base);
        CodeLocation { function: object.function_at(offset as u64), object: path, offset }
    }
}

impl Object {
    /// Without functions if the file cannot be read.
    fn read(path: &Path) -> Object {
        let mut elf = File::open(path).and_then(|file| ElfFile::read(&file)).ok().flatten().unwrap_or_default();
        let mut functions = Vec::new();
        for (table, number) in elf.tables.iter().zip(0..) {
            let defined = table.symbols().filter(|symbol| symbol.is_defined && symbol.is_function);
            functions.extend(defined.map(|symbol| Function {
                address: symbol.address,
                size: symbol.size,
                table: number,
                name: symbol.name_offset,
            }));
        }
        // The first of several symbols at an address is used. A function in assembler may have no size.
        functions.sort_by_key(|function| (function.address, function.size == 0, function.table));
        functions.dedup_by_key(|function| function.address);
        elf.tables.iter_mut().for_each(SymbolTable::keep_names_only);
        Object { elf, functions }
    }

    /// The function that has the code at this offset.
    fn function_at(&self, offset: u64) -> Option<String> {
        let next = self.functions.partition_point(|function| function.address <= offset);
        let function = self.functions.get(next.checked_sub(1)?)?;
        if offset - function.address >= function.size && function.size != 0 {
            return None;
        }
        let name = self.elf.tables.get(function.table as usize)?.name(function.name);
        Some(demangle(name).unwrap_or_else(|| String::from_utf8_lossy(name).into_owned()))
    }
}

/// The name of a C++ function as in its source, without its parameters. `None` for a name of C, or if the process has not
/// loaded the C++ library.
fn demangle(name: &[u8]) -> Option<String> {
    type Demangle = unsafe extern "C" fn(*const c_char, *mut c_char, *mut usize, *mut c_int) -> *mut c_char;
    if !name.starts_with(b"_Z") {
        return None;
    }
    let name = CString::new(name).ok()?;
    // SAFETY: the name is a C string.
    let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_demangle".as_ptr()) };
    if function.is_null() {
        return None;
    }
    // SAFETY: the C++ ABI defines the type of the function.
    let function = unsafe { std::mem::transmute::<*mut c_void, Demangle>(function) };
    let mut status = 0;
    // SAFETY: the name is a C string; with these arguments the result is a C string of malloc, or null.
    let demangled = unsafe {
        let text = function(name.as_ptr(), std::ptr::null_mut(), std::ptr::null_mut(), &mut status);
        let copy = (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned());
        libc::free(text.cast());
        copy
    };
    demangled.map(|text| without_parameters(&text))
}

/// Leaves out the parameters of functions: `node::Start(int, char**)` becomes `node::Start`.
fn without_parameters(text: &str) -> String {
    // The name of a namespace, and operators, are no parameters.
    const KEPT: [&str; 3] = ["(anonymous namespace)", "operator()", "{lambda("];
    let (mut kept, mut depth, mut at) = (String::new(), 0u32, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if depth == 0
            && let Some(name) = KEPT.into_iter().find(|name| rest.starts_with(name))
        {
            let name = if name.starts_with('{') { "{lambda" } else { name };
            kept.push_str(name);
            at += name.len();
            continue;
        }
        let next = rest.chars().next().unwrap_or_default();
        match next {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(next),
            _ => {}
        }
        at += next.len_utf8();
    }
    without_type(kept.trim_end_matches(" const")).to_owned()
}

/// Leaves out what stands before a name: the type that a template returns, `non-virtual thunk to`.
fn without_type(text: &str) -> &str {
    if text.contains("operator ") {
        return text;
    }
    let mut depth = 0u32;
    let is_separator = |character: char| {
        match character {
            '<' | '(' | '{' => depth += 1,
            '>' | ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ' ' && depth == 0
    };
    let last = text.match_indices(is_separator).map(|(at, _)| at + 1).last();
    &text[last.unwrap_or(0)..]
}

/// An object in memory.
#[derive(Clone, Debug)]
pub struct LoadedObject {
    /// The file of the object.
    pub path: PathBuf,
    /// The number to add to addresses in the file to get addresses in memory.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn phasor_test_function() {}

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
    fn parameters_are_left_out() {
        let cases = [
            ("node::Start(int, char**)", "node::Start"),
            ("node::(anonymous namespace)::Run(void (*)(int)) const", "node::(anonymous namespace)::Run"),
            ("A::operator()(int) const", "A::operator()"),
            ("f()::{lambda(void*)#1}::_FUN(void*)", "f::{lambda#1}::_FUN"),
            ("main", "main"),
            ("void A::f<B, (C)1>(int)", "A::f<B, 1>"),
            ("non-virtual thunk to A::g()", "A::g"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            ("operator new(unsigned long)", "operator new"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_parameters(text), expected);
        }
    }
}
