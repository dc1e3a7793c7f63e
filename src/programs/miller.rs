//! `mlr`: the verbs of a chain that write files or run commands. The words of their own are none of the program's.

use crate::model::Value;
use crate::shell::program::{Expansion, Instead, Run, Shell, State};

/// See [`Room::Miller`](crate::knowledge::Room::Miller).
pub(super) struct Miller;

/// The options by which the declaration says what a verb's word is.
const WRITES: &str = "--verb-writes";
const RUNS: &str = "--verb-runs";
const READS: &str = "--verb-reads";
/// Options of the verb that writes pieces, whose value follows.
const VALUED: [&str; 6] = ["-n", "-g", "-m", "--prefix", "--suffix", "-s"];

/// Options of an output's format, whose value follows.
const FORMATS: [&str; 6] = ["--ofs", "--ops", "--ors", "--ofmt", "--oflatsep", "-o"];

impl super::Program for Miller {
    fn begins(&self, _: &mut Shell<'_>, _: &mut State, run: &Run<'_>) -> Option<Instead> {
        let words = run.call.arguments();
        let text = |at: usize| words.get(at).and_then(|word: &Expansion| word.arg.value.as_known());
        let mut said: Vec<(&str, Value)> = Vec::new();
        for at in 0..words.len() {
            // A verb stands first, or behind the word that chains them.
            match text(at) {
                Some("tee") => said.extend(copied(words, at + 1)),
                Some("split") => said.push((WRITES, pieces(words, at + 1))),
                Some("put" | "filter") => said.extend(programs(words, at + 1)),
                _ => {}
            }
        }
        run.told(said)
    }
}

/// `tee [-a] [-p] FILE`: with `-p` it is a command.
fn copied(words: &[Expansion], from: usize) -> Option<(&'static str, Value)> {
    let rest = words.get(from..).unwrap_or_default();
    let known = |at: usize| rest.get(at).and_then(|word: &Expansion| word.arg.value.as_known());
    let mut at = 0;
    while let Some(option) = known(at).filter(|word| word.starts_with('-')) {
        at += if FORMATS.contains(&option) { 2 } else { 1 };
    }
    let options = || (0..at).filter_map(known);
    let file = rest.get(at)?;
    let name = if options().any(|option| option == "-p") { RUNS } else { WRITES };
    let adds = options().any(|option| option == "-a");
    (!adds || name == RUNS).then(|| (name, file.arg.value.clone()))
}

/// `split [--prefix P] [--suffix S]`: files whose names begin and end so.
fn pieces(words: &[Expansion], from: usize) -> Value {
    let (mut prefix, mut suffix) = (Value::known("split"), None);
    let mut at = from;
    while let Some(option) = words.get(at).and_then(|word| word.arg.value.as_known()) {
        if !option.starts_with('-') {
            break;
        }
        let value = words.get(at + 1).map(|word| word.arg.value.clone());
        match (option, value) {
            ("--prefix", Some(value)) => prefix = value,
            ("--suffix", Some(value)) => suffix = Some(value),
            _ => {}
        }
        at += if VALUED.contains(&option) { 2 } else { 1 };
    }
    let name = prefix.concat(&Value::known("_")).concat(&Value::Unknown);
    suffix.map_or(name.clone(), |suffix| name.concat(&Value::known(".")).concat(&suffix))
}

/// `put -f FILE`: programs in files.
fn programs(words: &[Expansion], from: usize) -> Vec<(&'static str, Value)> {
    let rest = words.get(from..).unwrap_or_default();
    let end = rest.iter().position(|word| word.arg.value.as_known() == Some("then")).unwrap_or(rest.len());
    let named = rest[..end].windows(2).filter(|two| two[0].arg.value.as_known() == Some("-f"));
    named.map(|two| (READS, two[1].arg.value.clone())).collect()
}
