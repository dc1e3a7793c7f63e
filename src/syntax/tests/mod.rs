//! Trees of small texts.

mod limits;
mod show;
mod words;

use super::parse;

/// The tree of a text that must have no gap.
fn tree(text: &str) -> String {
    let (script, gaps) = parse(text);
    assert!(gaps.is_empty(), "{gaps:?} in {text}");
    show::script(&script)
}

fn same(pairs: &[(&str, &str)]) {
    for (text, expected) in pairs {
        assert_eq!(tree(text), *expected, "{text}");
    }
}

#[test]
fn lists_and_pipelines() {
    same(&[
        ("", ""),
        (" \n# only a comment\n", ""),
        ("rm a; rm b\nrm c &", "[rm a]; [rm b]; [rm c] &"),
        ("a && b | c || d", "[a] && <[b] | [c]> || [d]"),
        ("a |& b | c &", "<[a] |& [b] | [c]> &"),
        ("! a | b", "<not [a] | [b]>"),
        ("! a && b", "<not [a]> && [b]"),
        ("time -p a | b", "<time [a] | [b]>"),
        ("! time a", "<not time [a]>"),
        ("! ! a", "<[a]>"),
        ("a | time b", "<[a] | [time b]>"),
        ("!(rm x)", "<not ([rm x])>"),
        ("a\\\nb c", "[ab c]"),
        ("a &&\n\n b", "[a] && [b]"),
    ]);
}

#[test]
fn compound_commands() {
    same(&[
        ("{ a; b; } >x", "{[a]; [b]} Write:x"),
        ("(a; b) 2>&1", "([a]; [b]) 2Duplicate:1"),
        ("if a; then b; elif c; then d; else e; fi", "if [a] then [b] if [c] then [d] else [e] fi"),
        ("if { a; } then b; fi", "if {[a]} then [b] fi"),
        ("while a; do b; done <f", "while [a] do [b] done Read:f"),
        ("until a\ndo b\ndone", "until [a] do [b] done"),
        ("for i in a b; do c; done", "for i in a b do [c] done"),
        ("for i in a; { c; }", "for i in a do [c] done"),
        ("for i\nin a\ndo c; done", "for i in a do [c] done"),
        ("for i; do c; done", "for i do [c] done"),
        ("for i in; do c; done", "for i in  do [c] done"),
        ("select i in a; do c; done", "select i in a do [c] done"),
        ("for ((i=0; i<$n; i++)); do c; done", "for ((i=0; i<${n}; i++)) do [c] done"),
        ("for ((;;)) { c; }", "for ((;;)) do [c] done"),
        (
            "case $x in a|b) c;; (d) e;& f) g;;& *) h; esac",
            "case ${x} a b) [c];; d) [e];& f) [g];;& *) [h];; esac",
        ),
        ("case x in esac", "case x  esac"),
        ("case x in a) ;; b) esac", "case x a) ;; b) ;; esac"),
        ("((a + $(b)))", "((a + $([b])))"),
        ("((a); b)", "(([a]); [b])"),
        ("coproc a b", "coproc COPROC [a b]"),
        ("coproc { a; }", "coproc COPROC {[a]}"),
        ("coproc N { a; } 2>x", "coproc N {[a]} 2Write:x"),
        ("coproc N while a; do b; done", "coproc N while [a] do [b] done"),
    ]);
}

#[test]
fn functions() {
    same(&[
        ("f() { a; } >x", "f() {[a]} Write:x"),
        ("f ( )\n\n( a )", "f() ([a])"),
        ("function f { a; }", "f() {[a]}"),
        ("function f() { a; }; f", "f() {[a]}; [f]"),
        ("f() for i in a; do b; done", "f() for i in a do [b] done"),
        ("f() [[ a ]]", "f() [[a]]"),
        ("f() ((a))", "f() ((a))"),
        ("f() if a; then b; fi && c", "f() if [a] then [b] fi && [c]"),
        ("f-1:x() { a; }", "f-1:x() {[a]}"),
    ]);
}

#[test]
fn simple_commands() {
    same(&[
        ("a=1 b+=2 c[0]=x d=(x [1]=y $z) rm f", "[a=1 b+=2 c[0]=x d=(x [1]=y ${z}) rm f]"),
        ("a=", "[a=ε]"),
        ("a=(\n x # y\n z\n)", "[a=(x z)]"),
        ("rm a=b", "[rm a=b]"),
        (">f", "[] Write:f"),
        (">x A=1 rm <y z", "[A=1 rm z] Write:x Read:y"),
        ("rm &>a &>>b >|c <>d >>e", "[rm] WriteBoth:a AppendBoth:b Clobber:c ReadWrite:d Append:e"),
        (
            "rm >&f 2>&1 >&2 3>&- <&4 4<&5-",
            "[rm] WriteBoth:f 2Duplicate:1 Duplicate:2 3Duplicate:- Duplicate:4 4Duplicate:5-",
        ),
        ("exec {fd}>f", "[exec] {fd}Write:f"),
        ("rm {fd} >f", "[rm {fd}] Write:f"),
        ("rm 2 >f a2>g", "[rm 2 a2] Write:f Write:g"),
        ("cat <<<\"$x\"", "[cat] HereString:\"${x}\""),
        ("export A=1 B C=(x)", "export[A=1 B C=(x)]"),
        ("local -r a=$(b)", "local[-r a=$([b])]"),
        ("declare -A m=([a b]=c)", "declare[-A m=([a b]=c)]"),
        ("{rm,-rf,/}", "[{rm,-rf,/}]"),
        ("a#b #c", "[a#b]"),
        ("'if' \\for \"do\"", "['if' 'f'or \"do\"]"),
        ("echo if then { }", "[echo if then { }]"),
        ("[ a \\> b ]", "[[ a '>' b ]]"),
    ]);
}

#[test]
fn here_documents() {
    same(&[
        ("cat <<E\na $x `b`\nE\nc", "[cat] HereDocument:<<a ${x} $([b])\n>>; [c]"),
        ("cat <<-E\n\t\t$(a)\n\tE\nc", "[cat] HereDocument:<<$([a])\n>>; [c]"),
        ("cat <<'E'\n$(a)\nE", "[cat] HereDocument:<<'$(a)\n'>>"),
        ("cat <<E'O'\n$(a)\nEO", "[cat] HereDocument:<<'$(a)\n'>>"),
        ("cat <<A <<B; c\n1\nA\n2\nB\nd", "[cat] HereDocument:<<1\n>> HereDocument:<<2\n>>; [c]; [d]"),
        ("cat <<E | b >c\n1\nE", "<[cat] HereDocument:<<1\n>> | [b] Write:c>"),
        ("cat <<E b\n1\nE", "[cat b] HereDocument:<<1\n>>"),
        ("cat <<E\n\\$(a) \\` \\\"\nE", "[cat] HereDocument:<<$(a) ` \\\"\n>>"),
        ("cat <<E\na", "[cat] HereDocument:<<a>>"),
        ("x=$(cat <<E\n$(a)\nE\n)", "[x=$([cat] HereDocument:<<$([a])\n>>)]"),
        ("x=$(cat <<E\na\nE)\nb", "[x=$([cat] HereDocument:<<a\n>>)]; [b]"),
        ("cat <<E\na\\\nE\nE\nb", "[cat] HereDocument:<<aE\n>>; [b]"),
    ]);
}

#[test]
fn tests() {
    same(&[
        ("[[ -f $x && ! a == b* || c ]]", "[[((-f ${x} && !(a == b*)) || c)]]"),
        ("[[ ( a -nt b ) ]]", "[[a -nt b]]"),
        ("[[ a =~ ^(b|c d)$ ]]", "[[a =~ ^(b|c d)$]]"),
        ("[[ a < b ]]", "[[a < b]]"),
        ("[[ a\n&& b ]]", "[[(a && b)]]"),
        ("[[ x == !(y|z) ]]", "[[x == !(y|z)]]"),
        ("[[ -n ]]", "[[-n]]"),
        ("[[ $x ]] && a", "[[${x}]] && [a]"),
    ]);
}

#[test]
fn what_cannot_be_read_is_a_gap_with_what_was_found_in_it() {
    for (text, expected) in [
        ("if a; then b", "GAP<[a]; [b]>"),
        ("a (b)", "GAP<[a]; [b]>"),
        ("a; for x in y; b", "[a]; GAP<(($y)); [b]>"),
    ] {
        let (script, gaps) = parse(text);
        assert!(!gaps.is_empty(), "{text}");
        let shown = show::script(&script);
        for name in ["[a]", "[b]"] {
            assert!(shown.contains(name) && shown.contains("GAP"), "{text}: {shown}, about {expected}");
        }
    }
    for text in [
        "echo 'a",
        "echo \"a",
        "echo $(a",
        "echo `a",
        "echo ${a",
        "echo ${a b}",
        "a |",
        "&& a",
        "(",
        ")",
        "a=(",
        "f() a",
        "${Aß}",
    ] {
        assert!(!parse(text).1.is_empty(), "{text}");
    }
}

#[test]
fn what_shells_read_differently_is_a_gap() {
    for text in [
        "echo \"${x:-'}\"'}\"; rm a #'",
        "echo $(( ')) ' )); rm a #'",
        "a=(b)#c; rm a",
        "x=$(: <<E\nE b)\nrm a",
        "((: <<E\nx\nE\n); rm a)",
    ] {
        let (script, gaps) = parse(text);
        assert!(
            !gaps.is_empty() && show::script(&script).contains("[rm a]"),
            "{text}: {}",
            show::script(&script)
        );
    }
    assert_eq!(tree("a \\\\\n# it's\nb"), "[a '\\']; [b]");
}

#[test]
fn spans_lead_back_to_the_source() {
    let text = "a $(b `c d`) <<E\n\tx `ls`\nE\n";
    let (script, _) = parse(text);
    let mut found = Vec::new();
    super::walk(&script, &mut |visit| {
        if let super::Visit::Command(command) = visit {
            found.push(&text[command.span.start..command.span.end]);
        }
    });
    assert_eq!(found, ["a $(b `c d`) <<E", "b `c d`", "c d", "ls"]);
}
