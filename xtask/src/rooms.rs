//! The rule between the crates: who may use whom, who may not say what, and where unsafe may live.
//!
//! One way only: cli → node → js → core → sys; phasor, lens and sim → core; uv → core, sys. A *room* is a folder under `crates/`,
//! or a folder at the root that is a package (`benches`, `conformance/*`, `xtask`). The rule looks at every kind of dependency, tests
//! included: a test that needs a forbidden room is in the wrong room itself.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use cargo_metadata::{Metadata, MetadataCommand, TargetKind};

/// Which rooms a room may use. A room that is not here is refused until it gets its line.
const MAY_USE: &[(&str, &[&str])] = &[
    ("sys", &[]),
    ("core", &["sys"]),
    ("phasor", &["core"]),
    ("uv", &["core", "sys"]),
    ("js", &["core", "sys"]),
    ("node", &["js", "core", "sys"]),
    ("lens", &["core"]),
    ("sim", &["core"]),
    ("cli", &["node", "js", "lens", "sim", "core", "sys", "runner", "programs"]),
    // They are for tests and chores, and use nothing.
    ("runner", &[]),
    ("programs", &[]),
    // Nothing uses these two, so they cannot carry one room into another.
    ("benches", &["phasor", "core", "sys"]),
    ("xtask", &["runner", "programs"]),
];

/// Rooms whose every library and program opens with `#![forbid(unsafe_code)]`.
const FORBID_UNSAFE: &[&str] = &["core", "phasor", "node", "lens", "sim", "cli", "runner", "programs", "xtask"];

/// The attribute as it must stand.
const FORBID: &str = "#![forbid(unsafe_code)]";

/// A room, as far as the rule looks at it.
#[derive(Debug, Default)]
struct Room {
    /// The folder's own name.
    name: String,
    /// Where it is.
    folder: PathBuf,
    /// The rooms it names in its manifest, for any kind of dependency.
    uses: Vec<String>,
    /// The root files of its libraries and programs.
    roots: Vec<PathBuf>,
}

/// Checks the whole workspace; an error lists everything that breaks the rule.
pub(crate) fn run() -> Result<()> {
    let metadata = MetadataCommand::new()
        .manifest_path(workspace_root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("cannot read the workspace with `cargo metadata`")?;
    let rooms = rooms_of(&metadata);
    let mut faults = bad_edges(&rooms);
    for room in &rooms {
        faults.extend(missing_forbids(room)?);
        if room.name == "sys" {
            faults.extend(says_phase(&room.folder)?);
        }
    }
    if faults.is_empty() {
        println!("   {} rooms, every edge points down", rooms.len());
        return Ok(());
    }
    bail!("the rule between the crates is broken:\n  {}", faults.join("\n  "));
}

/// The folder that holds the workspace's manifest.
pub(crate) fn workspace_root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// The folder that cargo builds in.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let metadata = MetadataCommand::new().manifest_path(workspace_root().join("Cargo.toml")).no_deps().exec();
    Ok(metadata.context("cannot read the workspace with `cargo metadata`")?.target_directory.into_std_path_buf())
}

fn rooms_of(metadata: &Metadata) -> Vec<Room> {
    let last_name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut rooms = Vec::new();
    for package in metadata.workspace_packages() {
        let folder = package.manifest_path.parent().map(|path| path.as_std_path().to_owned()).unwrap_or_default();
        let uses = package.dependencies.iter().filter_map(|dependency| dependency.path.as_ref());
        let is_root = |kind: &TargetKind| {
            !matches!(kind, TargetKind::Bench | TargetKind::Test | TargetKind::Example | TargetKind::CustomBuild)
        };
        let roots = package.targets.iter().filter(|target| target.kind.iter().any(is_root));
        rooms.push(Room {
            name: last_name(&folder),
            uses: uses.map(|path| last_name(path.as_std_path())).collect(),
            roots: roots.map(|target| target.src_path.as_std_path().to_owned()).collect(),
            folder,
        });
    }
    rooms
}

/// Every edge that the table does not allow, one sentence each.
fn bad_edges(rooms: &[Room]) -> Vec<String> {
    let mut faults = Vec::new();
    for room in rooms {
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == room.name) else {
            faults.push(format!("room `{}` has no line in the table of xtask/src/rooms.rs", room.name));
            continue;
        };
        for used in room.uses.iter().filter(|used| **used != room.name && !allowed.contains(&used.as_str())) {
            let may = if allowed.is_empty() { "no room at all".to_owned() } else { allowed.join(", ") };
            faults.push(format!("bad edge `{} -> {used}`: {} may use {may}", room.name, room.name));
        }
    }
    faults
}

/// The root files of a safe room that do not forbid unsafe.
fn missing_forbids(room: &Room) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    if FORBID_UNSAFE.contains(&room.name.as_str()) {
        for root in &room.roots {
            let text = fs::read_to_string(root).with_context(|| format!("cannot read {}", root.display()))?;
            if !text.lines().any(|line| line.trim_end() == FORBID) {
                faults.push(format!("{} lacks the line {FORBID}", shown(root)));
            }
        }
    }
    Ok(faults)
}

/// The places under `folder` that say the word: the room that talks to the kernel knows nothing of the loop's order.
fn says_phase(folder: &Path) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ["rs", "md", "toml"].iter().any(|known| ending == *known)) {
                let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let said = text.lines().zip(1..).filter(|(line, _)| line.to_lowercase().contains("phase"));
                faults.extend(said.map(|(_, number)| format!("{}:{number} says `phase`", shown(&path))));
            }
        }
    }
    faults.sort();
    Ok(faults)
}

/// A path as a person at the root of the workspace would type it.
fn shown(path: &Path) -> String {
    path.strip_prefix(workspace_root()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(name: &str, uses: &[&str]) -> Room {
        let uses = uses.iter().map(ToString::to_string).collect();
        Room { name: name.to_owned(), uses, ..Room::default() }
    }

    /// A folder of this test's own, gone when dropped.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let folder = std::env::temp_dir().join(format!("xtask-rooms-{name}-{}", std::process::id()));
            fs::create_dir_all(folder.join("src")).unwrap();
            Scratch(folder)
        }

        fn write(&self, name: &str, text: &str) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, text).unwrap();
            path
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_designed_edges_pass() {
        let rooms = [
            room("sys", &[]),
            room("core", &["sys"]),
            room("phasor", &["core"]),
            room("uv", &["core", "sys"]),
            room("js", &["core", "sys"]),
            room("node", &["js", "core"]),
            room("lens", &["core"]),
            room("sim", &["core"]),
            room("cli", &["node", "lens", "sim", "core"]),
        ];
        assert_eq!(bad_edges(&rooms), Vec::<String>::new());
    }

    #[test]
    fn every_forbidden_edge_is_named() {
        let bad = [
            ("sys", "core"),
            ("core", "phasor"),
            ("phasor", "uv"),
            ("phasor", "sys"),
            ("uv", "phasor"),
            ("js", "node"),
            ("js", "uv"),
            ("lens", "js"),
            ("sim", "phasor"),
            ("lens", "sim"),
            ("cli", "uv"),
            ("core", "benches"),
        ];
        for (from, to) in bad {
            let faults = bad_edges(&[room(from, &[to])]);
            assert_eq!(faults.len(), 1, "{from} -> {to}");
            assert!(faults[0].contains(&format!("`{from} -> {to}`")), "{}", faults[0]);
        }
    }

    #[test]
    fn a_room_without_a_line_is_refused_and_a_room_may_name_itself() {
        assert!(bad_edges(&[room("attic", &[])])[0].contains("attic"));
        assert!(bad_edges(&[room("core", &["core"])]).is_empty());
    }

    #[test]
    fn no_two_rooms_use_each_other() {
        for (name, uses) in MAY_USE {
            for used in *uses {
                let (_, back) = MAY_USE.iter().find(|(other, _)| other == used).expect("a used room has a line");
                assert!(!back.contains(name), "{name} and {used} use each other");
            }
        }
    }

    #[test]
    fn a_root_without_forbid_is_found() {
        let scratch = Scratch::new("forbid");
        let good = scratch.write("src/lib.rs", "//! Safe.\n#![forbid(unsafe_code)]\n");
        let bad = scratch.write("src/main.rs", "//! Says #![forbid(unsafe_code)] in passing only.\n");
        let mut room = room("core", &[]);
        room.roots = vec![good, bad.clone()];
        let faults = missing_forbids(&room).unwrap();
        assert_eq!(faults.len(), 1);
        assert!(faults[0].starts_with(&bad.display().to_string()), "{}", faults[0]);
        room.name = "sys".to_owned();
        assert!(missing_forbids(&room).unwrap().is_empty());
    }

    #[test]
    fn the_word_is_found_in_any_case_with_its_line() {
        let scratch = Scratch::new("word");
        scratch.write("src/lib.rs", "//! Phasor's floor.\n\nenum Phase {}\n");
        scratch.write("src/notes.txt", "phase\n");
        let faults = says_phase(&scratch.0).unwrap();
        assert_eq!(faults.len(), 1);
        assert!(faults[0].ends_with("src/lib.rs:3 says `phase`"), "{}", faults[0]);
    }
}
