//! Generates random programs, from a seed or from a fuzzer's bytes.

use crate::model::play;
use crate::{Awaits, Body, End, Fate, Handler, Op, Program, Root, Settlement, Stage};

/// A source of random choices.
pub trait Source {
    /// A number below `limit`, which must not be 0.
    fn below(&mut self, limit: u32) -> u32;
}

/// Choices from a seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Seed(pub u64);

impl Source for Seed {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % u64::from(limit)) as u32
    }
}

/// Choices from bytes. After the last byte it always returns 0.
#[derive(Clone, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl Source for Bytes<'_> {
    fn below(&mut self, limit: u32) -> u32 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        u32::from(*first) % limit
    }
}

/// Maximum nesting of bodies.
const MAX_DEPTH: u32 = 4;

/// Maximum number of operations in a program.
const MAX_OPS: u32 = 28;

/// Maximum delay of a timer, in units.
pub(crate) const MAX_DELAY_UNITS: u8 = 3;

/// Generates a program.
pub fn generate(source: &mut dyn Source) -> Program {
    let mut generator = Generator { source, left: MAX_OPS };
    // `Main` is rare (one in eight), because only the first program of a file can have it.
    const ROOTS: [Root; 4] = [Root::Immediate, Root::Timer, Root::Message, Root::Immediate];
    let root = match generator.choose(8) {
        4 => Root::Main,
        other => ROOTS[other % 4],
    };
    let listens = generator.choose(2) == 0;
    let body = generator.body(0, true);
    let answers = (0..generator.choose(4)).map(|_| generator.body(2, false)).collect();
    let mut program = Program { root, listens, body, answers };
    program.number();
    program
}

/// Generates programs from a seed until the model determines the order of one. Returns that program and its output.
pub fn clear_program(seed: u64, unit_ms: u64) -> (Program, Vec<String>) {
    let mut source = Seed(seed);
    loop {
        let program = generate(&mut source);
        if let Ok(lines) = play(&program, unit_ms) {
            return (program, lines);
        }
    }
}

struct Generator<'a> {
    source: &'a mut dyn Source,
    /// How many more operations may be added.
    left: u32,
}

impl Generator<'_> {
    fn choose(&mut self, limit: u32) -> usize {
        self.source.below(limit) as usize
    }

    fn byte(&mut self, limit: u32) -> u8 {
        self.source.below(limit) as u8
    }

    fn body(&mut self, depth: u32, throws: bool) -> Body {
        let most = if depth == 0 { 8 } else { 4 };
        let mut ops = Vec::new();
        for _ in 0..self.choose(most + 1) {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            ops.push(match self.op(depth) {
                Op::Throw if !throws => Op::Advance(1),
                op => op,
            });
        }
        // The order of timers that are set together is determined only if all are overdue when the loop checks them.
        let sets = ops.iter().any(|op| matches!(op, Op::Timeout(..) | Op::Interval(..) | Op::Refresh(_)));
        if sets && self.choose(4) != 0 {
            let at = ops.iter().position(|op| matches!(op, Op::Throw)).unwrap_or(ops.len());
            ops.insert(at, Op::Advance(MAX_DELAY_UNITS + 1));
        }
        Body { number: 0, ops }
    }

    fn op(&mut self, depth: u32) -> Op {
        let nested = depth < MAX_DEPTH;
        match self.choose(48) {
            0..=3 if nested => Op::Tick(self.body(depth + 1, true)),
            4..=6 if nested => Op::Microtask(self.body(depth + 1, true)),
            7..=10 if nested => Op::Immediate(self.body(depth + 1, true)),
            11..=16 if nested => Op::Timeout(self.units(), self.body(depth + 1, true)),
            17 if nested => Op::Interval(self.units(), 1 + self.byte(3), self.body(depth + 1, true)),
            18..=19 if nested => Op::Message(self.body(depth + 1, true)),
            20..=22 if nested => {
                let (pick, which) = (self.pick(), self.choose(3));
                let on_fulfilled = (which != 0).then(|| self.handler(depth));
                let on_rejected = (which != 1).then(|| self.handler(depth));
                Op::Then(pick, on_fulfilled, on_rejected)
            }
            23..=25 if nested => {
                let first = self.body(depth + 1, true);
                let stages = (0..self.choose(3)).map(|_| self.stage(depth)).collect();
                Op::Async(first, stages, self.end())
            }
            26..=27 => Op::Clear(self.pick()),
            28..=29 => Op::Refresh(self.pick()),
            30 => Op::Unref(self.pick()),
            31 => Op::Ref(self.pick()),
            32..=33 => Op::ClearImmediate(self.pick()),
            34 => Op::UnrefImmediate(self.pick()),
            35 => Op::RefImmediate(self.pick()),
            36..=39 => Op::Promise([Fate::Pending, Fate::Rejected, Fate::Fulfilled][self.choose(3)]),
            40..=42 => {
                let pick = self.pick();
                let how = [Settlement::Value, Settlement::Error, Settlement::Promise(self.pick())][self.choose(3)];
                Op::Settle(pick, how)
            }
            43..=44 => Op::Throw,
            _ => Op::Advance(1 + self.byte(4)),
        }
    }

    fn units(&mut self) -> u8 {
        1 + self.byte(u32::from(MAX_DELAY_UNITS))
    }

    fn pick(&mut self) -> u8 {
        self.byte(6)
    }

    fn handler(&mut self, depth: u32) -> Handler {
        Handler { body: self.body(depth + 1, true), end: self.end() }
    }

    fn end(&mut self) -> End {
        match self.choose(3) {
            0 => End::Promise(self.pick()),
            _ => End::Value,
        }
    }

    fn stage(&mut self, depth: u32) -> Stage {
        let awaits = [Awaits::Value, Awaits::Promise(self.pick()), Awaits::Thenable][self.choose(3)];
        Stage { awaits, caught: self.choose(2) == 0, body: self.body(depth + 1, true) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exhausted_bytes_give_a_small_program() {
        assert_eq!(generate(&mut Bytes(&[])).body.ops, []);
        let program = generate(&mut Bytes(&[0, 0, 3, 11, 0, 0]));
        assert!(!program.body.ops.is_empty(), "{program:?}");
    }

    #[test]
    fn a_seed_is_reproducible_and_most_programs_are_not_trivial() {
        assert_eq!(clear_program(7, 10), clear_program(7, 10));
        let lengths: usize = (0..100).map(|seed| clear_program(seed, 10).1.len()).sum();
        assert!(lengths > 500, "{lengths} lines of 100 programs");
    }
}
