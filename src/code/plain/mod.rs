//! Languages of which only little is understood: what `knowledge/languages.toml` lists is harmless, anything else is unknown.
//!
//! Owns that list's form and how a text is held against it. Whatever does not fit exactly is unknown.

mod calls;
mod commands;
mod editor;
mod keys;
mod methods;
mod programs;
mod statements;
mod strings;
mod told;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::effect::CodeEffect;
use crate::model::Value;

/// How the texts of a language are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    /// Commands, known by their first words.
    Commands,
    /// Commands and expressions with variables, in pipes and blocks.
    Pipelines,
    /// Expressions.
    Calls,
    /// An editor's commands.
    Vim,
    /// A pager's keys.
    Less,
    /// Harmless unless one of the words in `never` occurs.
    Without,
    /// Methods, known by their names alone.
    Methods,
    /// Statements, known by their first words, of which some are told to do something.
    Statements,
    /// Statements of the line editor.
    Editor,
}

/// What is known of a language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plain {
    form: Form,
    /// Characters between commands.
    #[serde(default)]
    divide: String,
    /// Starts a comment that ends with the line.
    #[serde(default)]
    comment: String,
    /// Characters that strings stand in.
    #[serde(default = "quotes")]
    quotes: String,
    /// Takes a quote's meaning in a string.
    #[serde(default = "backslash")]
    escape: String,
    /// Upper and lower case are the same.
    #[serde(default)]
    folds: bool,
    /// Commands or names that change nothing.
    #[serde(default)]
    harmless: Vec<String>,
    /// Commands that are harmless with at most numbers behind them.
    #[serde(default)]
    bare: Vec<String>,
    /// Words that may stand nowhere.
    #[serde(default)]
    never: Vec<String>,
    /// Commands of the language's own, which are no programs; of `verb-` all that begin so.
    #[serde(default)]
    own: Vec<String>,
    /// Text that may stand nowhere outside strings.
    #[serde(default)]
    forbidden: Vec<String>,
    /// Text that may stand nowhere, strings included.
    #[serde(default)]
    inside: Vec<String>,
    /// Functions that a command's words may call.
    #[serde(default)]
    calls: Vec<String>,
    /// What assigns to the name before it.
    #[serde(default)]
    assigns: Vec<String>,
    /// Characters between a value and its field, besides the dot.
    #[serde(default)]
    fields: String,
    /// Arguments that must not be given by name.
    #[serde(default)]
    named: Vec<String>,
    /// Words behind which names of packages stand.
    #[serde(default)]
    imports: Vec<String>,
    /// An editor's commands that set an option.
    #[serde(default)]
    set: Vec<String>,
    /// Commands of an editor that show lines, that change the text, and that write it to the file that is edited.
    #[serde(default)]
    shows: Vec<String>,
    #[serde(default)]
    changes: Vec<String>,
    #[serde(default)]
    saves: Vec<String>,
    /// Options that must not be set.
    #[serde(default)]
    unset: Vec<String>,
    /// Methods by which content goes, as the words of a command; what they are called on comes behind these.
    #[serde(default)]
    acts: BTreeMap<String, String>,
    /// What such methods are called on.
    #[serde(default)]
    root: String,
    /// What statements do, by their first words.
    #[serde(default)]
    does: BTreeMap<String, String>,
    /// Words that are no operands of a statement.
    #[serde(default)]
    options: Vec<String>,
    /// The rest of a line behind `!` is a shell's.
    #[serde(default)]
    shell: bool,
    /// What may stand in front of a statement.
    #[serde(default)]
    marks: String,
    /// Statements behind which text follows, up to a lone dot.
    #[serde(default)]
    text: Vec<String>,
    /// Calls by which content goes, by what they do.
    #[serde(default)]
    takes: BTreeMap<String, Vec<String>>,
    /// What lines of a start-up file do by how they begin, and by a call in them; every other line.
    #[serde(default)]
    begins: BTreeMap<String, String>,
    #[serde(default)]
    within: BTreeMap<String, String>,
    #[serde(default)]
    otherwise: String,
    /// What may stand in front of such a line, what makes it a remark, and what opens and closes lines that do not run.
    #[serde(default)]
    lead: Vec<String>,
    #[serde(default)]
    remark: String,
    #[serde(default)]
    blocks: BTreeMap<String, String>,
    /// What the values of settings are, by their section and name (`hooks.*`).
    #[serde(default)]
    settings: BTreeMap<String, String>,
    /// Where commands stand in a YAML file, and the keys of program, arguments and variables there.
    #[serde(default)]
    argv: Vec<String>,
}

fn quotes() -> String {
    "\"'".to_owned()
}

fn backslash() -> String {
    "\\".to_owned()
}

/// The list; empty if it could not be read, which a test rules out.
fn languages() -> &'static BTreeMap<String, Plain> {
    static LANGUAGES: OnceLock<BTreeMap<String, Plain>> = OnceLock::new();
    LANGUAGES.get_or_init(|| read().unwrap_or_default())
}

pub(super) use told::told;

/// The language's name as the list has it.
pub(super) fn named(language: &str) -> Option<&'static str> {
    languages().get_key_value(language).map(|(name, _)| name.as_str())
}

/// A language's calls by which content goes in this way.
pub(super) fn takes(language: &str, kind: &str) -> &'static [String] {
    languages().get(language).and_then(|plain| plain.takes.get(kind)).map_or(&[], Vec::as_slice)
}

/// `build.rs` made JSON of it, which is read several times faster.
fn read() -> Result<BTreeMap<String, Plain>, serde_json::Error> {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/languages.json")))
}

/// What `text` may do: nothing when all of it is known to be harmless. Any language may be asked for; the first argument is the
/// file that an editor edits.
pub(super) fn analyse(language: &str, text: &str, arguments: &[Value]) -> Vec<CodeEffect> {
    let Some(plain) = languages().get(language) else {
        return vec![CodeEffect::Unknown { reason: format!("{language} code is not understood") }];
    };
    let harmless = match plain.form {
        Form::Commands => commands::harmless(plain, text),
        Form::Pipelines => match programs::called(plain, text) {
            Some(effects) => return effects,
            None => commands::pipelines(plain, text),
        },
        Form::Calls => calls::harmless(plain, text),
        Form::Vim => match editor::vim(plain, text, arguments) {
            Some(effects) => return effects,
            None => false,
        },
        Form::Less => editor::pager(plain, text),
        Form::Methods => match methods::acts(plain, text) {
            Some(effects) => return effects,
            None => methods::harmless(plain, text),
        },
        Form::Statements | Form::Editor => return statements::analyse(plain, text, arguments.first()),
        Form::Without if plain.folds => {
            let text = text.to_ascii_lowercase();
            !plain.never.iter().any(|word| text.contains(word.as_str()))
        }
        Form::Without => !plain.never.iter().any(|word| text.contains(word.as_str())),
    };
    if harmless {
        return Vec::new();
    }
    vec![CodeEffect::Unknown { reason: format!("this {language} code may run a program or write a file") }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_can_be_read() {
        assert!(read().unwrap().contains_key("vim"));
    }

    #[test]
    fn examples_do_what_they_say() {
        let text = include_str!("../../knowledge/languages.toml");
        let file: toml::Table = text.parse().unwrap();
        let mut wrong = Vec::new();
        for (language, table) in &file {
            for example in table.get("example").and_then(toml::Value::as_array).into_iter().flatten() {
                let (code, does) = (example["code"].as_str().unwrap(), example["does"].as_str().unwrap());
                let found = crate::code::interpret::tests::show(language, code, &["f"]);
                if found != does {
                    wrong.push(format!("{language}: {code}\n   wanted: {does}\n   found:  {found}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn odd_scripts_end() {
        for language in ["tcl", "ftp", "ed", "mongosh"] {
            for part in ["{", "[", "\"", "set x $x", "/", "é[", "!\n", "g/[", "'", "{ [ \" é"] {
                analyse(language, &part.repeat(3_000), &[]);
                analyse(language, &format!("{part}é{part}"), &[]);
            }
        }
    }

    fn judge(language: &str, harmless: &[&str], unknown: &[&str]) {
        for text in harmless {
            assert!(analyse(language, text, &[]).is_empty(), "{language}: {text}");
        }
        for text in unknown {
            assert!(!analyse(language, text, &[]).is_empty(), "{language}: {text}");
        }
    }

    #[test]
    fn debuggers() {
        judge(
            "gdb",
            &[
                "bt",
                "thread apply all bt",
                "info registers",
                "x/10i $pc",
                "print sizeof(int)",
                "frame 3",
                "p p->next",
            ],
            &[
                "shell rm a",
                "!rm a",
                "print system(\"rm a\")",
                "print $_shell(\"rm a\")",
                "thread apply all shell rm a",
                "frame apply all shell rm a",
                "source x",
                "bt\nshell rm a",
                "print x = 1",
                "python print(1)",
                "pipe bt | sh",
                "info x | sh",
                "bt2",
                "echo \"\nshell rm a\n\"",
                "echo # \nshell rm a",
            ],
        );
        judge(
            "lldb",
            &["bt all", "image list", "frame variable", "b main"],
            &[
                "memory read --outfile a 0",
                "memory read -oa 0",
                "expr (int)system(\"x\")",
                "script 1",
                "breakpoint set -n f -C 'shell rm a'",
            ],
        );
    }

    #[test]
    fn applescript() {
        judge(
            "applescript",
            &[
                "display notification \"do it\"",
                "return 1+1",
                "tell application \"Finder\" to get name of front window",
            ],
            &[
                "do shell script \"rm a\"",
                "return (do shell script \"rm a\")",
                "tell application \"Finder\" to delete file 1",
                "tell application \"Finder\" to get delete file 1",
                "tell app \"x\"\nempty trash\nend tell",
                "display notification \"a\"\ndo shell script \"rm a\"",
            ],
        );
    }

    #[test]
    fn powershell() {
        judge(
            "powershell",
            &[
                "Get-ChildItem",
                "Get-Process | Select-Object -First 5",
                "$PSVersionTable",
                "$PSVersionTable.PSVersion",
                "write-host hi; Get-Content README.md",
                "(Get-Item x).Length",
                "Get-ChildItem | Where-Object { $_.Length -gt 1 } | ForEach-Object { $_.Name }",
                "$a = Get-Content x; Write-Host $a",
            ],
            &[
                "Remove-Item x",
                "Get-Item x | Remove-Item",
                "Get-Content x > y",
                "& rm x",
                "(Get-Item x).Delete()",
                "$x.Delete()",
                "Get-ChildItem | ForEach-Object Delete",
                "Get-ChildItem | % { Remove-Item $_ }",
                "Write-Host \"$(rm x)\"",
                "Write-Host (rm x)",
                "$a = rm x",
                "foreach ($x in rm y) { $x }",
                "[IO.File]::Delete('x')",
                "Write-Host “a”; rm x",
                ". ./x.ps1",
                "iex 'rm x'",
                "SQBFAFgA",
                "Write-Host a#; rm x",
                "Write-Host 'a\\'; rm x; 'b\\'",
                "ls/evil x",
                "Get-Content \"a`\"; rm x; \"b\"",
            ],
        );
    }

    #[test]
    fn expressions() {
        judge(
            "r",
            &[
                "1+1",
                "cat(R.version.string)",
                "x <- read.csv(\"a.csv\"); summary(x)",
                "library(ggplot2); sessionInfo()",
                "installed.packages()[,1]",
                "packageVersion('ggplot2')",
                "x <- c(1,2,3)\nprint(mean(x)) # unlink(x)",
                "x <- mtcars; x$mpg",
            ],
            &[
                "unlink('x')",
                "file.remove('x')",
                "sapply(list.files(), unlink)",
                "sapply('x', 'unlink')",
                "\"unlink\"('x')",
                "'unlink'  ('x')",
                "f <- unlink; f('x')",
                "f <- 'unlink'; f('x')",
                "cat('x', file='y')",
                "base::unlink('x')",
                "x$unlink('y')",
                "`unlink`('x')",
                "(\\(x) x)(1)",
                "r\"(\")\"; unlink('x')",
                "system('rm x')",
                "write.csv(mtcars, 'x')",
                "c(unlink)[[1]]('x')",
                "'a' |> unlink()",
                "print('x",
                "library(unlink('x'), character.only = TRUE)",
                "x <- 1#\"\nunlink(\" c \")#\"",
            ],
        );
        judge(
            "julia",
            &["println(1+1)", "using Pkg; Pkg.status()", "versioninfo()", "x = 2; println(x^2)", "@show 1+1"],
            &[
                "rm(\"x\")",
                "run(`rm x`)",
                "foreach(rm, readdir())",
                "println(\"$(rm(\"x\"))\")",
                "Base.rm(\"x\")",
                "import Base: rm as println; println(\"x\")",
                "println = rm",
                "f(x) = rm(x); f(\"x\")",
                "\"\"\" \" \"\"\"; rm(\"f\")",
                "x = 1; x.rm(2)",
                "include(\"x.jl\")",
                "open(\"x\", \"w\")",
                "@eval rm(\"x\")",
                "#= =# rm(\"x\")",
            ],
        );
        judge(
            "elixir",
            &["IO.puts 1", "IO.puts System.version()", "IO.inspect(File.ls!())"],
            &[
                "File.rm! \"x\"",
                ":os.cmd('rm x')",
                "IO.puts \"#{File.rm(\"x\")}\"",
                "Enum.each([1], &File.rm/1)",
                "IO.\"puts\"(1)",
                "IO.puts ?#; File.rm!(\"x\")",
                ":\"Elixir.File\".rm(\"x\")",
            ],
        );
    }

    #[test]
    fn only_what_shows_or_sets_is_harmless() {
        judge(
            "vim",
            &[
                "set nu",
                "/needle",
                ":%p",
                "%p|q!",
                "g/a/p",
                "%s/a/b/g",
                "1,5d",
                "%d",
                "g/x/d",
                "normal! x",
                "normal ggdG",
                "%norm A;",
                "g/x/normal dd",
                "normal!Gp",
            ],
            &[
                "set shell=/tmp/x",
                "q|!rm a",
                ":!rm a",
                "wq",
                "%d|x",
                "%!sort",
                "g/a/!rm a",
                "s/a/\\=system('x')/",
                "w other",
                "r !rm a",
                "normal @q",
                "normal :!rm a\r",
                "normal A|@q",
                "normal G|/x\r@q",
                "exe 'normal x'",
                "!rm a normal x",
                "/x/!rm a",
                "/a/,/b/!sh",
                "?x?w other",
                "'<,'>!rm a",
                "/a\\/b/!rm a",
                "g/x/normal @q",
            ],
        );
        let saved = vec![CodeEffect::Update { path: Value::known("a") }];
        assert_eq!(analyse("vim", "%d|x", &[Value::known("a")]), saved);
        judge("less", &["G", "50%"], &["!rm a"]);
        judge("m4", &["define(x, 1)"], &["esyscmd(rm a)"]);
        judge("dc", &["2 3 + p"], &["!rm a"]);
        judge("nothing of the kind", &[], &["x"]);
    }
}
