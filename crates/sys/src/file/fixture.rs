//! Test fixture: a temporary directory for each test, removed on drop.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A new directory that removes itself with its content on drop.
pub(super) struct TempDir(PathBuf);

impl TempDir {
    /// Creates a directory in the system's directory for temporary files.
    pub(super) fn new() -> TempDir {
        TempDir::below(&std::env::temp_dir())
    }

    /// Creates a directory in `parent`.
    pub(super) fn below(parent: &Path) -> TempDir {
        let template = parent.join("phasor-file-XXXXXX").into_os_string().into_vec();
        let made = super::mkdtemp(&CString::new(template).unwrap()).unwrap();
        TempDir(PathBuf::from(OsStr::from_bytes(made.to_bytes())))
    }

    /// The path of the directory.
    pub(super) fn root(&self) -> &Path {
        &self.0
    }

    /// The path of the directory as a C string.
    pub(super) fn root_c(&self) -> CString {
        CString::new(self.0.as_os_str().as_bytes()).unwrap()
    }

    /// The path of an entry, which is not created.
    pub(super) fn at(&self, name: &str) -> CString {
        CString::new(self.0.join(name).into_os_string().into_vec()).unwrap()
    }

    /// Creates a file with this content and returns its path.
    pub(super) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> CString {
        std::fs::write(self.0.join(name), content).unwrap();
        self.at(name)
    }

    /// The content of a file.
    pub(super) fn content(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
