//! Pages and JSON of synthetic recordings. `cargo xtask trace-page` opens such pages in a browser.

#[path = "../examples/synthetic/generate.rs"]
mod generate;

use phasor_lens::{Recording, Trace, export};

fn page(trace: &Trace, title: &str) -> String {
    let mut page = Vec::new();
    export::html(trace, title, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

#[test]
fn a_page_is_one_file_without_foreign_addresses() {
    let trace = Trace::new(&[generate::generate(5_000)]);
    let page = page(&trace, "<a> & \"b\"");
    assert!(page.contains("<title>&lt;a&gt; &amp; &quot;b&quot; · Phasor trace</title>"));
    assert!(!page.contains("{{"), "all placeholders are filled in");
    assert_eq!(page.matches("</script>").count(), 3, "no text ends a script early");
    for loading in ["<link rel=\"stylesheet\"", "<script src", "@import", "import(", "fetch(", "url(http"] {
        assert!(!page.contains(loading), "{loading}");
    }
}

#[test]
fn pages_grow_with_the_recording_and_an_empty_one_is_a_page() {
    let bytes = |callbacks| page(&Trace::new(&[generate::generate(callbacks)]), "t").len();
    let (small, large) = (bytes(20_000), bytes(120_000));
    assert!((large - small) / 100_000 < 90, "{} bytes for a callback", (large - small) / 100_000);
    assert!(page(&Trace::new(&generate::generate_odd()), "t").contains("odd \\u003c/script>"));
    assert!(page(&Trace::new(&[]), "t").contains("\"threads\":[]"));
    assert!(page(&Trace::new(&[Recording::default()]), "t").contains("\"threads\":[]"));
}

#[test]
fn every_callback_of_the_generator_is_in_the_trace_and_causes_are_found() {
    let recording = generate::generate(30_000);
    let trace = Trace::new(std::slice::from_ref(&recording));
    let main = &trace.threads[0];
    assert!(main.callbacks.iter().all(|callback| !callback.is_cut));
    // Immediates, ticks, timers and results of files know their cause; what comes from outside has none.
    let asked: Vec<bool> = main
        .callbacks
        .iter()
        .filter(|callback| {
            callback.kind.is_some_and(|kind| ["immediate", "tick", "timeout", "request done"].contains(&kind.name()))
        })
        .map(|callback| callback.cause.is_some_and(|cause| cause.callback.is_some()))
        .collect();
    assert!(asked.len() > 10_000);
    assert!(asked.iter().all(|is_known| *is_known));
    assert!(!trace.messages.is_empty());
    assert!(trace.messages.iter().filter(|message| message.received.is_some()).all(|message| message.sent.is_some()));
    assert_eq!(trace.pool_total(0).tasks, main.requests.iter().filter(|request| request.pool.is_some()).count() as u64);
    assert!(trace.latest_timers(1)[0].1.late_ns > 10_000_000);
}

#[test]
fn chrome_json_has_an_event_for_everything() {
    let trace = Trace::new(&[generate::generate(3_000)]);
    let mut json = Vec::new();
    export::chrome(&trace, &mut json).unwrap();
    let json = String::from_utf8(json).unwrap();
    let count = |kind: &str| json.matches(&format!("{{\"ph\":\"{kind}\"")).count();
    let caused = trace.threads.iter().flat_map(|thread| &thread.callbacks);
    let caused = caused.filter(|callback| callback.cause.is_some_and(|cause| cause.callback.is_some())).count();
    assert_eq!((count("s"), count("f")), (caused, caused));
    assert_eq!(count("b"), trace.threads[0].spans.len());
    assert_eq!(count("b"), count("e"));
    assert!(count("X") > trace.callback_count());
    assert!(json.ends_with("]}\n") && !json.contains("NaN"));
}

#[test]
fn the_page_has_the_source_lines_that_can_be_read() {
    let mut recording = generate::generate(10);
    let this = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pages.rs");
    let location = |file: &str, line| phasor_lens::Location { file: file.into(), line, ..Default::default() };
    let thread = recording.threads.get_mut(&1).unwrap();
    thread.locations.insert(100, location(this, 1));
    thread.locations.insert(101, location(&format!("file://{this}"), 3));
    thread.locations.insert(102, location(this, 1_000_000));
    thread.locations.insert(103, location("/dev/zero", 1));
    let page = page(&Trace::new(&[recording]), "t");
    let sources = page.split_once("\"sources\":").unwrap().1.split_once("]]").unwrap().0;
    assert!(sources.contains("//! Pages and JSON of synthetic recordings."), "{sources}");
    assert!(sources.contains("#[path = "), "{sources}");
    assert_eq!(sources.matches('[').count() - sources.matches("#[").count(), 3, "{sources}");
}
