//! Writes programs as JavaScript.

use std::fmt::Write;

use crate::generate::MAX_DELAY_UNITS;
use crate::{Awaits, Body, End, Fate, Handler, Op, Program, Root, Settlement, Stage};

/// The code that all programs of a file share.
const PRELUDE: &str = include_str!("prelude.js");

/// A file that runs programs one after the other, each when the previous one has left the loop empty. It prints a line per program: the
/// result of [`play`](crate::play), joined by commas. Only the first program may have the root [`Root::Main`].
///
/// A global `world` with `advance(ms)` and `tell(line)` replaces the clock and the console.
pub fn script(programs: &[&Program], unit_ms: u64) -> String {
    let mut text =
        format!("'use strict';\nconst UNIT = {unit_ms}, LONGEST = {MAX_DELAY_UNITS};\n{PRELUDE}\nconst programs = [\n");
    for program in programs {
        let _ = write!(text, "{{ root: '{}', listens: {}, ", root(program.root), program.listens);
        let _ = write!(text, "body() {{\n{}}}, answers: [", body(&program.body, 1));
        for answer in &program.answers {
            let _ = write!(text, "() => {{\n{}}}, ", body(answer, 1));
        }
        text += "] },\n";
    }
    text + "];\nif (programs.length) begin(programs[0]);\n"
}

/// One program as readable JavaScript.
pub fn show(program: &Program) -> String {
    let mut text = format!(
        "// called from {}{}\n{}",
        match program.root {
            Root::Main => "the main script",
            Root::Immediate => "an immediate",
            Root::Timer => "a timer",
            Root::Message => "a message",
        },
        if program.listens { ", listens for 'unhandledRejection'" } else { "" },
        body(&program.body, 0)
    );
    for answer in &program.answers {
        let _ = write!(text, "// the next listener that is called:\n{}", body(answer, 0));
    }
    text
}

/// Parses the output of a script: one line for each program that has ended.
pub fn orders(output: &str) -> Vec<Vec<String>> {
    let words = |line: &str| line.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    output.lines().map(words).collect()
}

fn root(root: Root) -> &'static str {
    match root {
        Root::Main => "main",
        Root::Immediate => "immediate",
        Root::Timer => "timer",
        Root::Message => "message",
    }
}

fn body(body: &Body, depth: usize) -> String {
    let mut text = String::new();
    let number = body.number;
    line(&mut text, depth, &format!("on({number});"));
    for one in &body.ops {
        line(&mut text, depth, &op(one, number, depth));
    }
    text
}

fn line(text: &mut String, depth: usize, words: &str) {
    let _ = writeln!(text, "{:1$}{words}", "", depth * 2);
}

/// A function expression inside a line.
fn function(inner: &Body, depth: usize) -> String {
    format!("() => {{\n{}{:2$}}}", body(inner, depth + 1), "", depth * 2)
}

fn op(op: &Op, number: u32, depth: usize) -> String {
    let inner = |body: &Body| function(body, depth);
    match op {
        Op::Tick(body) => format!("process.nextTick({});", inner(body)),
        Op::Microtask(body) => format!("queueMicrotask({});", inner(body)),
        Op::Immediate(body) => format!("I.push(setImmediate({}));", inner(body)),
        Op::Timeout(units, body) => format!("T.push(setTimeout({}, {units} * UNIT));", inner(body)),
        Op::Interval(units, calls, body) => {
            let counted = inner(body).replacen(';', "; if (--n === 0) clearInterval(t);", 1);
            format!("{{ let n = {calls}; const t = setInterval({counted}, {units} * UNIT); T.push(t); }}")
        }
        Op::Message(body) => format!("post({});", inner(body)),
        Op::Clear(pick) => format!("clearTimeout(nth(T, {pick}));"),
        Op::Refresh(pick) => format!("nth(T, {pick})?.refresh();"),
        Op::Unref(pick) => format!("nth(T, {pick})?.unref();"),
        Op::Ref(pick) => format!("nth(T, {pick})?.ref();"),
        Op::ClearImmediate(pick) => format!("clearImmediate(nth(I, {pick}));"),
        Op::UnrefImmediate(pick) => format!("nth(I, {pick})?.unref();"),
        Op::RefImmediate(pick) => format!("nth(I, {pick})?.ref();"),
        Op::Promise(Fate::Pending) => "promise('pending');".to_owned(),
        Op::Promise(Fate::Fulfilled) => "promise('fulfilled');".to_owned(),
        Op::Promise(Fate::Rejected) => format!("promise('rejected', {number});"),
        Op::Settle(pick, Settlement::Value) => format!("keep({pick});"),
        Op::Settle(pick, Settlement::Error) => format!("fail({pick}, {number});"),
        Op::Settle(pick, Settlement::Promise(other)) => format!("keep({pick}, nth(P, {other}));"),
        Op::Then(pick, on_fulfilled, on_rejected) => {
            let handler = |handler: &Option<Handler>| match handler {
                Some(Handler { body: inner, end: the_end }) => {
                    let (inner, last) = (body(inner, depth + 1), end(*the_end, depth + 1));
                    format!("() => {{\n{inner}{last}{:1$}}}", "", depth * 2)
                }
                None => "undefined".to_owned(),
            };
            format!("then({pick}, {}, {});", handler(on_fulfilled), handler(on_rejected))
        }
        Op::Async(first, stages, the_end) => {
            let mut text = body(first, depth + 1);
            for one in stages {
                text += &stage(one, depth + 1);
            }
            text += &end(*the_end, depth + 1);
            format!("P.push((async () => {{\n{text}{:1$}}})());", "", depth * 2)
        }
        Op::Advance(units) => format!("advance({units});"),
        Op::Throw => format!("throw error({number});"),
    }
}

fn stage(stage: &Stage, depth: usize) -> String {
    let mut text = String::new();
    let awaited = match stage.awaits {
        Awaits::Value => "0".to_owned(),
        Awaits::Promise(pick) => format!("nth(P, {pick})"),
        Awaits::Thenable => "{ then(done) { done(); } }".to_owned(),
    };
    let number = stage.body.number;
    line(
        &mut text,
        depth,
        &match stage.caught {
            true => format!("try {{ await {awaited}; }} catch (e) {{ say(`caught ${{blame(e)}} before {number}`); }}"),
            false => format!("await {awaited};"),
        },
    );
    text + &body(&stage.body, depth)
}

fn end(end: End, depth: usize) -> String {
    let mut text = String::new();
    if let End::Promise(pick) = end {
        line(&mut text, depth, &format!("return nth(P, {pick});"));
    }
    text
}
