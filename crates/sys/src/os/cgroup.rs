//! What control groups allow this process to use, in both of the kernel's layouts. Reading files is all there is.
//!
//! The first layout has a tree for each resource under `/sys/fs/cgroup/<controller>`, the second one tree for all. The
//! paths in `/proc/self/cgroup` are relative to these.

use std::path::{Path, PathBuf};

use crate::process::page_bytes;

/// Without a limit. The second layout writes `max`, the first a number that stands for it.
pub(super) const UNLIMITED: u64 = u64::MAX;

/// Which groups this process is in, and where the trees are mounted.
pub(super) struct Groups {
    /// The text of `/proc/self/cgroup`.
    membership: String,
    /// `/sys/fs/cgroup`, except in tests.
    root: PathBuf,
}

impl Groups {
    /// Those of this process; nothing on a system without them.
    pub(super) fn own() -> Option<Groups> {
        let membership = std::fs::read_to_string("/proc/self/cgroup").ok()?;
        Some(Groups { membership, root: "/sys/fs/cgroup".into() })
    }

    /// The lower of the two limits of memory, the one that slows and the one that kills. 0 if they cannot be read,
    /// [`UNLIMITED`] if there is none.
    pub(super) fn memory_limit_bytes(&self) -> u64 {
        let (high, max) = match self.unified() {
            Some(group) => (number(&group.join("memory.high")), number(&group.join("memory.max"))),
            None => {
                let both = |group: &Path| {
                    (number(&group.join("memory.soft_limit_in_bytes")), number(&group.join("memory.limit_in_bytes")))
                };
                let own = self.split_memory().map(|group| both(&group)).filter(|both| both.0 != 0 && both.1 != 0);
                // In a container the path may be the host's, with only the own group mounted, at the top.
                let (high, max) = own.unwrap_or_else(|| both(&self.root.join("memory")));
                (split_unlimited(high), split_unlimited(max))
            }
        };
        if high == 0 || max == 0 { 0 } else { high.min(max) }
    }

    /// How much memory the group uses. 0 if that cannot be read.
    pub(super) fn memory_used_bytes(&self) -> u64 {
        if let Some(group) = self.unified() {
            return number(&group.join("memory.current"));
        }
        let used = |group: &Path| number(&group.join("memory.usage_in_bytes"));
        let own = self.split_memory().map(|group| used(&group)).filter(|used| *used != 0);
        own.unwrap_or_else(|| used(&self.root.join("memory")))
    }

    /// The group in the second layout, if that is the one in use: it is then the first line.
    fn unified(&self) -> Option<PathBuf> {
        let path = self.membership.strip_prefix("0::/")?.lines().next().unwrap_or("");
        Some(self.root.join(relative(path)))
    }

    /// The group that counts memory in the first layout.
    fn split_memory(&self) -> Option<PathBuf> {
        let path = self.membership.lines().find_map(|line| line.split_once(':')?.1.strip_prefix("memory:"))?;
        Some(self.root.join("memory").join(relative(path)))
    }
}

/// A path that can be joined: a leading slash would replace what it is joined to.
fn relative(path: &str) -> &str {
    path.trim_start_matches('/')
}

/// The first layout's word for no limit: the largest number of bytes that is whole pages.
fn split_unlimited(bytes: u64) -> u64 {
    if bytes == i64::MAX as u64 & !(page_bytes() - 1) { UNLIMITED } else { bytes }
}

/// A file's one number; 0 if there is none.
fn number(path: &Path) -> u64 {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    match text.trim() {
        "max" => UNLIMITED,
        word => word.parse().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of files with numbers, gone with the value.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str, files: &[(&str, &str)]) -> Tree {
            let root = std::env::temp_dir().join(format!("phasor-cgroup-{name}-{}", std::process::id()));
            for (path, text) in files {
                let path = root.join(path);
                std::fs::create_dir_all(path.parent().expect("has one")).expect("a directory");
                std::fs::write(path, text).expect("a file");
            }
            Tree(root)
        }

        fn groups(&self, membership: &str) -> Groups {
            Groups { membership: membership.to_owned(), root: self.0.clone() }
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn one_tree_for_all() {
        let tree = Tree::new(
            "unified",
            &[
                ("a/b/memory.max", "4096\n"),
                ("a/b/memory.high", "max\n"),
                ("a/b/memory.current", "96\n"),
                ("free/memory.max", "max\n"),
                ("free/memory.high", "max\n"),
                ("soft/memory.max", "4096\n"),
                ("soft/memory.high", "1024\n"),
            ],
        );
        let groups = tree.groups("0::/a/b\n");
        assert_eq!((groups.memory_limit_bytes(), groups.memory_used_bytes()), (4096, 96));
        assert_eq!(tree.groups("0::/free\n").memory_limit_bytes(), UNLIMITED);
        assert_eq!(tree.groups("0::/soft\n").memory_limit_bytes(), 1024);
        assert_eq!(tree.groups("0::/\n").memory_limit_bytes(), 0, "the root has no limits");
        assert_eq!(tree.groups("0::/nowhere").memory_used_bytes(), 0);
    }

    #[test]
    fn a_tree_for_each_resource() {
        let none = (i64::MAX as u64 & !(page_bytes() - 1)).to_string();
        let tree = Tree::new(
            "split",
            &[
                ("memory/a/memory.limit_in_bytes", "8192\n"),
                ("memory/a/memory.soft_limit_in_bytes", &none),
                ("memory/a/memory.usage_in_bytes", "5\n"),
                ("memory/memory.limit_in_bytes", &none),
                ("memory/memory.soft_limit_in_bytes", &none),
                ("memory/memory.usage_in_bytes", "77\n"),
            ],
        );
        let groups = tree.groups("9:name=systemd:/\n4:memory:/a\n1:cpu:/\n0::/\n");
        assert_eq!((groups.memory_limit_bytes(), groups.memory_used_bytes()), (8192, 5));
        for membership in ["4:memory:/of/the/host\n0::/\n", "1:cpu:/\n", ""] {
            let groups = tree.groups(membership);
            assert_eq!((groups.memory_limit_bytes(), groups.memory_used_bytes()), (UNLIMITED, 77), "{membership:?}");
        }
    }

    #[test]
    fn without_files_there_is_no_limit_to_tell() {
        let groups = Groups { membership: "4:memory:/a\n".into(), root: "/nowhere/at/all".into() };
        assert_eq!((groups.memory_limit_bytes(), groups.memory_used_bytes()), (0, 0));
    }
}
