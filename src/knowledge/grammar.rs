//! Words against a tool's declaration: options in every style, the subcommand path, operands.

use std::sync::Arc;

use super::matched::{Binding, GrammarGap, Match, OptionUse};
use super::micro::{Count, OperandSpec, OptionSpec, Takes};
use super::schema::{CommandSpec, Style, ToolFile, Unlisted, writes_or_runs};
use super::words::{cut, is_assignment, is_false, option_like, tail};
use crate::model::Value;

/// Matches words (without the command word) against a tool. Total: unknown options, unknown values and too many words
/// become gaps; never fails.
pub fn match_words(tool: &Arc<ToolFile>, words: &[Value]) -> Match {
    let mut form: Option<usize> = None;
    // The operands of a form may shift where a nested command starts, so the words are read again once it is known.
    for _ in 0..3 {
        let (result, wanted) = Scan::new(tool, words, form).run();
        if wanted == form {
            return result;
        }
        form = wanted;
    }
    Scan::new(tool, words, form).run().0
}

struct Scan<'a> {
    words: &'a [Value],
    /// Next word.
    at: usize,
    /// Form of the innermost command that is assumed.
    form: Option<usize>,
    tool: &'a Arc<ToolFile>,
    path: Vec<String>,
    levels: Vec<Arc<CommandSpec>>,
    options: Vec<OptionUse>,
    /// Operand words so far, of the innermost command.
    plain: Vec<(Value, usize)>,
    /// Words that belong to a swallowing operand.
    swallowed: Vec<(Value, usize)>,
    gaps: Vec<GrammarGap>,
    /// `--` was seen, or the style says that options are over.
    ended: bool,
    unlisted_reads: bool,
}

/// What was found for a spelling.
struct Found {
    spec: OptionSpec,
    off: bool,
    level: usize,
}

impl<'a> Scan<'a> {
    fn new(tool: &'a Arc<ToolFile>, words: &'a [Value], form: Option<usize>) -> Self {
        Self {
            words,
            at: 0,
            form,
            tool,
            path: vec![tool.names.first().cloned().unwrap_or_default()],
            levels: vec![Arc::clone(&tool.root)],
            options: Vec::new(),
            plain: Vec::new(),
            swallowed: Vec::new(),
            gaps: Vec::new(),
            ended: false,
            unlisted_reads: false,
        }
    }

    /// The match, and the form that its options ask for.
    fn run(mut self) -> (Match, Option<usize>) {
        if self.command().style == Style::Bundle {
            self.bundle();
        }
        while let Some(word) = self.words.get(self.at) {
            let index = self.at;
            self.at += 1;
            self.word(word, index);
        }
        if let Some(default) = self.command().default.clone()
            && self.plain.is_empty()
            && self.swallowed.is_empty()
        {
            self.descend(&default);
        }
        self.finish()
    }

    fn command(&self) -> Arc<CommandSpec> {
        self.levels.last().map_or_else(|| Arc::clone(&self.tool.root), Arc::clone)
    }

    fn gap(&mut self, index: usize, reason: String) {
        self.gaps.push(GrammarGap { index, reason });
    }

    fn word(&mut self, word: &Value, index: usize) {
        let command = self.command();
        match command.style {
            Style::Raw => return self.operand(word, index),
            Style::Assign if !self.ended && self.assignment_option(word, index) => return,
            _ => {}
        }
        if self.ended {
            return self.operand(word, index);
        }
        if word.as_known() == Some("--") {
            self.ended = true;
            if let Some(default) = command.default.clone()
                && command.operands.is_empty()
                && self.descend(&default)
            {
                self.ended = true;
            }
            return;
        }
        match option_like(word) {
            Some(true) => self.option(word, index),
            Some(false) => {
                self.gap(index, format!("`{}` may be an option", word.display()));
                self.operand(word, index);
            }
            None => self.operand(word, index),
        }
    }

    // --- operands and subcommands ---

    fn operand(&mut self, word: &Value, index: usize) {
        let command = self.command();
        if !command.commands.is_empty() && self.plain.is_empty() && self.subcommand(&command, word, index) {
            return;
        }
        let operands = self.operand_specs(&command);
        let assignment = operands.iter().any(OperandSpec::is_assignment) && is_assignment(word);
        if !assignment && let Some(position) = operands.iter().position(OperandSpec::swallows) {
            let before = operands.iter().take(position).filter(|o| !o.is_assignment()).count();
            let filled = self.plain.iter().filter(|(w, _)| !is_assignment(w)).count();
            let filled =
                if operands.iter().any(OperandSpec::is_assignment) { filled } else { self.plain.len() };
            if filled >= before {
                self.swallow(word, index);
                return;
            }
        }
        self.plain.push((word.clone(), index));
        if command.style == Style::Posix {
            // Assignments in front of a nested command do not end the options' region for it, but options behind the
            // first operand are never the program's own.
            self.ended = true;
        }
    }

    fn swallow(&mut self, word: &Value, index: usize) {
        self.swallowed.push((word.clone(), index));
        for (offset, value) in self.words.iter().enumerate().skip(self.at) {
            self.swallowed.push((value.clone(), offset));
        }
        self.at = self.words.len();
    }

    /// Takes the word as a subcommand's name. `false`: it is an operand of this command.
    fn subcommand(&mut self, command: &Arc<CommandSpec>, word: &Value, index: usize) -> bool {
        let takes_operands = !command.operands.is_empty() || !command.forms.is_empty();
        let Some(name) = word.as_known() else {
            if takes_operands {
                return false;
            }
            self.gap(index, format!("the subcommand is not known: {}", word.display()));
            self.ended = true;
            self.plain.push((word.clone(), index));
            return true;
        };
        if self.descend(name) {
            return true;
        }
        if name.starts_with('+') {
            // A toolchain is chosen (`cargo +nightly …`); no subcommand is named so.
            return true;
        }
        if takes_operands {
            return false;
        }
        let verbs = self.levels.iter().rev().find_map(|level| level.verbs.as_ref());
        let reads = verbs.is_some_and(|v| v.only_read(&self.words[index..]));
        if reads || command.unlisted == Unlisted::Reads {
            self.unlisted_reads = true;
            self.at = self.words.len();
            return true;
        }
        if let Some(default) = command.default.clone()
            && self.descend(&default)
        {
            self.operand(word, index);
            return true;
        }
        self.at = self.words.len();
        if !self.asks_for_help(index) {
            self.gap(index, format!("unknown subcommand `{name}`"));
        }
        true
    }

    /// Behind a subcommand that is not listed: an option that only informs, whatever the subcommand. It must be the last
    /// word, and the word before it no option whose value it might be.
    fn asks_for_help(&mut self, from: usize) -> bool {
        let Some((last, before)) = self.words.get(from..).and_then(<[Value]>::split_last) else {
            return false;
        };
        if before.iter().any(|w| w.as_known().is_none_or(|w| w.starts_with('-'))) {
            return false;
        }
        let Some(found) = last.as_known().and_then(|w| {
            self.levels.iter().enumerate().find_map(|(level, spec)| {
                let spec = spec.options.iter().find(|o| o.informational && o.is_on(w))?;
                Some(Found { spec: spec.clone(), off: false, level })
            })
        }) else {
            return false;
        };
        let at = self.words.len() - 1;
        self.record(found, at, None, at);
        true
    }

    fn descend(&mut self, name: &str) -> bool {
        let command = self.command();
        let Some(canonical) = command.commands.canonical(name).map(str::to_owned) else { return false };
        let Some(below) = command.commands.get(name, &self.tool.root) else { return false };
        self.levels.push(below);
        self.path.push(canonical);
        self.ended = false;
        true
    }

    fn operand_specs(&self, command: &CommandSpec) -> Vec<OperandSpec> {
        match self.form.and_then(|n| command.forms.get(n)) {
            Some(form) => form.operands.clone(),
            None => command.operands.clone(),
        }
    }

    // --- options ---

    fn option(&mut self, word: &Value, index: usize) {
        let text = word.prefix();
        let exact = word.as_known().is_some();
        let command = self.command();
        if text.starts_with("--") || command.style == Style::Long {
            return self.long(word, index, &text, exact);
        }
        // A spelling of several letters behind one dash (`-exec`, `-out=x`).
        let (name, attached) = cut(&text);
        if name.chars().count() > 2
            && (exact || attached.is_some())
            && let Some(found) = self.find(|spec| spelled(spec, name))
        {
            return self.give(found, index, attached.map(|at| tail(word, at)));
        }
        self.cluster(word, index, &text, exact);
    }

    fn long(&mut self, word: &Value, index: usize, text: &str, exact: bool) {
        let (name, attached) = cut(text);
        let style = self.command().style;
        let found = if exact || attached.is_some() { self.find_long(name, style) } else { None };
        match found {
            Some(found) => self.give(found, index, attached.map(|at| tail(word, at))),
            None => self.unknown_option(word, index, name),
        }
    }

    fn find_long(&self, name: &str, style: Style) -> Option<Found> {
        if style == Style::Long {
            let bare = name.trim_start_matches('-');
            return self.find(|spec| {
                let same = |s: &&String| s.trim_start_matches('-') == bare;
                if spec.on.iter().any(|s| same(&s)) {
                    Some(false)
                } else {
                    spec.off.iter().any(|s| same(&s)).then_some(true)
                }
            });
        }
        if let Some(found) = self.find(|spec| spelled(spec, name)) {
            return Some(found);
        }
        if name.len() < 3 {
            return None;
        }
        let mut candidates: Vec<Found> = Vec::new();
        for (level, spec) in self.visible() {
            for (list, off) in [(&spec.on, false), (&spec.off, true)] {
                if list.iter().any(|s| s.starts_with(name) && s.starts_with("--"))
                    && !candidates.iter().any(|c| c.level == level && c.spec.key == spec.key && c.off == off)
                {
                    candidates.push(Found { spec: spec.clone(), off, level });
                }
            }
        }
        if candidates.len() == 1 { candidates.pop() } else { None }
    }

    fn cluster(&mut self, word: &Value, index: usize, text: &str, exact: bool) {
        for (at, letter) in text.char_indices().skip(1) {
            let rest = at + letter.len_utf8();
            let spelling = format!("-{letter}");
            let Some(found) = self.find(|spec| spelled(spec, &spelling)) else {
                if self.command().numeric && letter.is_ascii_digit() {
                    // A number, perhaps with a unit behind it.
                    return;
                }
                return self.unknown_option(word, index, &spelling);
            };
            match found.spec.takes {
                Takes::Nothing => self.give(found, index, None),
                Takes::Always | Takes::Attached => {
                    let attached = (rest < text.len() || !exact).then(|| tail(word, rest));
                    return self.give(found, index, attached);
                }
            }
        }
        if !exact {
            self.unknown_option(word, index, text);
        }
    }

    /// `key=value` words of `dd` and its like. `false`: not of that form.
    fn assignment_option(&mut self, word: &Value, index: usize) -> bool {
        let text = word.prefix();
        let (name, attached) = cut(&text);
        let Some(at) = attached else {
            if let Some(found) = word.as_known().and_then(|w| self.find(|spec| spelled(spec, w))) {
                self.give(found, index, None);
                return true;
            }
            return false;
        };
        match self.find(|spec| spelled(spec, name)) {
            Some(found) => self.give(found, index, Some(tail(word, at))),
            None => self.unknown_option(word, index, name),
        }
        true
    }

    /// The first word of tar and its like: letters without a dash, whose values follow in order.
    fn bundle(&mut self) {
        let Some(word) = self.words.first() else { return };
        let Some(text) = word.as_known() else { return };
        if text.starts_with('-') || text.is_empty() {
            return;
        }
        let letters = text
            .chars()
            .map(|c| self.find(|spec| spelled(spec, &format!("-{c}"))))
            .collect::<Option<Vec<_>>>();
        let Some(letters) = letters else { return };
        self.at = 1;
        for found in letters {
            if found.spec.takes == Takes::Always {
                self.give(found, 0, None);
            } else {
                self.record(found, 0, None, 0);
            }
        }
    }

    fn unknown_option(&mut self, word: &Value, index: usize, name: &str) {
        let command = self.command();
        if let Some(default) = command.default.clone()
            && self.plain.is_empty()
            && self.descend(&default)
        {
            return self.word(word, index);
        }
        if command.unlisted_options == Unlisted::Reads || is_harmless(&self.levels) {
            return;
        }
        self.gap(index, format!("unknown option {name}"));
    }

    /// Records an option, taking the next word as its value when it needs one.
    fn give(&mut self, found: Found, index: usize, attached: Option<Value>) {
        self.ended |= found.spec.last;
        match found.spec.takes {
            _ if found.off => self.record(found, index, None, index),
            Takes::Nothing => {
                // `--force=false`: programs that allow it mean it; the others fail.
                let off = attached.as_ref().and_then(Value::as_known).is_some_and(is_false);
                self.record(Found { off, ..found }, index, None, index);
            }
            Takes::Attached => self.record(found, index, attached, index),
            Takes::Always => {
                if attached.is_some() {
                    return self.record(found, index, attached, index);
                }
                let value = self.words.get(self.at).cloned();
                let value_index = self.at;
                if value.is_some() {
                    self.at += 1;
                }
                let further = found.spec.further.clone();
                let swallows = found.spec.role.as_deref() == Some("argv");
                let spec = found.spec.clone();
                let level = found.level;
                self.record(found, index, value, value_index);
                for role in further {
                    let Some(next) = self.words.get(self.at).cloned() else { break };
                    let spec = OptionSpec { role: Some(role), repeats: true, ..spec.clone() };
                    self.record(Found { spec, off: false, level }, index, Some(next), self.at);
                    self.at += 1;
                }
                if swallows {
                    while let Some(next) = self.words.get(self.at).cloned() {
                        let at = self.at;
                        self.at += 1;
                        self.record(Found { spec: spec.clone(), off: false, level }, index, Some(next), at);
                    }
                }
            }
        }
    }

    fn record(&mut self, found: Found, index: usize, value: Option<Value>, value_index: usize) {
        let Found { spec, off, level } = found;
        if off {
            self.options.retain(|o| o.key != spec.key || o.level != level);
            return;
        }
        self.options.push(OptionUse {
            key: spec.key,
            value,
            role: spec.role,
            index,
            value_index,
            level,
            repeats: spec.repeats,
        });
    }

    /// Options that may stand here: the innermost command's, then those of the commands above that hand theirs down.
    fn visible(&self) -> impl Iterator<Item = (usize, &OptionSpec)> {
        let last = self.levels.len().saturating_sub(1);
        self.levels
            .iter()
            .enumerate()
            .rev()
            .filter(move |(level, spec)| *level == last || spec.inherit)
            .flat_map(|(level, spec)| spec.options.iter().map(move |o| (level, o)))
    }

    fn find(&self, matches: impl Fn(&OptionSpec) -> Option<bool>) -> Option<Found> {
        self.visible()
            .find_map(|(level, spec)| matches(spec).map(|off| Found { spec: spec.clone(), off, level }))
    }

    // --- the end ---

    fn finish(mut self) -> (Match, Option<usize>) {
        let command = self.command();
        let flagged = |test: fn(&OptionSpec) -> bool, scan: &Self| {
            scan.options.iter().any(|o| {
                scan.levels
                    .get(o.level)
                    .is_some_and(|l| l.options.iter().any(|spec| spec.key == o.key && test(spec)))
            })
        };
        let informational = flagged(|spec| spec.informational, &self);
        let dry_run = flagged(|spec| spec.dry_run, &self);
        let specs = self.operand_specs(&command);
        let plain = std::mem::take(&mut self.plain);
        let (mut operands, surplus) = allocate(&specs, plain);
        if let Some((_, index)) = surplus.first()
            && !is_harmless(&self.levels)
            && self.gaps.is_empty()
        {
            self.gap(*index, "more operands than it takes".to_owned());
        }
        if let Some(spec) = specs.iter().find(|o| o.swallows()) {
            operands.extend(self.swallowed.drain(..).map(|(value, index)| Binding {
                name: spec.name.clone(),
                role: spec.role.clone(),
                value,
                index,
            }));
        }
        let result = Match {
            tool: Arc::clone(self.tool),
            command: Arc::clone(&command),
            path: self.path,
            levels: self.levels,
            options: self.options,
            operands,
            gaps: self.gaps,
            informational,
            dry_run,
            unlisted_reads: self.unlisted_reads,
        };
        let wanted = command.forms.iter().position(|form| result.holds(&form.r#if, &form.unless));
        (result, wanted)
    }
}

/// Shares the operand words out: required ones first, then optional ones, the first variadic takes the rest.
fn allocate(specs: &[OperandSpec], words: Vec<(Value, usize)>) -> (Vec<Binding>, Vec<(Value, usize)>) {
    let mut bound: Vec<Binding> = Vec::new();
    let mut bind = |spec: &OperandSpec, (value, index): (Value, usize)| {
        bound.push(Binding { name: spec.name.clone(), role: spec.role.clone(), value, index });
    };
    let mut words = words;
    if let Some(spec) = specs.iter().find(|o| o.is_assignment()) {
        let (assigned, others) = words.into_iter().partition::<Vec<_>, _>(|(w, _)| is_assignment(w));
        assigned.into_iter().for_each(|word| bind(spec, word));
        words = others;
    }
    let specs = specs.iter().filter(|o| !o.is_assignment() && !o.swallows()).collect::<Vec<_>>();
    let needed = specs.iter().filter(|o| matches!(o.count, Count::One | Count::Many)).count();
    let mut spare = words.len().saturating_sub(needed);
    let mut variadic_done = false;
    let mut queue = words.into_iter();
    for spec in &specs {
        let take = match spec.count {
            Count::One => 1,
            Count::Optional => usize::from(spare > 0),
            Count::Many | Count::Any if variadic_done => usize::from(spec.count == Count::Many),
            Count::Many | Count::Any => {
                variadic_done = true;
                // Optional operands behind it get nothing, as programs read them.
                let extra = spare;
                extra + usize::from(spec.count == Count::Many)
            }
        };
        spare -= match spec.count {
            Count::One => 0,
            Count::Optional => take,
            Count::Many => take.saturating_sub(1),
            Count::Any => take,
        }
        .min(spare);
        for word in queue.by_ref().take(take) {
            bind(spec, word);
        }
    }
    bound.sort_by_key(|b| b.index);
    (bound, queue.collect())
}

/// No option or operand can make these commands do anything.
fn is_harmless(levels: &[Arc<CommandSpec>]) -> bool {
    let Some(command) = levels.last() else { return false };
    command.reads
        && !command.is_dangerous()
        && !levels.iter().any(|l| l.options.iter().filter_map(|o| o.role.as_deref()).any(writes_or_runs))
}

fn spelled(spec: &OptionSpec, word: &str) -> Option<bool> {
    if spec.is_on(word) { Some(false) } else { spec.is_off(word).then_some(true) }
}
