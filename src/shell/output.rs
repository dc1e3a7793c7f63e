//! What the shell's own commands print, where that can be told without running them; programs are asked themselves.

use crate::model::Value;

use super::builtins::{decode_echoed, format_printf};
use super::interp::Shell;
use super::simple::Call;
use super::state::{State, Status};

impl Shell<'_> {
    /// The standard output of a command, where it can be told.
    pub(super) fn printed(&self, state: &State, call: &Call) -> Option<Value> {
        let name = call.words.first()?.arg.value.as_known()?;
        if !call.external && state.functions.contains_key(name) {
            return None;
        }
        let name = name.rsplit('/').next().unwrap_or(name);
        let here = state.scope.host.is_none();
        match name {
            "echo" if state.switches.common && !is_plain(call) => None,
            "echo" => Some(echo(call)),
            "printf" if state.switches.common && !call.values().first().is_some_and(is_plain_format) => None,
            "printf" if call.arguments().first().is_some_and(|w| !w.arg.value.prefix().starts_with("-v")) => {
                let values = call.values();
                let from = usize::from(values.first().and_then(Value::as_known) == Some("--"));
                if call.open() { None } else { format_printf(&values[from..]) }
            }
            "pwd" if here => Some(self.directory_name(state, call).concat(&newline())),
            ":" | "true" | "false" | "cd" | "test" | "[" | "set" | "shopt" | "export" | "unset" | "read"
            | "shift" => Some(Value::known("")),
            _ => self.programs.prints(self, state, name, call),
        }
    }

    /// Whether a command succeeds, where that can be told before it runs.
    pub(super) fn status_of(&self, state: &State, name: &str, call: &Call) -> Status {
        match name {
            _ if state.scope.host.is_some() => Status::Unknown,
            "true" | "echo" | ":" => Status::True,
            "false" => Status::False,
            _ => self.programs.succeeds(self, state, name, call),
        }
    }

    /// What `pwd` says: the path that the shell came by, or where that really is. The program of that name goes by the
    /// links unless it is told otherwise.
    fn directory_name(&self, state: &State, call: &Call) -> Value {
        let texts = call.texts().unwrap_or_default();
        let chosen = texts.iter().rev().find_map(|text| text.chars().rev().find(|c| matches!(c, 'L' | 'P')));
        let program =
            call.external || call.words.first().is_some_and(|word| word.arg.value.prefix().contains('/'));
        if !chosen.map_or(program || state.switches.physical, |letter| letter == 'P') {
            return self.scalar(state, "PWD").unwrap_or(Value::Unknown);
        }
        let real = state.only_cwd().and_then(|dir| self.physical(state, dir));
        real.map_or(Value::Unknown, |dir| Value::Known(dir.to_string_lossy().into_owned()))
    }

    /// Whether these names stand in the order of their bytes wherever a program or the shell sorts them: the locale is
    /// the plain one, or they hold nothing that locales differ about.
    pub(crate) fn in_byte_order(&self, state: &State, names: &[String]) -> bool {
        let plain = |name: &String| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if names.len() < 2 || names.iter().all(plain) {
            return true;
        }
        for name in ["LC_ALL", "LC_COLLATE", "LANG"] {
            match self.scalar(state, name) {
                None => {}
                Some(Value::Known(text)) if text.is_empty() => {}
                Some(Value::Known(text)) => return text == "C" || text == "POSIX" || text.starts_with("C."),
                Some(_) => return false,
            }
        }
        true
    }
}

/// Whether every shell's `echo` prints the same.
fn is_plain(call: &Call) -> bool {
    let option = |text: &str| text.starts_with('-') && text.contains(['e', 'E']);
    let values = call.values();
    values.iter().all(|value| value.choices().is_some_and(|all| all.iter().all(|text| !text.contains('\\'))))
        && !values
            .first()
            .is_some_and(|value| value.choices().is_some_and(|all| all.iter().any(|text| option(text))))
}

/// Whether every shell's `printf` reads a format alike.
pub(super) fn is_plain_format(format: &Value) -> bool {
    let odd = |text: &str| {
        ["%q", "%Q", "%(", "%b", "\\x", "\\u", "\\U", "\\c", "\\e", "\\E", "\\'", "\\\"", "\\?"]
            .iter()
            .any(|sign| text.contains(sign))
    };
    format.as_known().is_some_and(|text| !text.starts_with('-') && !odd(text))
}

fn newline() -> Value {
    Value::known("\n")
}

fn echo(call: &Call) -> Value {
    let mut arguments = call.arguments();
    let mut end = true;
    let mut escapes = false;
    while let Some(text) = arguments.first().and_then(|word| word.arg.value.as_known()) {
        if text.len() < 2
            || !text.starts_with('-')
            || !text[1..].chars().all(|c| matches!(c, 'n' | 'e' | 'E'))
        {
            break;
        }
        for c in text[1..].chars() {
            match c {
                'n' => end = false,
                'e' => escapes = true,
                _ => escapes = false,
            }
        }
        arguments = &arguments[1..];
    }
    let mut whole = Value::known("");
    for (index, word) in arguments.iter().enumerate() {
        if index > 0 {
            whole = whole.concat(&Value::known(" "));
        }
        whole = whole.concat(&word.arg.value);
    }
    if escapes {
        whole = whole.map(decode_echoed);
    }
    if end { whole.concat(&newline()) } else { whole }
}
