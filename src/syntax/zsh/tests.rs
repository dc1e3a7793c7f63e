//! What zsh alone reads so, and what becomes of it.

use super::to_bash;

fn all(pairs: &[(&str, &str)]) {
    for (zsh, bash) in pairs {
        assert_eq!(to_bash(zsh, false), *bash, "{zsh}");
    }
}

#[test]
fn what_bash_reads_so_stays() {
    for text in [
        "ls -l",
        "git show HEAD^",
        "a && b || c",
        "f() { rm x; }",
        "echo '# *(.)' \"*(.)\"",
        "x=(a b) y=c ls",
        "for f in a b; do rm $f; done",
        "if [[ -f x && ( a == b || -d c ) ]]; then rm x; else ls; fi",
        "while read -r line; do echo $line; done < file",
        "case $x in a|b) rm y;; (c) ls;; esac",
        "cat <<E > out\n# } (x) *(.)\nE\nls",
        "echo $((1 + (2 * 3))) ${#x} ${x:-a b} ${x##*/} ${x/a/b}",
        "find . -name '*.c' -exec rm {} \\;",
        "(cd /tmp; ls) | wc -l",
        "echo \"$(echo \"a b\")\" `ls`",
        "a=1; b+=2; c[1]=3",
        "((i++)); let x=1",
        "{ a; b; } > out 2>&1",
        "! grep -q x y && time ls",
        "echo {a,b}.c ~/x foo=bar",
    ] {
        let plain = text.replace("f() { rm x; }", "f () {  rm x; }");
        assert_eq!(to_bash(text, false), plain);
    }
    assert_eq!(to_bash("echo a # 'b", true), "echo a # 'b");
    assert_eq!(to_bash("echo a # b; rm x", false), "echo a \\# b; rm x");
}

#[test]
fn patterns_name_more() {
    all(&[
        ("rm *(.om[1,3])", "rm *"),
        ("ls **/*.c(.) | wc -l", "ls **/*.c | wc -l"),
        ("rm ^*.c", "rm *"),
        ("rm src/^*.c", "rm src/*"),
        ("rm *~*.c", "rm *"),
        ("rm file<1-9>", "rm file*"),
        ("rm ke(ep|op)", "rm ke*"),
        ("rm (#i)KEEP", "rm *"),
        ("rm (a|b).c", "rm *"),
        ("rm *.log(Lk+10mh-2)", "rm *.log"),
        ("print *(:t)", "print ${_recourse_part_of_names}"),
    ]);
}

#[test]
fn qualifiers_that_run_code_run_it() {
    all(&[
        ("ls *(e:'rm y':)", "ls *$({ REPLY=${_recourse_part_of_REPLY}\nrm y\n} >/dev/null)"),
        ("ls *(.+f)", "ls ${_recourse_part_of_names}$(for REPLY in *; do f\ndone)"),
        ("ls *(oe{rm y})", "ls *$({ REPLY=${_recourse_part_of_REPLY}\nrm y\n} >/dev/null)"),
        ("ls *(!)", "ls *$(eval \"${_recourse_part_of_qualifier}\")"),
    ]);
}

#[test]
fn parts_of_values_are_unknown() {
    all(&[
        ("print ${(f)lines} \"${(j:,:)x}\"", "print ${_recourse_part_of_lines} \"${_recourse_part_of_x}\""),
        ("rm $a[2] \"$h[x]\"", "rm ${_recourse_part_of_a} \"${_recourse_part_of_h}\""),
        ("rm ${b[-1]} ${(P)q}", "rm ${_recourse_part_of_b[-1]} ${_recourse_part_of_q}"),
        ("rm $a[$(rm x)]", "rm ${_recourse_part_of_a}[$(rm x)]"),
        ("rm $a[@] ${a[@]} ${a[*]}", "rm ${a[@]} ${a[@]} ${a[*]}"),
        (": ${a[1]:=x} ${(f)b:=y}", ": ${a[1]:=x} ${b:=y}"),
        (
            "rm ${x:h} $x:t ${x:#a*}",
            "rm ${_recourse_part_of_x:-} ${_recourse_part_of_x} ${_recourse_part_of_x:-}",
        ),
        (
            "for f in ${(f)\"$(ls)\"}; do rm $f; done",
            "for f in ${_recourse_part_of_value:-\"$(ls)\"}; do rm $f; done",
        ),
        ("print ${(e)x}", "print $(eval \"${_recourse_part_of_value}\")${_recourse_part_of_x}"),
    ]);
}

#[test]
fn redirections_and_jobs() {
    all(&[
        ("sleep 5 &!", "sleep 5 &"),
        ("a > x && b >! y; c >>| z", "a > x && b >| y; c >> z"),
        ("a &| b", "a & b"),
        ("diff =(ls) <(ls)", "diff <(ls) <(ls)"),
        ("=rm x", "rm x"),
    ]);
}

#[test]
fn bodies_in_braces_and_without() {
    all(&[
        ("for f (a b) rm $f", "for f in a b; do rm $f; done"),
        ("for f (a b) { rm $f }", "for f in a b; do  rm $f; done"),
        ("for f (a b); do rm $f; done", "for f in a b; do rm $f; done"),
        ("for f in a b; { rm $f }; ls", "for f in a b; do  rm $f; done; ls"),
        ("foreach f (a b) rm $f; end", "for f in a b; do rm $f; done"),
        ("repeat 3 { rm x }", "for _recourse_turn in 1 2 3; do  rm x; done"),
        ("repeat 3 rm x; ls", "for _recourse_turn in 1 2 3; do rm x; done; ls"),
        ("while (true) { rm x }", "while (true); do  rm x; done"),
        ("if [[ -f x ]] { rm x } else { ls }", "if [[ -f x ]]; then  rm x; else  ls; fi"),
        ("if [[ -f x ]] rm x", "if [[ -f x ]]; then rm x; fi"),
        ("if (( x > 1 )) rm x && ls; ls", "if (( x > 1 )); then rm x && ls; fi; ls"),
        ("{ a } always { b }", "{ a; }; { b; }"),
        ("() { rm $1 } x", "_recourse_anonymous () {  rm $1; }; _recourse_anonymous x"),
        ("function a b { rm x }", "a () {  rm x; }; b () { a \"$@\"; }"),
        ("f() rm x; f", "f () { rm x; }; f"),
        ("precmd() { rm x }", "precmd () {  rm x; }"),
        ("f() { for i (1 2) { rm $i } }", "f () {  for i in 1 2; do  rm $i; done; }"),
        ("f() { }", "f () { :; }"),
    ]);
}

#[test]
fn tables_define_what_they_name() {
    all(&[
        ("functions[q]='rm x'; q", "q () {\nrm x\n}; q"),
        ("functions[q]=$x", "q () { eval \"${_recourse_part_of_functions}\"; }"),
        ("functions=(a b)", "eval \"${_recourse_part_of_functions}\""),
        ("aliases[q]='rm x'", "alias q='rm x'"),
        ("mapfile[keep]=x", ": > 'keep'"),
        ("options[nullglob]=on", "setopt nullglob"),
    ]);
}

#[test]
fn no_text_is_too_odd() {
    for text in [
        "}",
        "{",
        "for",
        "for f (",
        "f() {",
        "$(",
        "${",
        "${(",
        "*(e",
        "((",
        "[[",
        "case x in",
        "repeat",
        "<<",
        "`",
        "functions[",
        "a=(",
        "() {",
        "if [[ x ]]",
        ")",
    ] {
        to_bash(text, false);
        to_bash(&format!("x {text} y; {text}"), false);
    }
}
