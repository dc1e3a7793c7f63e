//! `sox`: which of its words is the file that it writes: the last one in front of the effects, whatever stands for the others.

use crate::model::Value;
use crate::shell::program::{Expansion, Instead, Run, Shell, State};

/// See [`Room::Sox`](crate::knowledge::Room::Sox).
pub(super) struct Sox;

/// The option by which the declaration says what is written.
const WRITES: &str = "--writes";
/// What stands for a file and is none.
const SPECIAL: [&str; 3] = ["-n", "-d", "-p"];
/// Effects: what stands behind them is their own.
const EFFECTS: &[&str] = &[
    "allpass",
    "band",
    "bandpass",
    "bandreject",
    "bass",
    "bend",
    "biquad",
    "chorus",
    "channels",
    "compand",
    "contrast",
    "dcshift",
    "deemph",
    "delay",
    "dither",
    "divide",
    "dolbyb",
    "downsample",
    "earwax",
    "echo",
    "echos",
    "equalizer",
    "fade",
    "fir",
    "fit",
    "firfit",
    "flanger",
    "gain",
    "highpass",
    "hilbert",
    "input",
    "ladspa",
    "loudness",
    "lowpass",
    "mcompand",
    "noiseprof",
    "noisered",
    "norm",
    "oops",
    "output",
    "overdrive",
    "pad",
    "phaser",
    "pitch",
    "rate",
    "remix",
    "repeat",
    "reverb",
    "reverse",
    "riaa",
    "silence",
    "sinc",
    "spectrogram",
    "speed",
    "splice",
    "stat",
    "stats",
    "stretch",
    "swap",
    "synth",
    "tempo",
    "treble",
    "tremolo",
    "trim",
    "upsample",
    "vad",
    "vol",
];

impl super::Program for Sox {
    fn begins(&self, _: &mut Shell<'_>, _: &mut State, run: &Run<'_>) -> Option<Instead> {
        let matched = run.matched;
        let words = run.call.arguments();
        let known = |at: usize| words.get(at).and_then(|word: &Expansion| word.arg.value.as_known());
        let is_effect = |at: &usize| known(*at).is_some_and(|text| EFFECTS.contains(&text));
        let mut files: Vec<usize> = matched.operands("word").iter().map(|operand| operand.index).collect();
        let effect = files.iter().copied().find(is_effect);
        files.extend((0..words.len()).filter(|at| known(*at).is_some_and(|text| SPECIAL.contains(&text))));
        files.sort_unstable();
        files.retain(|at| effect.is_none_or(|effect| *at < effect));
        let mut written: Vec<Value> = Vec::new();
        if let [_, .., last] = files.as_slice()
            && known(*last).is_none_or(|text| !SPECIAL.contains(&text))
            && let Some(word) = words.get(*last)
        {
            let name = word.arg.value.clone();
            written.push(several(words, &name).unwrap_or(name));
        }
        let behind = effect.map_or(&[][..], |at| words.get(at..).unwrap_or_default());
        written.extend(by_effects(behind));
        run.told(written.into_iter().map(|value| (WRITES, value)))
    }
}

/// Where the effects begin anew for further files, a number stands in their names.
fn several(words: &[Expansion], name: &Value) -> Option<Value> {
    let anew = words.iter().any(|word| matches!(word.arg.value.as_known(), Some("newfile" | "restart")));
    let text = name.as_known().filter(|_| anew)?;
    let (stem, end) = text.rsplit_once('.').unwrap_or((text, ""));
    Some(Value::known(stem).concat(&Value::Unknown).concat(&Value::Known(format!(".{end}"))))
}

/// What effects write themselves.
fn by_effects(words: &[Expansion]) -> Vec<Value> {
    let known = |at: usize| words.get(at).and_then(|word| word.arg.value.as_known());
    let mut found = Vec::new();
    for at in 0..words.len() {
        match known(at) {
            Some("noiseprof") => {
                let file = words.get(at + 1).filter(|_| known(at + 1) != Some(":"));
                found.extend(file.map(|word| word.arg.value.clone()));
            }
            Some("spectrogram") => {
                let named = (at..words.len()).find(|at| known(*at) == Some("-o"));
                let file = named.and_then(|at| words.get(at + 1)).map(|word| word.arg.value.clone());
                found.push(file.unwrap_or_else(|| Value::known("spectrogram.png")));
            }
            _ => {}
        }
    }
    found
}
