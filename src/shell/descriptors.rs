//! Open file descriptors: which input they give, and which file a name of theirs (`/dev/fd/3`, `/dev/stdin`) is.

use std::path::Path;
use std::sync::Arc;

use crate::model::{Value, keeps_nothing};
use crate::syntax::Redirection;

use super::interp::Shell;
use super::names::{Open, named_input};
use super::redirect::{Opened, Output};
use super::state::State;
use super::step::{Arg, Mode, Stdin};

impl State {
    /// A descriptor, or the usual one of an operator, is this from now on.
    pub(super) fn opens(&mut self, descriptor: Option<&str>, usual: u32, open: Open) {
        let number = descriptor.map_or(Some(usual), |text| text.parse().ok());
        if let Some(number) = number {
            Arc::make_mut(&mut self.names).set(number, open);
        }
    }

    /// What reading a file of that name gives, where it is one of an open descriptor; `None` where it is none.
    pub(super) fn reads_descriptor(&self, path: &Path) -> Option<Stdin> {
        if self.scope.host.is_some() {
            return None;
        }
        let name = path.to_str()?;
        match name.strip_prefix("/dev/fd/")? {
            "0" => Some(self.stdin.clone()),
            "1" | "2" => None,
            number if number.parse::<u32>().is_ok() => {
                Some(self.descriptors.get(name).cloned().unwrap_or(Stdin::Unknown))
            }
            _ => None,
        }
    }

    /// Standard input or output is a pipe.
    pub(super) fn piped(&mut self, input: bool, output: bool) {
        for (number, _) in [(0, input), (1, output)].into_iter().filter(|(_, pipe)| *pipe) {
            if self.names.holds_file(number) {
                self.opens(None, number, Open::Stream);
            }
        }
    }
}

impl Shell<'_> {
    /// What a descriptor is that a path is opened under.
    pub(super) fn opened_at(&self, state: &State, path: &Value) -> Open {
        if state.scope.host.is_some() {
            return Open::Stream;
        }
        match self.absolute(state, path) {
            Some(place) if keeps_nothing(&place.to_string_lossy()) => Open::Stream,
            Some(place) => Open::At(place),
            None => Open::Unknown,
        }
    }

    /// Notes what is opened for writing, and under which numbers. What is emptied was judged by then.
    pub(super) fn note_opened(
        &self,
        state: &mut State,
        (descriptor, both): (Option<&str>, bool),
        path: &Value,
        mode: Mode,
    ) {
        let open = match mode {
            Mode::Truncate => Open::Stream,
            Mode::Append | Mode::ReadWrite => self.opened_at(state, path),
        };
        if both {
            state.opens(None, 2, open.clone());
        }
        state.opens(descriptor, if mode == Mode::ReadWrite { 0 } else { 1 }, open);
    }

    /// A target of a redirection: the file that a name of an open one stands for.
    pub(super) fn by_its_own_name(&self, state: &State, mut path: Arg) -> Arg {
        let Some(text) = path.value.as_known().filter(|_| state.scope.host.is_none()) else { return path };
        let named = std::path::PathBuf::from(text);
        match self.led(state, &named).as_deref() {
            Some([place]) if *place == named || keeps_nothing(&place.to_string_lossy()) => {}
            Some(places) => {
                let places = places.iter().map(|place| place.to_string_lossy().into_owned());
                path.value = Value::one_of(places.collect());
            }
            None => path.value = Value::Unknown,
        }
        path
    }

    /// `2>&1`, `<&3`, `>&-`.
    pub(super) fn duplicate(
        &self,
        state: &mut State,
        redirection: &Redirection,
        descriptor: Option<&str>,
        known: &str,
        opened: &mut Opened,
    ) {
        let writes = state.scope.text(redirection.span).contains('>');
        let open = match known.trim_end_matches('-') {
            "" if known == "-" => Open::Stream,
            number => number.parse().map_or(Open::Unknown, |number| state.names.same_as(number)),
        };
        state.opens(descriptor, if writes { 1 } else { 0 }, open);
        if writes {
            self.writes_to_input(known, matches!(descriptor, None | Some("1")), opened);
        }
        match descriptor.unwrap_or(if writes { "1" } else { "0" }) {
            "1" if known != "1" => opened.output = Output::Lost,
            "0" => {
                let input = match known {
                    "-" => Stdin::Empty,
                    "0" => return,
                    other => state
                        .descriptors
                        .get(&format!("/dev/fd/{other}"))
                        .cloned()
                        .or_else(|| {
                            let name = format!("/dev/fd/{other}");
                            opened.descriptors.iter().find(|(n, _)| *n == name).map(|(_, s)| s.clone())
                        })
                        .unwrap_or(Stdin::Unknown),
                };
                opened.stdin = Some(input);
                opened.share(state, "0", &format!("/dev/fd/{}", known.trim_end_matches('-')));
            }
            "1" | "2" => {}
            number => {
                let name = format!("/dev/fd/{known}");
                let earlier = opened.descriptors.iter().rev().find(|(other, _)| *other == name);
                let input = match known {
                    "0" => opened.stdin.clone().unwrap_or(state.stdin.clone()),
                    _ => earlier
                        .map(|(_, input)| input.clone())
                        .or_else(|| state.descriptors.get(&name).cloned())
                        .unwrap_or(Stdin::Unknown),
                };
                opened.descriptors.push((format!("/dev/fd/{number}"), input));
                opened.share(state, number, &format!("/dev/fd/{}", known.trim_end_matches('-')));
            }
        }
    }

    /// What reading from a file gives.
    pub(super) fn input_from(&self, state: &State, path: Value) -> Stdin {
        match path.as_known() {
            Some("/dev/null") => Stdin::Empty,
            // Where it goes on depends on whether a pipe or a file is behind the name.
            Some(name) if named_input(name).is_some_and(|name| state.is_begun(&name)) => Stdin::Unknown,
            Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => state.stdin.clone(),
            Some(name) => match state.descriptors.get(name) {
                Some(known) => known.clone(),
                None => Stdin::File(path),
            },
            None => Stdin::File(path),
        }
    }
}

impl Opened {
    /// What is opened under a number is the same open input as that of a name.
    pub(super) fn share(&mut self, state: &mut State, number: &str, name: &str) {
        let source = self.source(state, name);
        self.sources.push((format!("/dev/fd/{number}"), source));
    }

    /// Which open input a name leads to behind what was opened so far.
    pub(super) fn source(&self, state: &mut State, name: &str) -> Option<u32> {
        let earlier = self.sources.iter().rev().find(|(known, _)| known == name).map(|(_, source)| *source);
        earlier.unwrap_or_else(|| state.source(name))
    }
}

/// Reading a descriptor gives this.
pub(super) fn set_input(opened: &mut Opened, descriptor: Option<&str>, input: Stdin) {
    opened.sources.push((format!("/dev/fd/{}", descriptor.unwrap_or("0")), None));
    match descriptor {
        None | Some("0") => opened.stdin = Some(input),
        Some(other) => opened.descriptors.push((format!("/dev/fd/{other}"), input)),
    }
}
