//! Finds the source text for the file name of a stack frame: a file, a builtin, the text of `-e`, or a text of `vm`, the REPL or module hooks.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::rc::Rc;

use oxc_span::SourceType;
use phasor_engine::StackFrame;
use phasor_js::State;

use super::map::{Map, Place};

/// How many source texts that have no file, such as those of `eval`, are kept at most.
const MAX_STORED: usize = 64;

/// Larger texts without a file are not stored.
const MAX_STORED_BYTES: usize = 256 << 10;

/// Larger texts are not parsed: they are bundles, in which names are usually minified.
const MAX_PARSED_BYTES: usize = 4 << 20;

thread_local! {
    /// The parsed texts by file name.
    static MAPS: RefCell<HashMap<String, Option<Rc<Map>>>> = RefCell::default();
    static STORED: RefCell<VecDeque<StoredText>> = RefCell::default();
}

/// A text without a file.
struct StoredText {
    name: String,
    text: String,
    offset: Offset,
}

/// The position of a text's first character (`lineOffset` and `columnOffset` of `vm.Script`).
#[derive(Clone, Copy, Default)]
pub(super) struct Offset {
    pub(super) lines: i32,
    pub(super) columns: i32,
}

impl Offset {
    /// The offset of the text with this file name.
    pub(super) fn of(file: &str) -> Offset {
        stored(file, |stored| stored.offset).unwrap_or_default()
    }

    /// The number to add to the columns of a line.
    pub(super) fn column_of(self, line: i32) -> i32 {
        if line == self.lines + 1 { self.columns } else { 0 }
    }

    /// Converts a position in the text to the position in a stack.
    pub(super) fn outside(self, (line, column): Place) -> Place {
        let line = line.saturating_add_signed(self.lines);
        (line, column.saturating_add_signed(self.column_of(line as i32)))
    }

    /// Converts a position in a stack to the position in the text.
    pub(super) fn inside(self, (line, column): Place) -> Place {
        let columns = self.column_of(line as i32).saturating_neg();
        (line.saturating_add_signed(self.lines.saturating_neg()), column.saturating_add_signed(columns))
    }
}

/// Converts the positions of the engine's frames to positions in their texts. The engine adds the line offset only, so only lines change.
pub(super) fn inside(mut frames: Vec<StackFrame>) -> Vec<StackFrame> {
    for frame in &mut frames {
        if let Some(file) = &frame.file {
            frame.line = frame.line.saturating_add_signed(Offset::of(file).lines.saturating_neg());
        }
    }
    frames
}

/// Parses the text with this file name, or returns the map of an earlier call.
pub(super) fn map(state: &State, file: &str) -> Option<Rc<Map>> {
    if let Some(cached) = MAPS.with_borrow(|maps| maps.get(file).cloned()) {
        return cached;
    }
    let text = text(state, file).filter(|text| text.len() <= MAX_PARSED_BYTES);
    let text = text.map(|text| text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned));
    let kind = SourceType::from_path(Path::new(file)).unwrap_or_default();
    let kind = if kind.is_typescript() { kind } else { SourceType::unambiguous() };
    let map = text.and_then(|text| Map::of(text, kind)).map(Rc::new);
    MAPS.with_borrow_mut(|maps| {
        if maps.len() >= MAX_STORED {
            maps.clear();
        }
        maps.insert(file.to_owned(), map.clone());
    });
    map
}

/// Calls `read` with the stored text of this name.
fn stored<R>(name: &str, read: impl FnOnce(&StoredText) -> R) -> Option<R> {
    STORED.with_borrow(|all| all.iter().rfind(|stored| stored.name == name).map(read))
}

/// Stores a text under a name, until [`MAX_STORED`] newer texts are stored.
pub(super) fn store(name: String, text: String, offset: Offset) {
    MAPS.with_borrow_mut(|maps| maps.remove(&name));
    STORED.with_borrow_mut(|all| {
        // A program may compile several texts under one name: store the last.
        all.retain(|stored| stored.name != name);
        if text.len() <= MAX_STORED_BYTES {
            all.push_back(StoredText { name, text, offset });
        }
        if all.len() > MAX_STORED {
            all.pop_front();
        }
    });
}

/// A line of the text with this file name.
pub(super) fn line(state: &State, file: &str, line: i32) -> Option<String> {
    let line = line.saturating_sub(Offset::of(file).lines);
    let text = text(state, file)?;
    let found = text.split('\n').nth(usize::try_from(line).ok()?.checked_sub(1)?);
    found.map(|found| found.strip_suffix('\r').unwrap_or(found).to_owned())
}

/// The text with this file name.
pub(super) fn text(state: &State, file: &str) -> Option<String> {
    if let Some(text) = stored(file, |stored| stored.text.clone()) {
        return Some(text);
    }
    if let Some(id) = file.strip_prefix("node:") {
        return state.builtin_source(id).map(str::to_owned);
    }
    let options = state.options();
    if file == options.eval_file || file.ends_with("/[eval1]") {
        return options.eval.clone();
    }
    let path = match file.strip_prefix("file://") {
        Some(url) => {
            let path = url.split(['?', '#']).next().unwrap_or_default();
            percent_encoding::percent_decode_str(path).decode_utf8().ok()?.into_owned()
        }
        None => file.to_owned(),
    };
    if !path.starts_with('/') {
        return None;
    }
    // The module loaders replace invalid UTF-8, too.
    Some(String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned())
}
