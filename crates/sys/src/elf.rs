//! Reads ELF files: the dynamic linker that a program names, and the symbols of programs and libraries.
//!
//! Only the tables are read: for a program of 100 MB they have a few MB. Damaged tables count as empty.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Constants of `elf.h`.
const PT_INTERP: u32 = 3;
const SHT_SYMTAB: u32 = 2;
const SHT_DYNSYM: u32 = 11;
const STT_FUNC: u8 = 2;
const STT_GNU_IFUNC: u8 = 10;
const ELFCLASS64: u8 = 2;
const ELFDATA2LSB: u8 = 1;
const EM_X86_64: u16 = 62;
const EM_AARCH64: u16 = 183;

/// The sizes of the entries of the tables, in files for 64 bits.
const PROGRAM_HEADER: usize = 56;
const SECTION_HEADER: usize = 64;
const SYMBOL: usize = 24;

/// The largest table that is read.
const MOST_BYTES: u64 = 1 << 28;

/// The symbols of an ELF file. A file that is not for 64 bits or not little-endian has no symbols.
#[derive(Debug, Default)]
pub struct ElfFile {
    /// Whether it is for this machine's architecture.
    pub is_native: bool,
    /// The dynamic linker; `None` for a library and a static program.
    pub interpreter: Option<PathBuf>,
    /// The symbol tables of the file.
    pub tables: Vec<SymbolTable>,
}

/// A symbol table of an ELF file.
#[derive(Debug)]
pub struct SymbolTable {
    /// Whether it is the table for the dynamic linker: strip(1) removes the other one, which has local functions too.
    pub is_dynamic: bool,
    symbols: Vec<u8>,
    strings: Vec<u8>,
}

/// A symbol.
#[derive(Clone, Copy, Debug)]
pub struct Symbol<'a> {
    strings: &'a [u8],
    /// Where its name is in the strings of its table, see [`SymbolTable::name`].
    pub name_offset: u32,
    /// The address of the symbol in the file. Its address in memory is this plus the address of the object.
    pub address: u64,
    /// The size of the symbol in bytes.
    pub size: u64,
    /// Whether the file defines it; otherwise it is imported.
    pub is_defined: bool,
    /// Whether it is a function.
    pub is_function: bool,
}

impl ElfFile {
    /// Reads a file. `None` if it is no ELF file.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn read(file: &File) -> io::Result<Option<ElfFile>> {
        let mut head = [0; 64];
        match file.read_exact_at(&mut head, 0) {
            Ok(()) if head.starts_with(b"\x7fELF") => {}
            Ok(()) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let machine = if cfg!(target_arch = "aarch64") { EM_AARCH64 } else { EM_X86_64 };
        let mut elf = ElfFile { is_native: u16_at(&head, 18) == machine, ..ElfFile::default() };
        if head[4] != ELFCLASS64 || head[5] != ELFDATA2LSB {
            elf.is_native = false;
            return Ok(Some(elf));
        }
        let headers = table(file, u64_at(&head, 32), u64::from(u16_at(&head, 56)) * PROGRAM_HEADER as u64)?;
        for header in headers.chunks_exact(PROGRAM_HEADER).filter(|header| u32_at(header, 0) == PT_INTERP) {
            let mut path = table(file, u64_at(header, 8), u64_at(header, 32))?;
            path.retain(|byte| *byte != 0);
            elf.interpreter = Some(OsString::from_vec(path).into());
        }
        let sections = table(file, u64_at(&head, 40), u64::from(u16_at(&head, 60)) * SECTION_HEADER as u64)?;
        let contents = |section: &[u8]| table(file, u64_at(section, 24), u64_at(section, 32));
        for section in sections.chunks_exact(SECTION_HEADER) {
            let kind = u32_at(section, 4);
            if kind == SHT_SYMTAB || kind == SHT_DYNSYM {
                let strings = sections.chunks_exact(SECTION_HEADER).nth(u32_at(section, 40) as usize);
                let strings = strings.map_or(Ok(Vec::new()), contents)?;
                elf.tables.push(SymbolTable { is_dynamic: kind == SHT_DYNSYM, symbols: contents(section)?, strings });
            }
        }
        Ok(Some(elf))
    }

    /// All symbols.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol<'_>> {
        self.tables.iter().flat_map(SymbolTable::symbols)
    }
}

impl SymbolTable {
    /// The symbols of the table.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol<'_>> {
        self.symbols.chunks_exact(SYMBOL).map(|symbol| Symbol {
            strings: &self.strings,
            name_offset: u32_at(symbol, 0),
            address: u64_at(symbol, 8),
            size: u64_at(symbol, 16),
            is_defined: u16_at(symbol, 6) != 0,
            is_function: matches!(symbol[4] & 15, STT_FUNC | STT_GNU_IFUNC),
        })
    }

    /// The name of a symbol, by [`Symbol::name_offset`].
    pub fn name(&self, offset: u32) -> &[u8] {
        name(&self.strings, offset)
    }

    /// Forgets the symbols, but not their names.
    pub(crate) fn keep_names_only(&mut self) {
        self.symbols = Vec::new();
    }
}

impl<'a> Symbol<'a> {
    /// The name of the symbol without a version.
    pub fn name(&self) -> &'a [u8] {
        name(self.strings, self.name_offset)
    }
}

fn name(strings: &[u8], offset: u32) -> &[u8] {
    let rest = strings.get(offset as usize..).unwrap_or_default();
    // In the table that is not for the dynamic linker, a version may follow the name.
    rest.split(|byte| matches!(byte, 0 | b'@')).next().unwrap_or_default()
}

/// Bytes of the file; none if they are not there.
fn table(file: &File, offset: u64, bytes: u64) -> io::Result<Vec<u8>> {
    let end = offset.checked_add(bytes);
    if bytes > MOST_BYTES || end.is_none_or(|end| end > file.metadata().map_or(0, |metadata| metadata.len())) {
        return Ok(Vec::new());
    }
    let mut table = vec![0; bytes as usize];
    file.read_exact_at(&mut table, offset)?;
    Ok(table)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..at + N).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; N])
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_imports_malloc_and_defines_main() {
        let file = File::open(std::env::current_exe().unwrap()).unwrap();
        let elf = ElfFile::read(&file).unwrap().unwrap();
        assert!(elf.is_native && elf.interpreter.as_ref().is_some_and(|path| path.exists()));
        let defined = |name: &[u8]| elf.symbols().find(|symbol| symbol.name() == name).map(|symbol| symbol.is_defined);
        assert_eq!([defined(b"main"), defined(b"malloc"), defined(b"uv_run")], [Some(true), Some(false), None]);
        assert!(elf.symbols().any(|symbol| symbol.name() == b"main" && symbol.is_function && symbol.address != 0));
    }

    #[test]
    fn other_files_are_no_elf_files_and_damaged_ones_have_no_symbols() {
        let path = std::env::temp_dir().join(format!("phasor-elf-{}", std::process::id()));
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            ElfFile::read(&File::open(&path).unwrap()).unwrap()
        };
        assert!(read(b"").is_none() && read(&[b'#'; 100]).is_none());
        let mut damaged = [0xff; 128];
        damaged[..6].copy_from_slice(b"\x7fELF\x02\x01");
        assert_eq!(read(&damaged).map(|elf| (elf.is_native, elf.symbols().count())), Some((false, 0)));
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(read(&program[..program.len() / 2]).unwrap().symbols().count(), 0);
        std::fs::remove_file(&path).unwrap();
    }
}
