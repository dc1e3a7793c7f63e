//! Short programs given on a command line: Python, Perl, Ruby, JavaScript, awk, sed, and SQL.
//!
//! Owns reading such code far enough to say what it deletes, writes or runs. Pure: text in, effects out; what is not
//! understood and could do harm is [`CodeEffect::Unknown`]. Uses `model` alone.

mod awk;
mod compiled;
mod effect;
mod hcl;
mod interpret;
mod language;
mod lexer;
mod library;
mod parser;
mod plain;
mod quote;
mod sed;
mod sources;
mod sql;
mod tree;

pub use effect::{CodeEffect, SqlEvent, SqlStatement, SqlTrigger, SqlVerb, matched};
pub use hcl::{Configuration, hcl, hcl_blocks, hcl_json};
pub use sources::{Nowhere, Program, Reading, Runner, Source, Sources, Tasks};
pub use sql::{sql, sql_trigger, sql_with_numbers};

use crate::model::{Value, is_mark};

/// A language of which only little is understood, by its name in `languages.toml`.
pub fn plain_language(name: &str) -> Option<&'static str> {
    plain::named(name)
}

/// Whether a source that is compiled names anything by which content may go.
pub fn may_lose(text: &str) -> bool {
    !plain::analyse("compiled", text, &[]).is_empty()
}

/// What a program may take away that was compiled of this source; `exists` says whether an operand names a file, and `home`
/// which directory is the home.
pub fn compiled(
    source: &str,
    arguments: &[Value],
    home: Option<&str>,
    exists: &dyn Fn(&Value) -> bool,
) -> Vec<CodeEffect> {
    compiled::analyse(source, arguments, home, exists)
}

/// Files that a source is compiled with because it names them.
pub fn parts_of_source(source: &str) -> Vec<String> {
    compiled::parts(source)
}

/// What the lines of a start-up file of a language plainly do, and nothing of what they may do besides.
pub(crate) fn told(language: &str, text: &str) -> Vec<CodeEffect> {
    plain::told(language, text)
}

/// What a program text does, in order of appearance.
///
/// `language` is `python`, `perl`, `ruby`, `node`, `php`, `lua`, `awk` or `sed`; any other language is held against lists of what is
/// harmless and of what does something, and otherwise gives one [`CodeEffect::Unknown`]. `arguments` are the program's operands (`sys.argv[1:]`, `@ARGV`, awk's input files).
/// Nothing in the result means that the code changes nothing.
pub fn analyse(language: &str, text: &str, arguments: &[Value]) -> Vec<CodeEffect> {
    let program = Program { language, text, arguments, file: None, roots: &[], reading: Reading::default() };
    analyse_with(&program, &Nowhere)
}

/// The same for a program that may load files of its own.
pub fn analyse_with(program: &Program<'_>, sources: &dyn Sources) -> Vec<CodeEffect> {
    let Program { language, text, arguments, .. } = *program;
    let woven = text.contains(is_mark);
    let unknown = |name: &str| {
        vec![CodeEffect::Unknown {
            reason: format!("{name} code of which a part is not known before it runs"),
        }]
    };
    match (language, language::Language::named(language)) {
        ("sed", _) => sed::analyse(text),
        (awk::NAME, _) => awk::analyse(text),
        (name, Some(language)) if woven && lexer::exposes(text, language) => unknown(name),
        (name, None) if woven => unknown(name),
        (_, Some(language)) => interpret::run(language, program, sources),
        (_, None) => plain::analyse(language, text, arguments),
    }
}

/// What running these tasks of a file does; without names, what runs when none is named.
pub fn tasks(runner: Runner, program: &Program<'_>, wanted: &[String], sources: &dyn Sources) -> Tasks {
    interpret::run_tasks(runner, program, wanted, sources)
}
