//! How fish's lines read in bash's syntax. A line break is as good as a semicolon here.

use super::fish::to_bash;

#[test]
fn fish_is_brought_over() {
    let mut wrong = Vec::new();
    for (fish, bash) in [
        ("ls -l", "ls -l"),
        ("rm -rf (pwd)/x", "rm -rf \"${__recourse_lines:-$(pwd)}\"/x"),
        ("rm out/(ls out)", "rm out/\"${__recourse_lines:-$(ls out)}\""),
        ("rm (ls)", "rm $(ls)"),
        ("a; and b; or c", "a && b || c"),
        ("not a", "! a"),
        ("begin; a; b; end > f", "{ :; a; b; } > f"),
        ("if test -e x; rm x; else; b; end", "if test -e x; then :; rm x; else :; b; fi"),
        ("if a; b; else if c; d; end", "if a; then :; b; elif c; then :; d; fi"),
        ("for i in *.c; rm $i; end", "for i in *.c; do :; rm ${i}; done"),
        ("while a; b; end", "while a; do :; b; done"),
        ("set -l x (rm y)", ": $(rm y); x=${__recourse_unknown}"),
        ("set y f; rm $y", ": f; y=f; rm ${y}"),
        ("set -gx y 'a-b/c'; rm $y", ": 'a-b/c'; y=a-b/c; rm ${y}"),
        ("set y 'a b'; rm $y", ": 'a b'; y=${__recourse_unknown}; rm ${y}"),
        ("set y a b", ": a b; y=${__recourse_unknown}"),
        ("set -a y a", ": a; y=${__recourse_unknown}"),
        ("set y[1] a", ": a; y=${__recourse_unknown}"),
        ("set y *", ": *; y=${__recourse_unknown}"),
        ("set -q y; set status 1", ":; : 1; status=${__recourse_unknown}"),
        ("begin; set -l y f; end; rm $y", "{ :; : f; y=${__recourse_unknown}; }; rm ${y}"),
        ("echo (set y f)", "y=${__recourse_unknown}; echo $(: f; y=${__recourse_unknown})"),
        ("builtin set y f; rm $y", ": f; y=f; rm ${y}"),
        ("string match -r '(?<y>f)' f", "y=${__recourse_unknown}; string match -r '(?<y>f)' f"),
        ("function fish_prompt; ls; end", "trap 'fish_prompt' EXIT; fish_prompt() { :; ls; }"),
        ("bind \\ct 'rm y'", "trap 'rm y' EXIT; bind \\ct 'rm y'"),
        ("abbr -a K --function q", "trap 'q' EXIT; abbr -a K --function q"),
        ("set -Ux v a", "__fish_universal v; : a; v=a"),
        ("set -eU v", "__fish_universal v; :; v=${__recourse_unknown}"),
        ("alias ll 'ls -l'; ll x", "ll() { ls -l \"$@\"; }; ll x"),
        ("alias -s ls='ls -F'", "ls() { command ls -F \"$@\"; }; funcsave ls"),
        ("alias", "alias"),
        ("source (echo 'rm x' | psub)", "source <(echo 'rm x')"),
        ("set y f | cat", "y=${__recourse_unknown}; : f | cat"),
        ("function f; rm x; end; f", "f() { :; rm x; }; f"),
        (
            "function f -a d e -d 'x'\nrm $d/y $e[1]\nend",
            "f() { :; d=\"${1}\"; e=\"${2}\" rm \"${d}\"/y ${e}; }",
        ),
        (
            "function f; rm $argv[1] $argv[2..-1] \"$argv\" $argv $argv[$i]; end",
            "f() { :; rm \"$1\" \"${@:2}\" \"${*}\" \"$@\" \"${__recourse_unknown}\"; }",
        ),
        ("echo 'it\\'s' \"a $x[1] (no) $(rm y)\"", "echo 'it'\\''s' \"a ${x} (no) $(rm y)\""),
        ("rm $$x", "rm ${__recourse_unknown}"),
        ("echo a # b", "echo a"),
        ("rm x#y", "rm x#y"),
        ("make 2>| less", "make |& less"),
        ("sleep 1 &; rm x", "sleep 1 & rm x"),
        ("echo {$a}b", "echo ${a}b"),
        ("switch $x; case a b; rm y; case '*'; c; end", "case ${x} in a | b) :; rm y; ;; *) :; c; ;; esac"),
        ("switch $x; case 'n*'; rm y; end", "case ${x} in n*) :; rm y; ;; esac"),
    ] {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if words(&to_bash(fish)) != words(bash) {
            wrong.push(format!("{fish}\n  is   {}\n  not  {bash}", to_bash(fish)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn it_always_ends() {
    for text in
        ["(", ")", "a )", "\\", "$", "'", "\"\\", "if", "end", "((((", "set", "switch", "&", ">", "a >|"]
    {
        let _ = to_bash(text);
    }
}
