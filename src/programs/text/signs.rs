//! What programs print of which only the signs are known, and what filters leave of such a text.

use crate::knowledge::prints;
use crate::model::{Mark, Signs, Value, first_field, is_mark, line_of, of_line, piece_of};
use crate::shell::program::{Call, Shell, State};

/// What a program prints, by what the knowledge says of its calls.
pub(in crate::programs) fn said(shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Option<Value> {
    let told = call.environment.iter().map(|(name, _)| name).chain(state.variables.keys());
    let odd = told.into_iter().any(|name| name.starts_with("GREP_") || name == "GIT_EXTERNAL_DIFF");
    let unsure = call.arguments().iter().any(|word| word.elastic && !word.arg.value.is_number());
    if odd || unsure || state.scope.host.is_some() || shell.world.is_elsewhere() {
        return None;
    }
    match name {
        "date" | "gdate" => dated(call),
        "grep" | "egrep" | "ggrep" => numbered(call).or_else(|| only(call)),
        _ => None,
    }
    .or_else(|| prints().of(name, &call.values()))
}

/// `date +FORMAT`: the letters of the format are numbers, and names of days and months.
fn dated(call: &Call) -> Option<Value> {
    let mut format = None;
    let mut words = call.arguments().iter().map(|word| &word.arg.value);
    while let Some(word) = words.next() {
        match word.as_known() {
            Some("-u" | "--utc" | "--universal") => {}
            Some("-d" | "--date" | "-v" | "-r") => {
                words.next()?;
            }
            Some(
                "-I" | "-Idate" | "-Iseconds" | "-Is" | "-Iminutes" | "--iso-8601" | "--iso-8601=seconds",
            ) => {
                format = Some("%s");
            }
            Some(text) if text.starts_with("--date=") || text.starts_with("-v") => {}
            Some(text) => format = Some(text.strip_prefix('+').filter(|_| format.is_none())?),
            None if word.prefix().starts_with("--date=") => {}
            None => return None,
        }
    }
    let word = Mark { signs: Signs::Word, lines: false }.sign();
    let number = Mark { signs: Signs::Number, lines: false }.sign();
    let mut text = String::new();
    let mut signs = format?.chars();
    while let Some(c) = signs.next() {
        if c != '%' {
            text.push(if is_mark(c) { return None } else { c });
            continue;
        }
        let mut letter = signs.next()?;
        while matches!(letter, '-' | '0' | '^' | ':') || letter.is_ascii_digit() {
            letter = signs.next()?;
        }
        match letter {
            's' | 'Y' | 'm' | 'd' | 'H' | 'M' | 'S' | 'N' | 'j' | 'y' | 'u' | 'w' | 'V' | 'U' | 'W' | 'G'
            | 'g' | 'I' | 'C' | 'F' | 'q' => text.push(number),
            'T' | 'R' | 'z' | 'b' | 'B' | 'a' | 'A' | 'h' | 'p' | 'P' => text.push(word),
            _ => return None,
        }
    }
    // `-I` has letters between its numbers.
    let iso = call.arguments().iter().filter_map(|word| word.arg.value.as_known());
    if iso.into_iter().any(|text| text.starts_with("-I") || text.starts_with("--iso")) {
        text = word.to_string();
    }
    Some(Value::marked(text + "\n"))
}

/// `grep -n PATTERN FILE`: each line begins with its number.
fn numbered(call: &Call) -> Option<Value> {
    let mut given = false;
    let mut one = false;
    let mut operands = 0;
    let mut words = call.arguments().iter().map(|word| &word.arg.value);
    let mut pattern = false;
    while let Some(word) = words.next() {
        let start = word.prefix();
        let Some(letters) = start.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            // What is not known at its beginning may be an option.
            if start.is_empty() && word.as_known().is_none() {
                return None;
            }
            operands += 1;
            continue;
        };
        let known = word.as_known()?;
        match known {
            "--line-number" => given = true,
            "-m1" | "--max-count=1" => one = true,
            "-m" => one |= words.next()?.as_known() == Some("1"),
            "-e" => {
                words.next()?;
                pattern = true;
            }
            "--" => {
                operands += words.by_ref().count();
            }
            _ if letters.chars().all(|letter| "nEFPGiwxvsa1m".contains(letter)) => {
                given |= letters.contains('n');
                one |= letters.ends_with("m1");
                if letters.contains(['1', 'm']) && !letters.ends_with("m1") {
                    return None;
                }
            }
            _ => return None,
        }
    }
    // Of several files, each line begins with a name.
    let single = operands == if pattern { 1 } else { 2 };
    (given && single).then(|| Value::begun(Signs::Number, ':', !one))
}

/// `grep -o PATTERN`: lines of what the pattern can match, where that is signs of an alphabet alone.
fn only(call: &Call) -> Option<Value> {
    let texts = call.texts()?;
    let (mut given, mut perl, mut silent, mut pattern, mut operands) = (false, false, false, None, 0);
    for text in texts {
        match text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            Some("-only-matching") => given = true,
            Some(letters) if letters.chars().all(|letter| "oEPhm1i".contains(letter)) => {
                given |= letters.contains('o');
                perl |= letters.contains('P');
                silent |= letters.contains('h');
            }
            Some(_) => return None,
            None if pattern.is_none() => pattern = Some(text),
            None => operands += 1,
        }
    }
    let signs = matched_by(pattern?, perl)?;
    (given && (operands < 2 || silent)).then(|| Value::signs(signs, true).concat(&Value::known("\n")))
}

/// The signs that a pattern can match, where all its pieces are classes of such signs, letters or digits.
fn matched_by(pattern: &str, perl: bool) -> Option<Signs> {
    // What stands in front of `\K` is not printed.
    let pattern =
        if perl { pattern.rsplit_once("\\K").map_or(pattern, |(_, behind)| behind) } else { pattern };
    let mut all = Vec::new();
    let mut signs = pattern.chars().peekable();
    while let Some(c) = signs.next() {
        match c {
            '[' => class(&mut signs, &mut all)?,
            '\\' => match signs.next()? {
                'd' if perl => all.push('0'),
                'b' => {}
                '.' | '-' => all.push('.'),
                '+' | '?' if !perl => {}
                _ => return None,
            },
            '+' | '*' | '?' | '^' | '$' => {}
            '{' => {
                let mut inside = signs.by_ref().take_while(|c| *c != '}');
                inside.all(|c| c.is_ascii_digit() || c == ',').then_some(())?;
            }
            // Groups and choices are of the same pieces, wherever they are none of Perl's own.
            '(' if signs.peek() != Some(&'?') => {}
            ')' | '|' => {}
            c if c.is_ascii_alphanumeric() || c == '-' => all.push(c),
            _ => return None,
        }
    }
    let holds = |signs: &Signs| !all.is_empty() && all.iter().all(|c| signs.holds(*c));
    [Signs::Number, Signs::Hex, Signs::Word].into_iter().find(holds)
}

/// The signs of a class in brackets.
fn class(signs: &mut std::iter::Peekable<std::str::Chars<'_>>, all: &mut Vec<char>) -> Option<()> {
    let mut text = String::new();
    loop {
        match signs.next()? {
            ']' if !text.is_empty() => break,
            '[' | '\\' | '^' | ']' => return None,
            c => text.push(c),
        }
    }
    let chars = text.chars().collect::<Vec<_>>();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        match (chars.get(at + 1), chars.get(at + 2)) {
            (Some('-'), Some(&end)) => {
                let both = |test: fn(&char) -> bool| test(&c) && test(&end);
                let plain = both(char::is_ascii_digit)
                    || both(char::is_ascii_lowercase)
                    || both(char::is_ascii_uppercase);
                if !plain || c > end {
                    return None;
                }
                all.extend([c, end]);
                at += 3;
            }
            _ => {
                all.push(c);
                at += 1;
            }
        }
    }
    Some(())
}

/// What a filter leaves of a text with marks, or of any text.
pub(super) fn filtered(name: &str, texts: &[&str], input: Option<&str>) -> Option<Value> {
    match (name, texts) {
        // Whatever comes in.
        ("tr", ["-cd" | "-dc", set]) => {
            let signs = match *set {
                "0-9" | "[:digit:]" | "0-9." | "0-9-" => Signs::Number,
                "a-f0-9" | "0-9a-f" => Signs::Hex,
                "[:alnum:]" | "a-zA-Z0-9" | "A-Za-z0-9" | "a-z0-9" | "A-Z0-9" | "a-z" | "A-Z" => Signs::Word,
                _ => return None,
            };
            Some(Value::signs(signs, false))
        }
        ("tr", ["-d", "\\n" | "[:space:]" | " "] | [" ", "\\n"]) => {
            let (line, many) = line_of(input?)?;
            (!many && line.chars().all(|c| Mark::of(c).is_some())).then(|| Value::marked(line))
        }
        ("head", ["-1" | "-n1"] | ["-n", "1"]) | ("tail", ["-1" | "-n1"] | ["-n", "1"]) => {
            let (line, _) = line_of(input?)?;
            Some(Value::marked(of_line(&line, false)))
        }
        ("head" | "tail" | "sort" | "uniq" | "tac", options) => {
            let plain = |text: &&str| {
                text.trim_start_matches(['-', '+']).chars().all(|c| "nru0123456789".contains(c))
            };
            let (line, _) = line_of(input?)?;
            options.iter().all(plain).then(|| Value::marked(of_line(&line, true)))
        }
        ("cut", ["-c" | "-b", _]) => piece_of(input?).map(Value::marked),
        ("cut", [one]) if one.starts_with("-c") || one.starts_with("-b") => {
            piece_of(input?).map(Value::marked)
        }
        ("cut", words) => {
            let mut separator = '\t';
            let mut first = false;
            let mut words = words.iter();
            while let Some(word) = words.next() {
                let (option, attached) = (word.get(..2)?, word.get(2..)?);
                let value = if attached.is_empty() { *words.next()? } else { attached };
                match option {
                    "-d" => separator = value.chars().next().filter(|_| value.chars().count() == 1)?,
                    "-f" => first = value == "1",
                    _ => return None,
                }
            }
            first_field(input?, separator).filter(|_| first).map(Value::marked)
        }
        ("awk" | "gawk" | "mawk", words) => {
            let (separator, program) = match words {
                [program] => (' ', *program),
                ["-F:" | "-F':'", program] | ["-F", ":", program] => (':', *program),
                _ => return None,
            };
            let plain: String = program.chars().filter(|c| !c.is_whitespace()).collect();
            let (line, many) = line_of(input?)?;
            match plain.as_str() {
                "{print$1}" => first_field(input?, separator).map(Value::marked),
                "NR==1{print$1}" => first_field(&of_line(&line, false), separator).map(Value::marked),
                "NR==1" | "NR==1{print}" => Some(Value::marked(of_line(&line, many))),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Signs, matched_by};

    #[test]
    fn a_pattern_matches_what_its_pieces_do() {
        for (pattern, perl, signs) in [
            ("[0-9]+", false, Some(Signs::Number)),
            ("[0-9]+\\.[0-9]+", false, Some(Signs::Number)),
            ("v?\\d+(\\.\\d+)*", true, Some(Signs::Word)),
            ("version = \"\\K[0-9.]+", true, Some(Signs::Number)),
            ("[0-9a-f]{7,40}", false, Some(Signs::Hex)),
            (".*", false, None),
            ("[^\"]+", false, None),
            ("[0-9].", false, None),
            ("\\S+", true, None),
            ("[ -~]+", false, None),
            ("[A-z]+", false, None),
            ("(?=x)[0-9]", true, None),
            ("[[:print:]]+", false, None),
        ] {
            assert_eq!(matched_by(pattern, perl), signs, "{pattern}");
        }
    }
}
