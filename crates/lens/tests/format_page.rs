//! The page of the record format lists every number of the format.

use phasor_lens::{CallbackKind, CounterKind, FindingKind, RecordKind, ResourceKind, SpanKind, VERSION};

/// The text of the sections with these headings.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let start = page.find(heading).unwrap_or_else(|| panic!("no section {heading:?}"));
    let rest = &page[start + heading.len()..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}

#[test]
fn the_page_lists_every_number() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/see/record-format.md");
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page.contains(&format!("This page describes version {VERSION}.")));
    let callbacks = CallbackKind::ALL.iter().map(|kind| (*kind as u32, kind.name()));
    let resources = ResourceKind::ALL.iter().map(|kind| (*kind as u32, kind.name()));
    let spans = SpanKind::ALL.iter().map(|kind| (*kind as u32, kind.name()));
    let counters = CounterKind::ALL.iter().map(|kind| (*kind as u32, kind.name()));
    let findings = FindingKind::ALL.iter().map(|kind| (*kind as u32, kind.name()));
    let mut missing = Vec::new();
    let mut check = |heading: &str, names: &mut dyn Iterator<Item = (u32, &'static str)>| {
        let text = section(&page, heading);
        missing.extend(names.filter(|(number, name)| !text.contains(&format!(" {number} {name}"))));
    };
    // The last one has a description in place of its name.
    check("## Kinds of callbacks", &mut callbacks.filter(|(number, _)| *number != CallbackKind::Drain as u32));
    check("## Resources", &mut resources.into_iter());
    check("## Other numbers", &mut spans.chain(counters).chain(findings));
    assert!(section(&page, "## Kinds of callbacks").contains(" 39 all ticks and microtasks after a callback"));
    assert_eq!(missing, []);
    let records = section(&page, "## A record");
    for kind in RecordKind::ALL.iter().map(|kind| *kind as u8) {
        let is_listed = records.lines().filter_map(|line| line.strip_prefix("| ")).any(|line| {
            line.split('|').next().unwrap_or("").split(',').any(|number| number.trim() == kind.to_string())
        });
        assert!(is_listed, "record kind {kind}");
    }
}
