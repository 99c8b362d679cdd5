//! Memory limits of control groups (`cgroups(7)`), version 1 and version 2. This module only reads files.
//!
//! Version 1 has a hierarchy per controller under `/sys/fs/cgroup/<controller>`, version 2 a single hierarchy. The
//! paths in `/proc/self/cgroup` are relative to these. The rules are those of `src/unix/linux.c:
//! uv__get_cgroup_constrained_memory`.

use std::path::{Path, PathBuf};

use crate::process::page_bytes;

/// No limit. Version 2 writes `max` for it, version 1 a large number: see [`unlimited_v1`].
pub(super) const UNLIMITED: u64 = u64::MAX;

/// The control groups of a process, and where the hierarchies are mounted.
pub(super) struct Groups {
    /// The content of `/proc/self/cgroup`.
    membership: String,
    /// `/sys/fs/cgroup`, except in tests.
    root: PathBuf,
}

impl Groups {
    /// The groups of this process; `None` if the system has no control groups.
    pub(super) fn of_this_process() -> Option<Groups> {
        let membership = std::fs::read_to_string("/proc/self/cgroup").ok()?;
        Some(Groups { membership, root: "/sys/fs/cgroup".into() })
    }

    /// The lower of the two memory limits: the one that throttles (`memory.high`) and the one that invokes the OOM
    /// killer (`memory.max`). 0 if they cannot be read, [`UNLIMITED`] if there is none.
    pub(super) fn memory_limit_bytes(&self) -> u64 {
        let (high, max) = match self.group_v2() {
            Some(group) => (number(&group.join("memory.high")), number(&group.join("memory.max"))),
            None => {
                let both = |group: &Path| {
                    (number(&group.join("memory.soft_limit_in_bytes")), number(&group.join("memory.limit_in_bytes")))
                };
                let own = self.memory_v1().map(|group| both(&group)).filter(|both| both.0 != 0 && both.1 != 0);
                // In a container the path may be the host's while only the container's own group is mounted, at the
                // root.
                let (high, max) = own.unwrap_or_else(|| both(&self.root.join("memory")));
                (unlimited_v1(high), unlimited_v1(max))
            }
        };
        if high == 0 || max == 0 { 0 } else { high.min(max) }
    }

    /// The memory that the group uses, in bytes. 0 if it cannot be read.
    pub(super) fn memory_used_bytes(&self) -> u64 {
        if let Some(group) = self.group_v2() {
            return number(&group.join("memory.current"));
        }
        let used = |group: &Path| number(&group.join("memory.usage_in_bytes"));
        let own = self.memory_v1().map(|group| used(&group)).filter(|used| *used != 0);
        own.unwrap_or_else(|| used(&self.root.join("memory")))
    }

    /// The path of the version 2 group, if version 2 is in use: its line is then the first.
    fn group_v2(&self) -> Option<PathBuf> {
        let path = self.membership.strip_prefix("0::/")?.lines().next().unwrap_or("");
        Some(self.root.join(relative(path)))
    }

    /// The path of the group in version 1's `memory` hierarchy.
    fn memory_v1(&self) -> Option<PathBuf> {
        let path = self.membership.lines().find_map(|line| line.split_once(':')?.1.strip_prefix("memory:"))?;
        Some(self.root.join("memory").join(relative(path)))
    }
}

/// Strips the leading slash: joining an absolute path would replace the root.
fn relative(path: &str) -> &str {
    path.trim_start_matches('/')
}

/// Maps version 1's number for "no limit", the largest multiple of the page size in an i64, to [`UNLIMITED`].
fn unlimited_v1(bytes: u64) -> u64 {
    if bytes == i64::MAX as u64 & !(page_bytes() - 1) { UNLIMITED } else { bytes }
}

/// Reads a file with one number; 0 if it cannot be read or parsed.
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

    /// A directory tree of files with numbers, removed on drop.
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
    fn version_2_limits() {
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
    fn version_1_limits() {
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
    fn unreadable_files_give_zero() {
        let groups = Groups { membership: "4:memory:/a\n".into(), root: "/nowhere/at/all".into() };
        assert_eq!((groups.memory_limit_bytes(), groups.memory_used_bytes()), (0, 0));
    }
}
