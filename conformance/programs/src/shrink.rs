//! Makes a failing program smaller.

use crate::{Body, Op, Program, Root, Stage};

/// Removes parts of `program` one at a time while `wrong` stays true. `wrong` is called only with programs whose bodies are numbered.
pub fn shrink(program: &Program, wrong: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut smallest = program.clone();
    loop {
        let mut smaller = false;
        let mut at = 0;
        // After a success the next part is at the same index.
        while let Some(mut candidate) = without(&smallest, at) {
            candidate.number();
            if wrong(&candidate) {
                smallest = candidate;
                smaller = true;
            } else {
                at += 1;
            }
        }
        if !smaller {
            return smallest;
        }
    }
}

/// The program without its `at`-th part; nothing if it has fewer parts.
fn without(program: &Program, at: usize) -> Option<Program> {
    let mut copy = program.clone();
    let mut left = at;
    let mut bodies: Vec<&mut Body> = vec![&mut copy.body];
    bodies.extend(copy.answers.iter_mut());
    for body in bodies {
        if cut(body, &mut left) {
            return Some(copy);
        }
    }
    if left == 0 && copy.answers.pop().is_some() {
        return Some(copy);
    }
    left -= usize::from(!program.answers.is_empty());
    let plainer = [copy.root != Root::Immediate, !copy.listens];
    let which = plainer.iter().enumerate().filter(|(_, can)| **can).nth(left)?.0;
    match which {
        0 => copy.root = Root::Immediate,
        _ => copy.listens = true,
    }
    Some(copy)
}

/// Removes the `left`-th part of a body, in depth-first order. Returns whether it exists.
fn cut(body: &mut Body, left: &mut usize) -> bool {
    let mut at = 0;
    while at < body.ops.len() {
        if *left == 0 {
            body.ops.remove(at);
            return true;
        }
        *left -= 1;
        if let Op::Async(_, stages, _) = &mut body.ops[at]
            && cut_stage(stages, left)
        {
            return true;
        }
        for inner in body.ops[at].bodies_mut() {
            if cut(inner, left) {
                return true;
            }
        }
        at += 1;
    }
    false
}

fn cut_stage(stages: &mut Vec<Stage>, left: &mut usize) -> bool {
    if *left < stages.len() {
        stages.remove(*left);
        return true;
    }
    *left -= stages.len();
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clear_program;

    /// Whether the body contains a `throw`.
    fn throws(body: &mut Body) -> bool {
        body.ops.iter_mut().any(|op| *op == Op::Throw || op.bodies_mut().into_iter().any(throws))
    }

    #[test]
    fn shrinking_keeps_the_failing_part_only() {
        let wrong = |program: &Program| throws(&mut program.clone().body);
        let found = (0..500).map(|seed| clear_program(seed, 10).0).filter(wrong);
        let mut tried = 0;
        for program in found.take(10) {
            let small = shrink(&program, &mut { wrong });
            assert!(wrong(&small));
            assert!(small.answers.is_empty() && small.listens && small.root == Root::Immediate, "{small:?}");
            let mut body = small.body.clone();
            while let [op] = &mut body.ops[..] {
                let Some(inner) = op.bodies_mut().into_iter().find(|inner| !inner.ops.is_empty()) else { break };
                body = inner.clone();
            }
            assert_eq!(body.ops, [Op::Throw]);
            tried += 1;
        }
        assert_eq!(tried, 10);
    }
}
