//! Finds out what the loaded objects (the program and its shared libraries) import from each other.
//!
//! An [`ImportSearch`] asks whether one loaded object refers to several functions that other objects define. Such
//! functions are undefined symbols in the object's own symbol table. `DT_GNU_HASH` says where the undefined symbols end,
//! because it covers only the defined ones behind them. Linkers write a meaningless number for an object that defines no
//! symbol for others, as most programs do. Its imports are found by its relocations, each of which refers to a symbol.
//!
//! # Safety
//! `dl_iterate_phdr(3)` keeps objects from being unloaded during its callbacks, so their read-only segments stay mapped.
//! Addresses and sizes come from the `PT_DYNAMIC` segment of an object. The dynamic linker relies on them too, but
//! nothing is read before `Object::read` or `Object::bytes` has checked that it lies in a readable segment.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::mem::size_of;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(target_pointer_width = "32")]
use libc::{Elf32_Phdr as ProgramHeader, Elf32_Sym as Symbol};
#[cfg(target_pointer_width = "64")]
use libc::{Elf64_Phdr as ProgramHeader, Elf64_Sym as Symbol};

/// Tags of entries in the dynamic section (`elf.h`), missing in the libc crate.
const DT_NULL: usize = 0;
const DT_PLTRELSZ: usize = 2;
const DT_STRTAB: usize = 5;
const DT_SYMTAB: usize = 6;
const DT_RELA: usize = 7;
const DT_RELASZ: usize = 8;
const DT_STRSZ: usize = 10;
const DT_REL: usize = 17;
const DT_RELSZ: usize = 18;
const DT_PLTREL: usize = 20;
const DT_JMPREL: usize = 23;
const DT_GNU_HASH: usize = 0x6fff_fef5;

/// The number of low bits of `r_info` that hold the type of a relocation. The bits above are the symbol's index.
const RELOCATION_TYPE_BITS: u32 = if cfg!(target_pointer_width = "64") { 32 } else { 8 };

/// The section number of a symbol that the object does not define.
const SHN_UNDEF: u16 = 0;

/// A question about the loaded objects, and the last answer to it.
#[derive(Debug)]
pub struct ImportSearch {
    /// Each element is a list of alternative names of one function.
    functions: &'static [&'static [&'static CStr]],
    /// The last answer, as [`encode`] returns it; 0 before the first search.
    answer: AtomicU64,
}

impl ImportSearch {
    /// A search for an object that imports at least one name of each list. There may be up to 32 lists.
    pub const fn new(functions: &'static [&'static [&'static CStr]]) -> ImportSearch {
        assert!(functions.len() <= 32);
        ImportSearch { functions, answer: AtomicU64::new(0) }
    }

    /// True if one of the loaded objects imports a function of every list.
    ///
    /// The objects are only walked if some were loaded or unloaded since the last call. Otherwise the cost is one
    /// callback of `dl_iterate_phdr`.
    pub fn succeeds(&self) -> bool {
        let mut walk = Walk { search: self, loads: None, known: self.answer.load(Ordering::Relaxed), found: false };
        // SAFETY: the callback has the right type, and gets a pointer to a `Walk` that outlives the call.
        unsafe { libc::dl_iterate_phdr(Some(on_object), (&raw mut walk).cast()) };
        if let Some(loads) = walk.loads {
            self.answer.store(encode(loads, walk.found), Ordering::Relaxed);
        }
        walk.found
    }
}

/// The data for the callback of one call of `dl_iterate_phdr`.
struct Walk<'a> {
    search: &'a ImportSearch,
    /// The number of times that an object was loaded or unloaded, from the first callback on.
    loads: Option<u64>,
    /// The answer of the last search.
    known: u64,
    /// The answer of this search.
    found: bool,
}

/// An answer and the state of the loaded objects that it is valid for. Never 0.
fn encode(loads: u64, found: bool) -> u64 {
    loads << 2 | u64::from(found) << 1 | 1
}

/// Looks at one object. A result other than 0 ends the walk.
///
/// # Safety
/// `info` is valid for reads of `size` bytes, and `walk` points to a [`Walk`].
unsafe extern "C" fn on_object(info: *mut libc::dl_phdr_info, size: usize, walk: *mut c_void) -> c_int {
    // SAFETY: guaranteed by `dl_iterate_phdr` and its caller; there is no other reference to either.
    let (info, walk) = unsafe { (&*info, &mut *walk.cast::<Walk<'_>>()) };
    // The counters are an extension of the original struct (glibc 2.4). They are the same in each callback of a walk.
    if walk.loads.is_none() && size >= size_of::<libc::dl_phdr_info>() {
        // Both only grow, so equal sums mean equal counters.
        let loads = info.dlpi_adds.wrapping_add(info.dlpi_subs);
        walk.loads = Some(loads);
        for found in [false, true] {
            if walk.known == encode(loads, found) {
                walk.found = found;
                return 1;
            }
        }
    }
    // SAFETY: the program headers of a loaded object.
    let object = unsafe { Object::new(info) };
    walk.found = object.is_some_and(|object| object.imports(walk.search.functions));
    walk.found.into()
}

/// A loaded object.
struct Object<'a> {
    /// The difference between addresses in memory and in the file.
    base: usize,
    headers: &'a [ProgramHeader],
    symbols: usize,
    strings: usize,
    strings_size: usize,
    /// The symbols from this index on are defined by the object; at most 1 if the index is not known.
    first_defined: usize,
    /// Relocation tables: address, size in bytes, and size of an entry.
    relocations: [(usize, usize, usize); 3],
}

impl<'a> Object<'a> {
    /// `None` for an object without a symbol table, such as a static program.
    ///
    /// # Safety
    /// `info` describes an object that stays loaded for `'a`.
    unsafe fn new(info: &'a libc::dl_phdr_info) -> Option<Object<'a>> {
        if info.dlpi_phdr.is_null() {
            return None;
        }
        // SAFETY: guaranteed by the caller.
        let headers = unsafe { slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let base = info.dlpi_addr as usize;
        let nowhere = [(0, 0, 0); 3];
        let mut object =
            Object { base, headers, symbols: 0, strings: 0, strings_size: 0, first_defined: 0, relocations: nowhere };
        let dynamic = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let start = base.wrapping_add(dynamic.p_vaddr as usize);
        let mut plt_has_addends = true;
        for index in 0..dynamic.p_memsz as usize / size_of::<[usize; 2]>() {
            let [tag, value]: [usize; 2] = object.read(start.checked_add(index * size_of::<[usize; 2]>())?)?;
            match tag {
                DT_NULL => break,
                DT_SYMTAB => object.symbols = object.address(value),
                DT_STRTAB => object.strings = object.address(value),
                DT_STRSZ => object.strings_size = value,
                DT_RELA => object.relocations[0].0 = object.address(value),
                DT_RELASZ => object.relocations[0].1 = value,
                DT_REL => object.relocations[1].0 = object.address(value),
                DT_RELSZ => object.relocations[1].1 = value,
                DT_JMPREL => object.relocations[2].0 = object.address(value),
                DT_PLTRELSZ => object.relocations[2].1 = value,
                // The number of buckets, and the index of the first symbol in them.
                DT_GNU_HASH => {
                    object.first_defined =
                        object.read(object.address(value)).map_or(0, |[_, first]: [u32; 2]| first as usize);
                }
                DT_PLTREL => plt_has_addends = value == DT_RELA,
                _ => {}
            }
        }
        let (with_addend, without) = (size_of::<[usize; 3]>(), size_of::<[usize; 2]>());
        object.relocations[0].2 = with_addend;
        object.relocations[1].2 = without;
        object.relocations[2].2 = if plt_has_addends { with_addend } else { without };
        (object.symbols != 0 && object.strings != 0).then_some(object)
    }

    /// The address to which an entry of the dynamic section refers. On most architectures, the dynamic linker of glibc
    /// replaces the values by addresses in memory; the linker of musl does not. 0 if no segment has the address.
    fn address(&self, value: usize) -> usize {
        let candidates = [value, self.base.wrapping_add(value)];
        candidates.into_iter().find(|address| self.readable_from(*address) > 0).unwrap_or(0)
    }

    /// The number of bytes that can be read from an address to the end of its segment; 0 outside of readable segments.
    fn readable_from(&self, address: usize) -> usize {
        let readable = self
            .headers
            .iter()
            .filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_R != 0 && header.p_memsz > 0);
        let rest = |header: &ProgramHeader| {
            let offset = address.checked_sub(self.base.wrapping_add(header.p_vaddr as usize))?;
            (header.p_memsz as usize).checked_sub(offset)
        };
        readable.filter_map(rest).max().unwrap_or(0)
    }

    /// The bytes of a table, up to the end of its segment.
    fn bytes(&self, address: usize, length: usize) -> &[u8] {
        match length.min(self.readable_from(address)) {
            0 => &[],
            // SAFETY: the bytes lie in a readable segment of a loaded object. Nothing writes to these tables: relocations
            // change other data, and the dynamic section is changed before the object is listed (glibc's
            // `elf/dl-load.c: _dl_map_object_from_fd`).
            length => unsafe { slice::from_raw_parts(address as *const u8, length) },
        }
    }

    /// Reads a plain struct of integers.
    fn read<T: Plain>(&self, address: usize) -> Option<T> {
        let bytes = self.bytes(address, size_of::<T>());
        // SAFETY: there are enough bytes, and all values of the bytes are valid for the type.
        (bytes.len() == size_of::<T>()).then(|| unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
    }

    /// True if the object imports a function of each list.
    fn imports(&self, functions: &[&[&CStr]]) -> bool {
        match self.first_defined {
            0 | 1 => self.imports_by(functions, self.relocated_symbols()),
            first_defined => self.imports_by(functions, 1..first_defined),
        }
    }

    /// Searches like [`imports`](Self::imports), with the indexes of the symbols to check.
    fn imports_by(&self, functions: &[&[&CStr]], symbols: impl Iterator<Item = usize>) -> bool {
        let all = u32::MAX.checked_shr(32 - functions.len() as u32).unwrap_or(0);
        let table = self.bytes(self.symbols, usize::MAX);
        let strings = self.bytes(self.strings, self.strings_size);
        let mut found = 0u32;
        for symbol in symbols {
            let Some(name) = undefined_name(table, symbol, strings) else { continue };
            for (index, names) in functions.iter().enumerate() {
                if names.iter().any(|wanted| name.starts_with(wanted.to_bytes_with_nul())) {
                    found |= 1 << index;
                }
            }
            if found == all {
                return true;
            }
        }
        found == all
    }

    /// The symbols that relocations refer to. One may be listed several times.
    fn relocated_symbols(&self) -> impl Iterator<Item = usize> {
        let entries = self
            .relocations
            .iter()
            .flat_map(|&(address, length, entry_size)| self.bytes(address, length).chunks_exact(entry_size));
        let symbols = entries.map(|entry| {
            // The second word of an entry is `r_info`.
            let info = entry.get(size_of::<usize>()..).and_then(|rest| rest.first_chunk());
            info.map_or(0, |info| usize::from_ne_bytes(*info)) >> RELOCATION_TYPE_BITS
        });
        symbols.filter(|&symbol| symbol != 0)
    }
}

/// The name of a symbol and what follows it in the string table, if the object does not define the symbol.
fn undefined_name<'a>(table: &[u8], index: usize, strings: &'a [u8]) -> Option<&'a [u8]> {
    let entry = table.get(index.checked_mul(size_of::<Symbol>())?..)?.get(..size_of::<Symbol>())?;
    // SAFETY: there are enough bytes, and all values of the bytes are valid for the struct of integers.
    let symbol = unsafe { entry.as_ptr().cast::<Symbol>().read_unaligned() };
    if symbol.st_shndx == SHN_UNDEF { strings.get(symbol.st_name as usize..) } else { None }
}

/// Types of which every sequence of bytes is a value.
///
/// # Safety
/// The type consists of integers and has no padding.
unsafe trait Plain {}
// SAFETY: integers.
unsafe impl Plain for [usize; 2] {}
// SAFETY: integers.
unsafe impl Plain for [u32; 2] {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_must_import_a_function_of_every_list() {
        static FOUND: ImportSearch = ImportSearch::new(&[&[c"dl_iterate_phdr"], &[c"no_such_function", c"fork"]]);
        static MISSING: ImportSearch = ImportSearch::new(&[&[c"dl_iterate_phdr"], &[c"no_such_function"]]);
        static PREFIX: ImportSearch = ImportSearch::new(&[&[c"dl_iterate_phd"]]);
        for _ in 0..2 {
            assert!(FOUND.succeeds());
            assert!(!MISSING.succeeds());
            assert!(!PREFIX.succeeds());
        }
    }

    #[test]
    fn a_function_that_an_object_only_defines_is_not_an_import() {
        // Defined by the C library. Nothing calls it by this name from outside.
        static DEFINED: ImportSearch = ImportSearch::new(&[&[c"argp_program_version_hook"], &[c"dl_iterate_phdr"]]);
        assert!(!DEFINED.succeeds());
    }

    /// Objects whose undefined symbols are known by index must have the same answer by their relocations.
    #[test]
    fn symbols_and_relocations_agree() {
        unsafe extern "C" fn compare(info: *mut libc::dl_phdr_info, _: usize, counts: *mut c_void) -> c_int {
            // SAFETY: as in `on_object`; the caller below passes its local.
            let (object, counts) = unsafe { (Object::new(&*info), &mut *counts.cast::<[usize; 3]>()) };
            if let Some(object) = object.filter(|object| object.first_defined > 1) {
                let names =
                    [c"malloc", c"free", c"memcpy", c"__errno_location", c"abort", c"write", c"no_such_function"];
                for name in names {
                    let by_symbols = object.imports_by(&[&[name]], 1..object.first_defined);
                    counts[usize::from(by_symbols)] += 1;
                    counts[2] += usize::from(by_symbols != object.imports_by(&[&[name]], object.relocated_symbols()));
                }
            }
            0
        }
        let mut counts = [0usize; 3];
        // SAFETY: the callback has the right type, and gets a pointer to what it expects.
        unsafe { libc::dl_iterate_phdr(Some(compare), (&raw mut counts).cast()) };
        let [missing, imported, different] = counts;
        assert!(missing > 0 && imported > 0, "{missing} missing, {imported} imported");
        assert_eq!(different, 0);
    }

    /// libBrokenLocale is part of glibc, and the only function that it calls is not called by this program.
    #[test]
    #[cfg(target_env = "gnu")]
    fn objects_that_are_loaded_later_are_searched() {
        static LATER: ImportSearch = ImportSearch::new(&[&[c"nl_langinfo"]]);
        assert!(!LATER.succeeds());
        // SAFETY: loads a library without constructors.
        let library = unsafe { libc::dlopen(c"libBrokenLocale.so.1".as_ptr(), libc::RTLD_LAZY) };
        assert!(!library.is_null());
        assert!(LATER.succeeds());
        // SAFETY: opened above, and nothing uses it.
        assert_eq!(unsafe { libc::dlclose(library) }, 0);
        assert!(!LATER.succeeds());
    }
}
