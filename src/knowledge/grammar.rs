//! Words against a tool's declaration: the subcommand path and operands; options in every style are `options`.

mod options;

use std::sync::Arc;

use super::matched::{Binding, GrammarGap, Match, OptionUse};
use super::micro::{Count, OperandSpec, OptionSpec};
use super::schema::{CommandSpec, Style, ToolFile, Unlisted, writes_or_runs};
use super::tool_words::tool_words;
use super::verbs::{Deed, Said, Verb, Verbs};
use super::words::{is_assignment, option_like};
use crate::model::Value;
use crate::order;
use options::Found;

/// Matches words (without the command word) against a tool. Total: unknown options, unknown values and too many words
/// become gaps; never fails.
pub fn match_words(tool: &Arc<ToolFile>, words: &[Value]) -> Match {
    if words.iter().any(|word| matches!(word, Value::Woven(_))) {
        let words = words.iter().cloned().map(Value::plain).collect::<Vec<_>>();
        return match_words(tool, &words);
    }
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
    typed: Vec<String>,
    separator: Option<usize>,
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
    unlisted_verb: Option<(Verb, usize)>,
    /// The last option that is not listed and has no value: the next word may be its value.
    loose: Option<usize>,
}

impl<'a> Scan<'a> {
    fn new(tool: &'a Arc<ToolFile>, words: &'a [Value], form: Option<usize>) -> Self {
        Self {
            words,
            at: 0,
            form,
            tool,
            path: vec![tool.names.first().cloned().unwrap_or_default()],
            typed: vec![tool.names.first().cloned().unwrap_or_default()],
            separator: None,
            levels: vec![Arc::clone(&tool.root)],
            options: Vec::new(),
            plain: Vec::new(),
            swallowed: Vec::new(),
            gaps: Vec::new(),
            ended: false,
            unlisted_reads: false,
            unlisted_verb: None,
            loose: None,
        }
    }

    /// The match, and the form that its options ask for.
    fn run(mut self) -> (Match, Option<usize>) {
        if self.command().style == Style::Bundle {
            self.bundle();
        }
        // Programs answer these whatever else they know, also where the declaration forgets them.
        if let [only] = self.words
            && matches!(only.as_known(), Some("--help" | "--version" | "-help" | "-version"))
            && self.command().style != Style::Raw
            && self.is_unlisted(only)
        {
            let (mut found, form) = self.finish();
            found.informational = true;
            return (found, form);
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
        self.gaps.push(GrammarGap { index, reason, by_words: false });
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
            self.separator = Some(index);
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
        if command.is_group() && self.plain.is_empty() && self.subcommand(&command, word, index) {
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
        if self.descend_by_thing(name) || self.by_verb(command, index) {
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
            let by_words = self.is_judged_by_words(command, name);
            self.gaps.push(GrammarGap { index, reason: format!("unknown subcommand `{name}`"), by_words });
        }
        true
    }

    /// Takes the word, and perhaps some behind it, as a subcommand that is not listed, by what its verb says.
    fn by_verb(&mut self, command: &CommandSpec, index: usize) -> bool {
        let levels = self.levels.clone();
        let verbs = levels.iter().rev().find_map(|level| level.verbs.as_ref());
        let words = self.words.get(index..).unwrap_or_default();
        let said = verbs.and_then(|v| v.said(self.path.get(1..).unwrap_or_default(), words));
        if said.is_none() && command.unlisted != Unlisted::Reads {
            return false;
        }
        let helps = !self.asks_for_help(index) && self.ends_in_help(index);
        if let (Some(verbs), Some(said), false) = (verbs, &said, helps)
            && self.descend_by_verb(verbs, said, index)
        {
            return true;
        }
        let noted = match said.as_ref().map(|said| said.deed) {
            Some(Deed::Noted(verb)) => Some(verb),
            Some(Deed::Update | Deed::Delete) if !helps => return false,
            _ => None,
        };
        self.unlisted_verb = noted.filter(|verb| *verb != Verb::Reads).map(|verb| (verb, index));
        self.unlisted_reads = self.unlisted_verb.is_none_or(|(verb, _)| verb != Verb::Grant);
        self.at = self.words.len();
        if self.unlisted_verb.is_some() && helps {
            self.unlisted_verb = None;
            self.unlisted_reads = true;
        }
        true
    }

    /// Goes on in the group that the name of a thing begins with.
    fn descend_by_thing(&mut self, name: &str) -> bool {
        let Some(verbs) = self.levels.iter().rev().find_map(|level| level.verbs.as_ref()) else {
            return false;
        };
        let mut words = self.path.get(1..).unwrap_or_default().to_vec();
        words.push(name.to_owned());
        if !verbs.is_of_a_thing(&words) {
            return false;
        }
        let group = CommandSpec { style: self.command().style, implied: true, ..CommandSpec::default() };
        self.levels.push(Arc::new(group));
        self.path.push(name.to_owned());
        self.typed.push(name.to_owned());
        self.separator = None;
        true
    }

    /// Goes on in the subcommand that the verb makes.
    fn descend_by_verb(&mut self, verbs: &Verbs, said: &Said, index: usize) -> bool {
        let end = index + said.words;
        let behind = self.words.get(end..).unwrap_or_default();
        let above: Vec<&OptionSpec> = self.visible().map(|(_, option)| option).collect();
        let Some(made) = verbs.command(said, behind, self.command().style, &above) else { return false };
        let names = self.words.get(index..end).unwrap_or_default();
        let names: Vec<String> = names.iter().filter_map(|word| word.as_known().map(str::to_owned)).collect();
        let mut made = Some(Arc::new(made));
        for number in (0..names.len()).rev() {
            let level = if number == 0 { made.take() } else { None };
            self.levels.push(level.unwrap_or_default());
        }
        self.path.extend(names.iter().cloned());
        self.typed.extend(names);
        self.separator = None;
        self.at = end;
        true
    }

    fn judges_words(&self, command: &CommandSpec) -> bool {
        // Of some tools nothing may be guessed, whatever their words.
        let closed = self.levels.first().is_some_and(|root| root.unlisted == Unlisted::Gap && !root.implied);
        !closed
            && (command.unlisted == Unlisted::Words || self.levels.iter().any(|level| level.verbs.is_some()))
    }

    /// Whether the words of a subcommand that is not listed say what it does: where the data says so, and it is no
    /// abbreviation, of which nobody knows what it stands for.
    fn is_judged_by_words(&self, command: &CommandSpec, name: &str) -> bool {
        let short = |full: &str| full.len() > name.len() && full.starts_with(name);
        self.judges_words(command)
            && !command.asks.iter().any(|asks| asks == name)
            && (name.len() > 2 || name == "up")
            && !command.commands.is_short(name, &self.tool.root)
            && !tool_words().verbs.deletes.iter().any(short)
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

    /// `aws iam attach-user-policy help`.
    fn ends_in_help(&self, from: usize) -> bool {
        let words = self.words.get(from..).unwrap_or_default();
        words.last().and_then(Value::as_known) == Some("help")
            && words.iter().all(|word| word.as_known().is_some_and(|text| !text.starts_with('-')))
    }

    fn is_unlisted(&self, word: &Value) -> bool {
        word.as_known().is_some_and(|word| self.find(|spec| options::spelled(spec, word)).is_none())
    }

    fn descend(&mut self, name: &str) -> bool {
        let command = self.command();
        let shortened = || self.tool.root.shortened.then(|| command.commands.completed(name)).flatten();
        let Some(canonical) = command.commands.canonical(name).or_else(shortened).map(str::to_owned) else {
            return false;
        };
        let Some(below) = command.commands.get(&canonical, &self.tool.root) else { return false };
        self.levels.push(below);
        self.path.push(canonical);
        self.typed.push(name.to_owned());
        self.separator = None;
        self.ended = false;
        true
    }

    fn operand_specs(&self, command: &CommandSpec) -> Vec<OperandSpec> {
        match self.form.and_then(|n| command.forms.get(n)) {
            Some(form) => form.operands.clone(),
            None => command.operands.clone(),
        }
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
            typed: self.typed,
            separator: self.separator,
            levels: self.levels,
            options: self.options,
            operands,
            gaps: self.gaps,
            informational,
            dry_run,
            unlisted_reads: self.unlisted_reads,
            unlisted_verb: self.unlisted_verb,
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
    order::by_key(&mut bound, |b| b.index);
    (bound, queue.collect())
}

/// No option or operand can make these commands do anything.
fn is_harmless(levels: &[Arc<CommandSpec>]) -> bool {
    let Some(command) = levels.last() else { return false };
    command.reads
        && !command.is_dangerous()
        && !levels.iter().any(|l| l.options.iter().filter_map(|o| o.role.as_deref()).any(writes_or_runs))
}
