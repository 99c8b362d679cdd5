//! The report for people.

use std::fmt::Write;

use super::{Diagnosis, Severity, count, function_name, lost_records, plain_path, time};
use crate::trace::Trace;

/// How the report is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style<'a> {
    /// With colours, for a terminal.
    pub has_colours: bool,
    /// Paths in this folder are shortened.
    pub folder: &'a str,
}

const BOLD: &str = "1";
const RED: &str = "1;31";
const YELLOW: &str = "1;33";
const GREEN: &str = "32";
const DIM: &str = "2";

/// The least width of a line that is wrapped.
const WIDTH: usize = 100;

impl Style<'_> {
    fn paint(&self, colour: &str, text: &str) -> String {
        if self.has_colours { format!("\x1b[{colour}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A text with shorter paths.
    fn shorten(&self, text: &str) -> String {
        match self.folder.trim_end_matches('/') {
            "" => text.to_owned(),
            folder => text.replace(&format!("{folder}/"), ""),
        }
    }

    /// The report about a run.
    pub fn report(&self, trace: &Trace, found: &[Diagnosis]) -> String {
        let mut text = String::new();
        let run = format!("{} in {}", count(trace.callback_count(), "callback"), time(trace.end_ns));
        if found.is_empty() {
            let _ = writeln!(text, "{}", self.paint(GREEN, &format!("phasor doctor: no problem found ({run}).")));
        } else {
            let title = format!("phasor doctor: {} ({run})", count(found.len(), "finding"));
            let _ = writeln!(text, "{}", self.paint(BOLD, &title));
        }
        for (number, diagnosis) in found.iter().enumerate() {
            self.write(&mut text, number + 1, diagnosis, trace.threads.len() > 1);
        }
        let lost = lost_records(trace);
        if lost > 0 {
            let _ =
                writeln!(text, "\n{lost} records were lost, because the disk was too slow: findings may be missing.");
        }
        text
    }

    fn write(&self, text: &mut String, number: usize, diagnosis: &Diagnosis, names_thread: bool) {
        let colour = if diagnosis.severity == Severity::Problem { RED } else { YELLOW };
        let title = self.shorten(&diagnosis.title);
        let id = self.paint(DIM, &format!("[{}]", diagnosis.detector.id()));
        let _ = writeln!(text, "\n{} {id}", self.paint(colour, &format!("{number}. {title}")));
        if let Some(location) = &diagnosis.location {
            let file = self.shorten(plain_path(&location.file));
            let line = if location.line == 0 { file } else { format!("{file}:{}:{}", location.line, location.column) };
            let function = match function_name(location) {
                "" => String::new(),
                name => format!("{name} "),
            };
            self.field(text, "Where", &format!("{function}{line}"));
        }
        if names_thread && !diagnosis.thread.is_empty() && diagnosis.thread != "main" {
            self.field(text, "Thread", &diagnosis.thread);
        }
        for (at, sentence) in diagnosis.evidence.iter().enumerate() {
            self.field(text, if at == 0 { "Seen" } else { "" }, &self.shorten(sentence));
        }
        self.field(text, "Remedy", &self.shorten(&diagnosis.remedy));
    }

    fn field(&self, text: &mut String, name: &str, value: &str) {
        const INDENT: usize = 11;
        let name = format!("{:<8}", if name.is_empty() { String::new() } else { format!("{name}:") });
        let _ = write!(text, "   {}", self.paint(DIM, &name));
        let mut width = INDENT;
        for (at, word) in value.split(' ').enumerate() {
            let length = word.chars().count();
            if at > 0 && width + 1 + length > WIDTH {
                let _ = write!(text, "\n{:INDENT$}", "");
                width = INDENT;
            } else if at > 0 {
                text.push(' ');
                width += 1;
            }
            text.push_str(word);
            width += length;
        }
        text.push('\n');
    }
}
