//! A directory of its own for each test, gone with it. For tests only.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A fresh directory that removes itself and all it holds.
pub(super) struct TempDir(PathBuf);

impl TempDir {
    /// Makes one below the system's place for temporary files.
    pub(super) fn new() -> TempDir {
        TempDir::below(&std::env::temp_dir())
    }

    /// Makes one below `parent`.
    pub(super) fn below(parent: &Path) -> TempDir {
        let template = parent.join("phasor-file-XXXXXX").into_os_string().into_vec();
        let made = super::mkdtemp(&CString::new(template).unwrap()).unwrap();
        TempDir(PathBuf::from(OsStr::from_bytes(made.to_bytes())))
    }

    /// The directory itself.
    pub(super) fn root(&self) -> &Path {
        &self.0
    }

    /// The directory itself, as the functions here want it.
    pub(super) fn root_c(&self) -> CString {
        CString::new(self.0.as_os_str().as_bytes()).unwrap()
    }

    /// A name inside. Nothing is made.
    pub(super) fn at(&self, name: &str) -> CString {
        CString::new(self.0.join(name).into_os_string().into_vec()).unwrap()
    }

    /// A file inside, with this content.
    pub(super) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> CString {
        std::fs::write(self.0.join(name), content).unwrap();
        self.at(name)
    }

    /// The content of a file inside.
    pub(super) fn content(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
