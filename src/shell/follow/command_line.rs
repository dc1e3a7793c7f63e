//! The command line of a shell: how it starts, and what it was started to run.

use crate::model::Value;
use crate::shell::builtins;
use crate::shell::simple::Call;
use crate::shell::state::{Switches, Words};
use crate::shell::step::Arg;
use crate::shell::zsh;

use super::startup::Starting;

/// Where a shell's commands come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The first word behind the options (`-c`).
    Text,
    /// The file that this word names; without one, standard input.
    File,
    /// Standard input (`-s`).
    Stdin,
}

/// What the words behind a shell's name ask for.
pub(super) struct CommandLine {
    pub(super) starting: Starting,
    pub(super) switches: Switches,
    /// Texts that run before all others (`fish -C`).
    pub(super) first: Vec<Arg>,
    /// Files that it writes about what it did.
    pub(super) written: Vec<Arg>,
    pub(super) source: Source,
    /// It only says something about itself.
    pub(super) informational: bool,
    /// The words behind its options.
    pub(super) rest: Vec<Arg>,
}

impl CommandLine {
    /// Reads the words of a shell of this name.
    pub(super) fn of(name: &str, call: &Call) -> Self {
        let mut line = Self {
            starting: Starting::default(),
            switches: Switches::of_shell(name),
            first: Vec::new(),
            written: Vec::new(),
            source: Source::File,
            informational: false,
            rest: Vec::new(),
        };
        let mut words = call.arguments().iter().map(|word| &word.arg);
        while let Some(word) = words.next() {
            match word.value.as_known() {
                Some("--version" | "--help" | "--dump-strings" | "--dump-po-strings") => {
                    line.informational = true;
                    break;
                }
                Some("--" | "-") => break,
                Some(long) if long.starts_with("--") => match long.split_once('=') {
                    Some((option, value)) => {
                        let value = Arg { value: Value::known(value), ..word.clone() };
                        line.long(option, &mut std::iter::once(&value));
                    }
                    None => line.long(long, &mut words),
                },
                Some(short) if short.len() > 1 && short.starts_with(['-', '+']) => {
                    let on = short.starts_with('-');
                    for letter in short.chars().skip(1) {
                        line.letter(name, letter, on, &mut words);
                    }
                }
                _ => {
                    line.rest.push(word.clone());
                    break;
                }
            }
        }
        line.rest.extend(words.cloned());
        line
    }

    /// A long option, its value among the words behind it.
    fn long<'a>(&mut self, option: &str, words: &mut impl Iterator<Item = &'a Arg>) {
        match option {
            "--rcfile" | "--init-file" => self.starting.file = words.next().cloned(),
            "--norc" | "--no-config" | "--no-rcs" => self.starting.bare = true,
            "--command" => {
                self.source = Source::Text;
                self.rest.extend(words.next().cloned());
            }
            "--init-command" => self.first.extend(words.next().cloned()),
            "--profile" | "--profile-startup" | "--debug-output" => {
                self.written.extend(words.next().cloned())
            }
            "--debug" | "--features" => drop(words.next()),
            "--posix" => (self.starting.no_variables, self.switches.expand_aliases) = (true, true),
            "--login" => self.starting.login = true,
            "--noprofile" => self.starting.no_profile = true,
            "--emulate" => {
                words.next();
                self.switches.words = Words::Unsure;
            }
            _ => {}
        }
    }

    /// A letter behind `-` (on) or `+`, its value among the words behind it.
    fn letter<'a>(&mut self, name: &str, letter: char, on: bool, words: &mut impl Iterator<Item = &'a Arg>) {
        let (starting, switches) = (&mut self.starting, &mut self.switches);
        match letter {
            'c' => self.source = Source::Text,
            'C' if name == "fish" => self.first.extend(words.next().cloned()),
            'p' | 'o' if name == "fish" => self.written.extend(words.next().cloned()),
            'd' | 'D' | 'f' if name == "fish" => drop(words.next()),
            // Text that is given counts before what can be read.
            's' if self.source == Source::Text => {}
            's' => self.source = Source::Stdin,
            'l' => starting.login |= on,
            'p' if name == "bash" && on => (starting.no_variables, starting.no_functions) = (true, true),
            'i' => {
                starting.interactive |= on;
                switches.execfail |= on;
            }
            'f' if switches.zsh => starting.bare = true,
            'N' if name == "fish" => starting.bare = true,
            'y' if switches.zsh => switches.words = Words::Split,
            'o' | 'O' => {
                let option = words.next().and_then(|word| word.value.as_known());
                starting.no_variables |= on && matches!(option, Some("posix" | "privileged"));
                starting.no_functions |= on && option == Some("privileged");
                if switches.zsh {
                    zsh::switch_or_doubt(switches, option, on);
                } else if let Some(option) = option {
                    builtins::switch(switches, option, on);
                }
            }
            other => builtins::letter(switches, other, on),
        }
    }
}
