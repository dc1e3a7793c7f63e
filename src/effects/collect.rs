//! The sink that turns steps into mutations as interpretation goes.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::code::CodeEffect;
use crate::knowledge::{Knowledge, machine, secrets_of, variables};
use crate::model::{Mutation, Secrets, Span, Subject, Value, secret_of_word, secret_ranges};
use crate::shell::{Arg, Files, Invocation, Sink, Stdin, Step, StepKind};

use super::scene::Does;
use super::{Look, effects};

/// Collects the mutations of all steps, and the secrets in their words.
pub struct Collect<'a> {
    knowledge: &'a Knowledge,
    look: &'a dyn Look,
    programs: &'a dyn Does,
    /// Mutations so far, in program order.
    pub mutations: Vec<Mutation>,
    /// What the words say is secret.
    pub secrets: Secrets,
    /// Places that the words name.
    pub named: Vec<PathBuf>,
    /// The same, also of programs that nothing is known of, and in values of options: what they may work on.
    pub touched: Vec<PathBuf>,
    /// Names of files that words may be, whatever the option or the place, with the command that they stand in.
    pub operands: Vec<(Span, PathBuf)>,
    /// Programs that are started, as they are named.
    pub started: BTreeSet<String>,
}

impl<'a> Collect<'a> {
    /// An empty collection.
    pub fn new(knowledge: &'a Knowledge, look: &'a dyn Look, programs: &'a dyn Does) -> Self {
        Self {
            knowledge,
            look,
            programs,
            mutations: Vec::new(),
            secrets: Secrets::default(),
            named: Vec::new(),
            touched: Vec::new(),
            operands: Vec::new(),
            started: BTreeSet::new(),
        }
    }
}

impl Sink for Collect<'_> {
    fn step(&mut self, step: Step, files: &mut Files) {
        match &step.kind {
            StepKind::Run(invocation) => {
                secrets(invocation, &mut self.secrets);
                named(&step, invocation, &mut self.named);
                touched(&step, &invocation.args, &mut self.touched);
                operands(&step, &invocation.args, &mut self.operands);
            }
            StepKind::UnknownProgram { args, .. } => {
                touched(&step, args, &mut self.touched);
                operands(&step, args, &mut self.operands);
                // What is open is handed over with it.
                let open = step.names.files().filter(|_| step.context.host.is_none());
                self.touched.extend(open.map(Path::to_owned));
            }
            StepKind::Code { effect: CodeEffect::Waits { handed }, .. } => {
                if let ([dir], None) = (step.context.cwd.as_slice(), &step.context.host) {
                    let room = NAMED.saturating_sub(self.touched.len());
                    self.touched.extend(handed.iter().take(room).map(|name| dir.join(name)));
                }
            }
            StepKind::Write { path, content: Some(content), .. } => {
                let path = path.value.as_known().unwrap_or_default();
                let name = path.rsplit('/').next().unwrap_or(path);
                // What is put there is one.
                if machine().precious(name) == Some(CREDENTIALS)
                    && let Some(text) = content.as_known()
                {
                    self.secrets.add(text);
                }
            }
            _ => {}
        }
        let before = self.mutations.len();
        self.mutations.extend(effects(&step, self.knowledge, self.programs, files, self.look));
        let (earlier, new) = self.mutations.split_at_mut(before);
        for mutation in new.iter_mut().filter(|mutation| mutation.facts.contains_key(UPDATE)) {
            if earlier.iter().any(|earlier| dates(earlier, mutation)) {
                mutation.facts.remove(UPDATE);
            }
        }
    }

    fn starts(&mut self, name: &str, environment: &[(String, Value)], words: &[Value], stdin: &Stdin) {
        let stdin = match stdin {
            Stdin::Text(text) => Some(text),
            _ => None,
        };
        if !self.started.contains(name) {
            self.started.insert(name.to_owned());
        }
        let program = name.rsplit('/').next().unwrap_or(name);
        for text in secrets_of(program, words, stdin) {
            self.secrets.add(&text);
        }
        // What is told by its form in one place is a secret in all. A value goes to the end of its word.
        let assigned = environment.iter().filter_map(|(name, value)| {
            let text = value.as_known()?;
            Some(format!("{name}={text}"))
        });
        let words = words.iter().filter_map(Value::as_known).map(str::to_owned);
        let assigned: Vec<String> = assigned.collect();
        let words: Vec<String> = words.collect();
        let options = words.iter().filter(|word| word.starts_with('-'));
        for value in assigned.iter().chain(options).filter_map(|word| secret_of_word(word)) {
            self.secrets.add(value);
        }
        let words: Vec<String> = assigned.into_iter().chain(words).collect();
        let line = words.join(" ");
        for range in secret_ranges(&line) {
            self.secrets.add(&line[within_word(&words, range)]);
        }
    }
}

/// The part of a range of the joined words that lies in the word in which it begins: a value ends with its word, whatever a
/// line without quotes reads like.
fn within_word(words: &[String], range: Range<usize>) -> Range<usize> {
    let mut end = 0;
    for word in words {
        end += word.len();
        if range.start < end {
            break;
        }
        end += 1;
    }
    range.start..range.end.min(end.max(range.start))
}

/// What is newer at the target is left alone.
const UPDATE: &str = "update-only";

/// Whether an earlier act of the same line writes what a later one compares by its time: which is newer then, no date on the
/// machine says.
fn dates(earlier: &Mutation, later: &Mutation) -> bool {
    let Subject::Path(compared) = &later.subject else { return false };
    let Subject::Path(written) = &earlier.subject else {
        // Which files a checkout, a build or anything else writes is not told here.
        return earlier.context.host.is_none();
    };
    let Some(written) = written.path.as_known().map(Path::new) else { return true };
    let meets = |path: &Path| path.starts_with(written) || written.starts_with(path);
    compared.path.as_known().map(Path::new).is_none_or(meets) || compared.from.as_deref().is_some_and(meets)
}

/// Why the loss of files is more than ordinary that hold nothing but secrets.
const CREDENTIALS: &str = "credentials";

/// Most places that are kept.
const NAMED: usize = 200;

/// The places that the words of an invocation name, if they name any: where copies may stand.
fn named(step: &Step, invocation: &Invocation, found: &mut Vec<PathBuf>) {
    let ([dir], None) = (step.context.cwd.as_slice(), &step.context.host) else { return };
    let words = invocation.args.iter().skip(1).filter_map(|arg| arg.value.as_known());
    let words = words.filter(|word| !word.is_empty() && !word.starts_with('-') && !word.contains('\n'));
    found.extend(words.take(NAMED.saturating_sub(found.len())).map(|word| dir.join(word)));
}

/// The places that words name, those behind `=`, `,` and `:` in options too.
fn touched(step: &Step, args: &[Arg], found: &mut Vec<PathBuf>) {
    let ([dir], None) = (step.context.cwd.as_slice(), &step.context.host) else { return };
    let words = args.iter().skip(1).filter_map(|arg| arg.value.as_known());
    let words = words.flat_map(|word| match word.split_once('=').filter(|_| word.starts_with('-')) {
        Some((_, value)) => vec![value],
        None => vec![word],
    });
    let words = words.flat_map(|word| {
        let parts = super::outputs::parts(word).skip(1);
        std::iter::once(word).chain(parts.collect::<Vec<_>>())
    });
    let words = words.filter(|word| !word.is_empty() && !word.starts_with('-') && !word.contains('\n'));
    found.extend(words.take(NAMED.saturating_sub(found.len())).map(|word| dir.join(word)));
}

/// Most words that may name files that are read.
const OPERANDS: usize = 400;

/// What words may name as a file that is read: themselves, the values of options, `@file`, `file://…`, and what commands of a
/// program's own (`.read FILE`, `\\i FILE`) name.
fn operands(step: &Step, args: &[Arg], found: &mut Vec<(Span, PathBuf)>) {
    let ([dir], None) = (step.context.cwd.as_slice(), &step.context.host) else { return };
    for word in args.iter().skip(1).filter_map(|arg| arg.value.as_known()) {
        let value = match word.split_once('=') {
            Some((name, value)) if name.starts_with('-') => value,
            _ if word.starts_with("--") => continue,
            // The value of a short option may stand behind it.
            _ if word.starts_with('-') => word.get(2..).unwrap_or_default(),
            _ => word,
        };
        let plain = value.trim_start_matches('@');
        let plain = plain.strip_prefix("file://").or(plain.strip_prefix("fileb://")).unwrap_or(plain);
        let names = match plain.starts_with(['.', '\\']) && plain.contains(' ') {
            true => plain.split_whitespace().skip(1).map(|name| name.trim_matches(['"', '\''])).collect(),
            false => vec![value, plain],
        };
        let names = names.into_iter().filter(|name| !name.is_empty() && !name.contains(['\n', '\0']));
        let room = OPERANDS.saturating_sub(found.len());
        found.extend(names.take(room).map(|name| (step.span, dir.join(name))));
    }
    untold(step, dir, args, found);
}

/// Most words that may name a directory in which a program finds its files.
const DIRECTORIES: usize = 8;

/// Files that the program reads although no word names them (`Dockerfile`, `compose.yaml`): where it runs, and in directories
/// that words name.
fn untold(step: &Step, dir: &Path, args: &[Arg], found: &mut Vec<(Span, PathBuf)>) {
    let name = args.first().and_then(|arg| arg.value.as_known()).unwrap_or_default();
    let files: Vec<&str> = variables().untold_files(name.rsplit('/').next().unwrap_or(name)).collect();
    if files.is_empty() {
        return;
    }
    let named = args.iter().skip(1).filter_map(|arg| arg.value.as_known()).map(|word| {
        let value = word.split_once('=').filter(|_| word.starts_with('-')).map(|(_, value)| value);
        value.unwrap_or(word)
    });
    let named =
        named.filter(|word| !word.is_empty() && !word.starts_with('-') && !word.contains(['\n', '\0']));
    let places = std::iter::once(dir.to_owned()).chain(named.take(DIRECTORIES).map(|word| dir.join(word)));
    found.extend(
        places.flat_map(|place| {
            files.iter().map(move |file| (step.span, place.join(file))).collect::<Vec<_>>()
        }),
    );
}

/// What the tool's data says is secret among an invocation's words.
fn secrets(invocation: &Invocation, found: &mut Secrets) {
    let words: Vec<Value> = invocation.args.iter().skip(1).map(|arg| arg.value.clone()).collect();
    let stdin = match &invocation.stdin {
        Stdin::Text(text) => Some(text),
        _ => None,
    };
    for text in invocation.matched.secrets(&words, stdin) {
        found.add(&text);
    }
}
