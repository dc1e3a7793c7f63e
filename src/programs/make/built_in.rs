//! What make does by itself for a name that no rule makes: it compiles the source of that name, by programs that variables
//! name.

use crate::model::Value;
use crate::shell::program::{Shell, State};

use super::expand::{Outside, expand};
use super::{Making, make_line, outside};

/// How the sources begin and end, what makes the target of one, and the ending of such a target.
const RULES: [(&str, &str, &str); 16] = [
    ("", ".c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $< $(LOADLIBES) $(LDLIBS) -o $@"),
    ("", ".cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $< $(LOADLIBES) $(LDLIBS) -o $@"),
    ("", ".cpp", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $< $(LOADLIBES) $(LDLIBS) -o $@"),
    ("", ".C", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $< $(LOADLIBES) $(LDLIBS) -o $@"),
    ("", ".f", "$(FC) $(FFLAGS) $(LDFLAGS) $< $(LOADLIBES) $(LDLIBS) -o $@"),
    ("", ".p", "$(PC) $(PFLAGS) $(LDFLAGS) $< $(LOADLIBES) $(LDLIBS) -o $@"),
    ("", ".s", "$(CC) $(ASFLAGS) $(LDFLAGS) $< $(LOADLIBES) $(LDLIBS) -o $@"),
    ("", ".o", "$(CC) $(LDFLAGS) $< $(LOADLIBES) $(LDLIBS) -o $@"),
    (".o", ".c", "$(CC) $(CFLAGS) $(CPPFLAGS) -c -o $@ $<"),
    (".o", ".cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) -c -o $@ $<"),
    (".o", ".cpp", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) -c -o $@ $<"),
    (".o", ".f", "$(FC) $(FFLAGS) -c -o $@ $<"),
    (".o", ".s", "$(AS) $(ASFLAGS) -o $@ $<"),
    (".c", ".y", "$(YACC) $(YFLAGS) $< && mv -f y.tab.c $@"),
    (".dvi", ".tex", "$(TEX) $<"),
    ("", ".sh", "cat $< > $@"),
];

/// Runs the first of the rules whose source is there.
pub(super) fn rule(shell: &mut Shell<'_>, state: &mut State, run: &Making<'_>, target: &str) {
    // A member of an archive.
    if let Some((archive, member)) = target.strip_suffix(')').and_then(|text| text.split_once('(')) {
        rule(shell, state, run, member);
        return line(shell, state, run, "$(AR) $(ARFLAGS) $@ $<", (archive, member));
    }
    for (ending, from, text) in RULES {
        let Some(stem) = target.strip_suffix(ending) else { continue };
        let source = format!("{stem}{from}");
        let path = shell.absolute(state, &Value::known(source.as_str()));
        if path.is_some_and(|path| shell.exists(state, &path) == Some(true)) {
            return line(shell, state, run, text, (target, &source));
        }
    }
}

fn line(
    shell: &mut Shell<'_>,
    state: &mut State,
    run: &Making<'_>,
    text: &str,
    (target, source): (&str, &str),
) {
    let environment = run.environment;
    let variable = |name: &str| outside(environment, name);
    let seen = Outside { variable: &variable, files: &|_| None, at_once: None };
    let quoted = |word: &str| shell_words::quote(word).into_owned();
    let text = text.replace("$@", &quoted(target)).replace("$<", &quoted(source));
    let text = expand(&text, &run.makefile.variables, &seen, 0);
    make_line(shell, state, run, &[], &text, true);
}
