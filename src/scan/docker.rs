//! Dockerfiles and Containerfiles: what `RUN` does while an image is built, what `CMD`, `ENTRYPOINT` and `HEALTHCHECK`
//! run in its containers.
//!
//! Facts: <https://docs.docker.com/reference/dockerfile/>. A line goes on behind the escape character, comments and empty
//! lines between count for nothing; here-documents follow the instruction that names them; a mount for one `RUN` keeps
//! no change but that of a cache.

use super::{Dialect, Found, Lines, Piece, Place, Runs};

/// An instruction with its text, as the builder joins it.
#[derive(Debug, Default)]
struct Instruction {
    /// Its name, in capital letters.
    name: String,
    /// What stands behind the name.
    text: String,
    /// Where that stands.
    lines: Lines,
    /// The line of its name.
    line: usize,
    /// Here-documents: what ends each, its text with the line that it begins on.
    documents: Vec<(String, String, usize)>,
}

/// What holds from an instruction on.
#[derive(Debug)]
struct Stage {
    dialect: Option<Dialect>,
    variables: Vec<(String, Option<String>)>,
}

impl Default for Stage {
    fn default() -> Self {
        Self { dialect: Some(Dialect::Bash), variables: Vec::new() }
    }
}

/// Reads a Dockerfile.
pub(super) fn read(text: &str) -> Found {
    let mut found = Found::default();
    let mut stage = Stage::default();
    for instruction in instructions(text) {
        one(&mut found, &mut stage, instruction);
    }
    found
}

fn one(found: &mut Found, stage: &mut Stage, mut instruction: Instruction) {
    match instruction.name.as_str() {
        "FROM" => *stage = Stage::default(),
        "SHELL" => stage.dialect = shell(&instruction.text),
        "ENV" => variables(stage, &instruction.text, true),
        "ARG" => variables(stage, &instruction.text, false),
        "ONBUILD" => {
            let start = instruction.text.find(|c: char| c.is_whitespace()).unwrap_or(instruction.text.len());
            let name = instruction.text.get(..start).unwrap_or("").to_ascii_uppercase();
            let begins = start + blanks(instruction.text.get(start..).unwrap_or(""));
            if matches!(name.as_str(), "RUN" | "CMD" | "ENTRYPOINT" | "HEALTHCHECK") {
                let at = instruction.lines.position(&instruction.text, begins);
                instruction.lines = instruction.lines.behind(begins, at);
                instruction.text = instruction.text.get(begins..).unwrap_or("").to_owned();
                instruction.name = name;
                one(found, stage, instruction);
            }
        }
        "RUN" => runs(found, stage, instruction, Place::Image),
        "CMD" | "ENTRYPOINT" => runs(found, stage, instruction, Place::Machine),
        "HEALTHCHECK" => {
            let text = &instruction.text;
            let flags = flags(text);
            let rest = text.get(flags..).unwrap_or("");
            if rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("CMD")) {
                let begins = flags + 3 + blanks(rest.get(3..).unwrap_or(""));
                let at = instruction.lines.position(text, begins);
                instruction.lines = instruction.lines.behind(begins, at);
                instruction.text = text.get(begins..).unwrap_or("").to_owned();
                runs(found, stage, instruction, Place::Machine);
            }
        }
        _ => {}
    }
}

/// What an instruction runs: the words of its list, its text, or its here-document.
fn runs(found: &mut Found, stage: &Stage, instruction: Instruction, place: Place) {
    let skipped = if instruction.name == "RUN" { flags(&instruction.text) } else { 0 };
    let at = instruction.lines.position(&instruction.text, skipped);
    let mut lines = instruction.lines.behind(skipped, at);
    let mut text = instruction.text.get(skipped..).unwrap_or("").to_owned();
    if text.trim().is_empty() {
        return;
    }
    let mut piece = Piece::shell(instruction.name.as_str(), String::new(), Lines::default());
    piece.place = place;
    piece.directory = None;
    piece.variables.clone_from(&stage.variables);
    if text.starts_with('[')
        && let Ok(words) = serde_json::from_str::<Vec<String>>(text.trim_end())
    {
        // Words that begin with an option go to the program that `ENTRYPOINT` names.
        if words.first().is_some_and(|first| !first.starts_with('-')) {
            piece.runs = Runs::Words(words.into_iter().map(Some).collect());
            piece.lines = lines;
            found.pieces.push(piece);
        }
        return;
    }
    let Some(mut dialect) = stage.dialect else {
        return found.unread(Some(instruction.line), "SHELL names a program whose language is not read");
    };
    match instruction.documents.as_slice() {
        [(_, body, line)] if only_a_document(&text) => {
            if body.starts_with("#!") {
                let Some(own) = super::script::shebang(body) else {
                    return found
                        .unread(Some(*line), "the first line names a program whose language is not read");
                };
                dialect = own;
            }
            lines = Lines::at(*line, 1);
            text.clone_from(body);
        }
        documents => {
            for (end, body, line) in documents {
                text.push('\n');
                lines.push(text.len(), *line, 1);
                text.push_str(body);
                text.push_str(end);
            }
        }
    }
    piece.runs = Runs::Shell(dialect, text);
    piece.lines = lines;
    found.pieces.push(piece);
}

/// Whether nothing stands there but the name of a here-document.
fn only_a_document(text: &str) -> bool {
    text.starts_with("<<") && text.split_whitespace().count() == 1
}

/// The language of the shell that `SHELL` names.
fn shell(text: &str) -> Option<Dialect> {
    let words: Vec<String> = serde_json::from_str(text).ok()?;
    let name = words.first()?.rsplit('/').next()?;
    match name {
        "sh" | "bash" | "ash" | "dash" | "ksh" | "busybox" => Some(Dialect::Bash),
        "zsh" => Some(Dialect::Zsh),
        "fish" => Some(Dialect::Fish),
        _ => None,
    }
}

/// Names that `ENV` or `ARG` set; values of the first hold, those of the second may be given otherwise.
fn variables(stage: &mut Stage, text: &str, fixed: bool) {
    let words = shell_words::split(text).unwrap_or_default();
    let mut set = |name: &str, value: Option<&str>| {
        let value = value.filter(|value| fixed && !value.contains(['$', '\\'])).map(str::to_owned);
        stage.variables.push((name.to_owned(), value));
    };
    match words.as_slice() {
        [name, value @ ..] if fixed && !name.contains('=') => set(name, Some(value.join(" ").as_str())),
        words => {
            for word in words {
                match word.split_once('=') {
                    Some((name, value)) => set(name, Some(value)),
                    None => set(word, None),
                }
            }
        }
    }
}

/// How long the options are that stand in front.
fn flags(text: &str) -> usize {
    let mut at = blanks(text);
    while text.get(at..).is_some_and(|rest| rest.starts_with("--")) {
        let rest = text.get(at..).unwrap_or("");
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        at += end + blanks(rest.get(end..).unwrap_or(""));
    }
    at
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The instructions of a file. Total: what is no instruction is one whose name says nothing.
fn instructions(text: &str) -> Vec<Instruction> {
    let escape = escape(text);
    let all: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = all.get(at) {
        if says_nothing(first) {
            at += 1;
            continue;
        }
        let indent = blanks(first);
        let name_end = first.get(indent..).and_then(|rest| rest.find(char::is_whitespace));
        let name_end = name_end.map_or(first.len(), |end| indent + end);
        let behind = first.get(name_end..).unwrap_or("");
        let begins = name_end + blanks(behind);
        let name = first.get(indent..name_end).unwrap_or("").to_ascii_uppercase();
        let mut one = Instruction { name, line: at + 1, ..Instruction::default() };
        let mut open = one.add(at, begins, first.get(begins..).unwrap_or(""), escape);
        at += 1;
        while let Some(line) = all.get(at).filter(|_| open) {
            if !says_nothing(line) {
                open = one.add(at, 0, line, escape);
            }
            at += 1;
        }
        if matches!(one.name.as_str(), "RUN" | "COPY" | "ADD" | "ONBUILD") {
            for (end, tabs) in super::heredoc::names(&one.text) {
                at = one.document(&all, at, end, tabs);
            }
        }
        found.push(one);
    }
    found
}

fn says_nothing(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

/// The character that joins lines: what a directive at the top says, or a backslash.
fn escape(text: &str) -> char {
    for line in text.lines() {
        let Some(directive) = line.trim().strip_prefix('#') else { break };
        let Some((name, value)) = directive.split_once('=') else { break };
        if name.trim().eq_ignore_ascii_case("escape") && value.trim() == "`" {
            return '`';
        }
    }
    '\\'
}

impl Instruction {
    /// Adds a line from this column (in bytes) on; whether the next one belongs to it too.
    fn add(&mut self, number: usize, begins: usize, line: &str, escape: char) -> bool {
        self.lines.push(self.text.len(), number + 1, begins + 1);
        let kept = line.trim_end();
        match kept.strip_suffix(escape) {
            Some(kept) => {
                self.text.push_str(kept);
                true
            }
            None => {
                self.text.push_str(line);
                false
            }
        }
    }

    /// Takes the here-document that begins at a line; the line behind it.
    fn document(&mut self, all: &[&str], from: usize, end: String, tabs: bool) -> usize {
        let mut body = String::new();
        let mut at = from;
        while let Some(line) = all.get(at) {
            at += 1;
            if (if tabs { line.trim_start_matches('\t') } else { line }) == end {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        self.documents.push((end, body, from + 1));
        at
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Label, text or words, and the line of each piece.
    fn shown(text: &str) -> Vec<String> {
        let found = read(text);
        let piece = |piece: &Piece| {
            let what = match &piece.runs {
                Runs::Shell(_, text) => text.clone(),
                Runs::Words(words) => format!("{:?}", words.iter().flatten().collect::<Vec<_>>()),
            };
            format!("{} {}: {what}", piece.lines.first(), piece.label)
        };
        found.pieces.iter().map(piece).collect()
    }

    #[test]
    fn instructions_that_run_something() {
        let text = "# syntax=x\nFROM a AS b\nARG V=1\nrun echo a && \\\n  # why\n\n  rm -rf /b\nRUN [\"rm\", \"-rf\", \"/c\"]\nENTRYPOINT [\"run\"]\nCMD [\"--port\"]\nHEALTHCHECK --interval=5s CMD curl x\nONBUILD RUN make\nUSER x\n";
        let want = [
            "4 RUN: echo a &&   rm -rf /b",
            "8 RUN: [\"rm\", \"-rf\", \"/c\"]",
            "9 ENTRYPOINT: [\"run\"]",
            "11 HEALTHCHECK: curl x",
            "12 RUN: make",
        ];
        assert_eq!(shown(text), want);
    }

    #[test]
    fn here_documents_belong_to_their_instruction() {
        let text = "FROM a\nRUN <<EOF\nrm -rf /x\nEOF\nRUN cat <<-'A' > /f && sh <<B\n\tone\n\tA\nRUN rm /\nB\nCOPY <<E /etc/x\nRUN rm -rf /\nE\nRUN rm /last\n";
        let found = shown(text);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[0], "3 RUN: rm -rf /x\n");
        assert_eq!(found[1], "5 RUN: cat <<-'A' > /f && sh <<B\n\tone\nA\nRUN rm /\nB");
        assert_eq!(found[2], "13 RUN: rm /last");
    }

    #[test]
    fn lines_are_found_again() {
        let found = read("FROM a\nRUN --mount=type=cache,target=/c a \\\n && rm -rf /b\n");
        let Runs::Shell(_, text) = &found.pieces[0].runs else { panic!() };
        let at = found.pieces[0].lines.position(text, text.find("rm").unwrap());
        assert_eq!((at.line, at.column), (3, 5));
    }

    #[test]
    fn the_escape_character_may_be_another() {
        assert_eq!(shown("# escape=`\nFROM a\nRUN dir c:\\ `\n && rm x\n").len(), 1);
        assert_eq!(shown("FROM a\nSHELL [\"powershell\", \"-command\"]\nRUN rm x\n"), [""; 0]);
        assert_eq!(read("FROM a\nSHELL [\"powershell\"]\nRUN rm x\n").unread.len(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Nothing makes the reader fail, and every piece stands on a line of the file.
        #[test]
        fn any_text_is_read(lines in proptest::collection::vec("(RUN|FROM|CMD|ONBUILD|SHELL|#|COPY|ENV)? ?[-\\\\`<E\\[\"\\]a /=é\t]{0,12}", 0..12)) {
            let text = lines.join("\n");
            let count = text.split('\n').count();
            for piece in read(&text).pieces {
                let text = match &piece.runs { Runs::Shell(_, text) => text.clone(), Runs::Words(_) => String::new() };
                for at in 0..=text.len() {
                    prop_assert!((1..=count + 1).contains(&piece.lines.position(&text, at).line));
                }
            }
        }

        /// What a line of its own says to run is found, whatever comments and options stand around it.
        #[test]
        fn a_run_is_never_lost(before in "(# [a-z]{0,5}\n|\n|ENV A=[a-z]{1,3}\n){0,4}", after in "(# [a-z]{0,5}\n|\n){0,4}") {
            let text = format!("FROM a\n{before}RUN rm -rf /victim\n{after}");
            prop_assert_eq!(shown(&text).len(), 1);
        }
    }
}
