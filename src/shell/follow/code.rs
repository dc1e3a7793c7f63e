//! Code in other languages: its effects come as steps, what it runs is followed.

use crate::code::{CodeEffect, analyse, plain_language};
use crate::model::{Span, Value};
use crate::shell::expand::Expansion;
use crate::shell::interp::{Interp, Scope};
use crate::shell::state::State;
use crate::shell::step::{Arg, StepKind};

use super::shells::FileText;

/// The language that an interpreter's name stands for.
pub(super) fn language(interpreter: &str) -> Option<&'static str> {
    let name = interpreter.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match name {
        "python" | "pypy" => "python",
        "perl" => "perl",
        "ruby" => "ruby",
        "node" | "nodejs" | "deno" | "bun" => "node",
        "awk" | "gawk" | "mawk" | "nawk" => "awk",
        "sed" | "gsed" => "sed",
        "tclsh" | "tcl" => "tcl",
        "php" => "php",
        "lua" => "lua",
        _ => return None,
    })
}

fn fixed(name: &str) -> &'static str {
    match name {
        "javascript" | "js" => "node",
        "mongosh" => "mongosh",
        "ftp" => "ftp",
        "vim" => "vim",
        "less" => "less",
        "m4" => "m4",
        "dc" => "dc",
        "ed" => "ed",
        "gdb" => "gdb",
        "lldb" => "lldb",
        "r" => "r",
        "julia" => "julia",
        "elixir" => "elixir",
        "applescript" => "applescript",
        "powershell" => "powershell",
        other => language(other).or_else(|| plain_language(other)).unwrap_or("code"),
    }
}

impl Interp<'_> {
    /// Code text.
    #[allow(clippy::too_many_arguments)]
    pub(in crate::shell) fn code(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        text: &Value,
        arguments: &[Value],
        span: Span,
        raw: &str,
    ) {
        let language = fixed(name);
        let Some(texts) = text.choices() else {
            let effect =
                CodeEffect::Unknown { reason: format!("{name} code that is not known before it runs") };
            self.emit_as(state, scope, span, raw, StepKind::Code { language, effect });
            return;
        };
        let cwd = state.cwd.clone();
        for text in texts {
            for effect in analyse(language, text, arguments) {
                if !self.tick(state, scope, span) {
                    return;
                }
                match effect {
                    CodeEffect::Shell { text } => {
                        let (zero, positional) = (Value::known("sh"), Default::default());
                        self.fresh_shell(state, scope, &text, span, zero, positional);
                    }
                    CodeEffect::Run { argv } => {
                        let words = argv
                            .into_iter()
                            .map(|value| Expansion {
                                arg: Arg { value, span, explicit: false },
                                elastic: false,
                                unordered: false,
                            })
                            .collect();
                        self.program(state, scope, words, span);
                    }
                    CodeEffect::ChangeDirectory { path } => state.cwd = self.directories(state, &path),
                    CodeEffect::Delete { path: Value::Known(pattern), glob: true, recursive } => {
                        for effect in self.matching(state, scope, &pattern, recursive) {
                            self.emit_as(state, scope, span, raw, StepKind::Code { language, effect });
                        }
                    }
                    effect => self.emit_as(state, scope, span, raw, StepKind::Code { language, effect }),
                }
            }
        }
        state.cwd = cwd;
    }

    /// A deletion by pattern as deletions of what it matches now; the pattern itself when that cannot be listed.
    fn matching(&self, state: &State, scope: &Scope, pattern: &str, recursive: bool) -> Vec<CodeEffect> {
        let whole = || CodeEffect::Delete { path: Value::known(pattern), glob: true, recursive };
        let braces = pattern.contains('{');
        let Some(names) = (!braces).then(|| self.pattern_names(state, scope, pattern)).flatten() else {
            return vec![whole()];
        };
        // Functions that delete a file refuse a directory.
        let deletable = |name: &String| {
            let path = self.absolute(state, &Value::known(name.as_str()));
            recursive || path.is_none_or(|path| self.is_directory(state, &path) != Some(true))
        };
        names
            .into_iter()
            .filter(deletable)
            .map(|name| {
                let special = name.contains(['*', '?', '[', ']', '{', '}']);
                CodeEffect::Delete { path: Value::Known(name), glob: !special, recursive }
            })
            .collect()
    }

    /// A file with code.
    pub(in crate::shell) fn code_file(
        &mut self,
        state: &mut State,
        scope: &Scope,
        language: &str,
        file: &Arg,
        arguments: &[Value],
    ) {
        match self.file_text(state, scope, &file.value) {
            FileText::Text(text) => {
                let shown = file.value.display();
                self.code(state, scope, language, &Value::Known(text), arguments, file.span, &shown);
            }
            FileText::Missing => {}
            FileText::Unknown => {
                let shown = file.value.display();
                let reason = format!("the {language} program `{shown}` could not be read");
                self.emit_as(state, scope, file.span, &shown, StepKind::Opaque { reason });
            }
        }
    }
}
