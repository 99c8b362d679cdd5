//! Reads of an ELF file what tells how it gets its libuv: the dynamic linker, and the functions it defines and imports.
//!
//! Only what is needed is read: the symbol tables of a program of 100 MB are a few MB. Damaged tables are taken as empty.

use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Constants of `elf.h`.
const PT_INTERP: u32 = 3;
const SHT_SYMTAB: u32 = 2;
const SHT_DYNSYM: u32 = 11;
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

/// What an ELF file says of itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Elf {
    /// Whether it is for this machine's architecture.
    pub(crate) is_native: bool,
    /// The dynamic linker; `None` for a library and a static program.
    pub(crate) interpreter: Option<PathBuf>,
    /// Those of the functions in question that the file defines.
    pub(crate) defines: Vec<&'static str>,
    /// Those of the functions in question that it imports.
    pub(crate) imports: Vec<&'static str>,
}

impl Elf {
    /// Reads a file, and looks for functions in its symbol tables. `None` if it is no ELF file.
    pub(crate) fn read(file: &File, functions: &[&'static str]) -> io::Result<Option<Elf>> {
        let mut head = [0; 64];
        match file.read_exact_at(&mut head, 0) {
            Ok(()) if head.starts_with(b"\x7fELF") => {}
            Ok(()) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let machine = if cfg!(target_arch = "aarch64") { EM_AARCH64 } else { EM_X86_64 };
        let mut elf = Elf { is_native: u16_at(&head, 18) == machine, ..Elf::default() };
        if head[4] != ELFCLASS64 || head[5] != ELFDATA2LSB {
            elf.is_native = false;
            return Ok(Some(elf));
        }
        let headers = table(file, u64_at(&head, 32), u64::from(u16_at(&head, 56)) * PROGRAM_HEADER as u64)?;
        for header in headers.chunks_exact(PROGRAM_HEADER).filter(|header| u32_at(header, 0) == PT_INTERP) {
            let mut path = table(file, u64_at(header, 8), u64_at(header, 32))?;
            path.retain(|byte| *byte != 0);
            elf.interpreter = Some(PathBuf::from(std::ffi::OsString::from_vec(path)));
        }
        let sections = table(file, u64_at(&head, 40), u64::from(u16_at(&head, 60)) * SECTION_HEADER as u64)?;
        for section in sections.chunks_exact(SECTION_HEADER) {
            if [SHT_SYMTAB, SHT_DYNSYM].contains(&u32_at(section, 4)) {
                let strings = sections.chunks_exact(SECTION_HEADER).nth(u32_at(section, 40) as usize);
                let strings = strings.map_or(Ok(Vec::new()), |section| contents(file, section))?;
                elf.look_at(&contents(file, section)?, &strings, functions);
            }
        }
        Ok(Some(elf))
    }

    /// Looks for the functions in a symbol table.
    fn look_at(&mut self, symbols: &[u8], strings: &[u8], functions: &[&'static str]) {
        for symbol in symbols.chunks_exact(SYMBOL) {
            let name = strings.get(u32_at(symbol, 0) as usize..).unwrap_or_default();
            let is_named = |function: &&&str| {
                // In a symbol table that is not for the dynamic linker, a version follows the name.
                name.strip_prefix(function.as_bytes()).is_some_and(|rest| matches!(rest.first(), Some(0 | b'@')))
            };
            let Some(function) = functions.iter().find(is_named) else { continue };
            let found = if u16_at(symbol, 6) == 0 { &mut self.imports } else { &mut self.defines };
            if !found.contains(function) {
                found.push(function);
            }
        }
    }
}

/// The contents of a section.
fn contents(file: &File, section: &[u8]) -> io::Result<Vec<u8>> {
    table(file, u64_at(section, 24), u64_at(section, 32))
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
    fn this_program_imports_open_and_defines_main() {
        let file = File::open(std::env::current_exe().unwrap()).unwrap();
        let elf = Elf::read(&file, &["main", "malloc", "uv_run"]).unwrap().unwrap();
        assert!(elf.is_native && elf.interpreter.as_ref().is_some_and(|path| path.exists()), "{elf:?}");
        assert_eq!((elf.defines, elf.imports), (vec!["main"], vec!["malloc"]));
    }

    #[test]
    fn other_files_are_no_elf_files_and_damaged_ones_have_no_symbols() {
        let path = std::env::temp_dir().join(format!("phasor-elf-{}", std::process::id()));
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Elf::read(&File::open(&path).unwrap(), &["main"]).unwrap()
        };
        assert_eq!(read(b""), None);
        assert_eq!(read(&[b'#'; 100]), None);
        let mut damaged = [0xff; 128];
        damaged[..6].copy_from_slice(b"\x7fELF\x02\x01");
        assert_eq!(read(&damaged), Some(Elf::default()));
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(read(&program[..program.len() / 2]).unwrap().defines, Vec::<&str>::new());
        std::fs::remove_file(&path).unwrap();
    }
}
