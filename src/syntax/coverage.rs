//! The last check: every substitution that the source seems to hold is in the finished tree or under a gap.
//!
//! It looks at bytes alone, not at what the reader thought of them, so that a part which was read and then lost on its
//! way into the tree is noticed.

use crate::model::Span;
use crate::order;

use super::reader::Context;
use super::{Gap, GapReason, Part, Script, Visit, walk};

/// Notes a gap for each start of a substitution that nothing explains.
pub(super) fn check(text: &str, script: &Script, context: &mut Context) {
    let starts = starts(text.as_bytes());
    if starts.is_empty() || context.stopped() {
        return;
    }
    let mut explained = Vec::new();
    walk(script, &mut |visit| {
        if let Visit::Part(part) = visit {
            match part {
                Part::Command(_, span) | Part::Process(_, _, span) | Part::Gap(span) => explained.push(*span),
                Part::Parameter(parameter) => explained.push(parameter.span),
                _ => {}
            }
        }
    });
    explained.extend(context.gaps.iter().map(|gap| gap.span));
    explained.append(&mut context.inert);
    let explained = joined(explained);
    let plain = joined(std::mem::take(&mut context.plain));
    for (at, process) in starts {
        let known = holds(&explained, at) || (process && holds(&plain, at));
        if !known {
            let span = Span::new(at, at + 1);
            context.gaps.push(Gap { span, reason: GapReason::Uncovered });
        }
    }
}

/// Where `$(`, `${`, a backquote, `<(` or `>(` (true) stands without a backslash before it.
fn starts(bytes: &[u8]) -> Vec<(usize, bool)> {
    let mut found = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1);
        let process = match (byte, next) {
            (b'`', _) | (b'$', Some(b'(' | b'{')) => false,
            (b'<' | b'>', Some(b'(')) => true,
            _ => continue,
        };
        let backslashes = bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 0 {
            found.push((at, process));
        }
    }
    found
}

/// Sorted ranges without overlaps.
fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    order::sort(&mut spans);
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => joined.push(span),
        }
    }
    joined
}

fn holds(spans: &[Span], at: usize) -> bool {
    let after = spans.partition_point(|span| span.start <= at);
    after > 0 && spans[after - 1].end > at
}
