use proptest::prelude::*;

use super::*;

/// Tokens in short: names as they are, texts in quotes with `{code}`, others by their sign.
fn show(text: &str, language: Language) -> String {
    let pieces = |pieces: &[Piece]| {
        pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Code(code) => format!("{{{code}}}"),
            })
            .collect::<String>()
    };
    tokens(text, language)
        .iter()
        .map(|token| match &token.kind {
            Tok::Name(name) | Tok::Variable(name) | Tok::Number(name) => name.clone(),
            Tok::Text(text) => format!("'{}'", pieces(text)),
            Tok::Shell(text) => format!("`{}`", pieces(text)),
            Tok::Regex { code: None, .. } => "/re/".to_owned(),
            Tok::Regex { code: Some(code), .. } => format!("/re {code}/"),
            Tok::Words(words) => format!("({})", words.join("|")),
            Tok::Glob(text) => format!("<{}>", pieces(text)),
            Tok::Input => "<>".to_owned(),
            Tok::Op(op) => (*op).to_owned(),
            Tok::Newline => "NL".to_owned(),
            Tok::Indent => "IN".to_owned(),
            Tok::Dedent => "OUT".to_owned(),
        })
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn each_language() {
    use Language::{Lua, Node, Perl, Php, Python, Ruby};
    for (language, text, expected) in [
        (Python, "f'a{x!r:>{w}}b{{c}}' + r'\\n' # os", "'a{'{:?}'.format((x))}b{c}' + '\\n' NL"),
        (Python, "for a in b:\n  c\nd", "for a in b : NL IN c NL OUT d NL"),
        (Python, "x = (1,\n 2)\ny", "x = ( 1 , 2 ) NL y NL"),
        (Python, "'''a\nb'''", "'a\nb' NL"),
        (Python, "'\\x6f\\163'", "'os' NL"),
        (Node, "a / b; x = /[/]'/g; `p${q}r`", "a / b ; x = /re/ ; 'p{q}r'"),
        (Node, "// c\nf(/* d */'e')", "f ( 'e' )"),
        (Perl, "unlink qw(a b); s/a/`rm x`/e; print if /x/;", "unlink (a|b) ; /re `rm x`/ ; print if /re/ ;"),
        (
            Perl,
            "`rm $x`; qx{ls}; q(a'b); \"$h{k} @{[ f() ]}\"",
            "`rm {$x}` ; `ls` ; 'a'b' ; '{$h{k}} {@{[ f() ]}}'",
        ),
        (Perl, "unlink <*.o>; while (<STDIN>) {}", "unlink <*.o> ; while ( <> ) { }"),
        (Perl, "print <<\"E\", 1;\na $b\nE\nunlink 'x'", "print 'a {$b}\n' , 1 ; unlink 'x'"),
        (Perl, "$h{s} = 1; $x->y; tr/a/b/; m{x}", "$h { s } = 1 ; $x -> y ; /re/ ; /re/"),
        (Perl, "$x % 3; %h; @a; $#a; 10 / 2 / 1", "$x % 3 ; %h ; @a ; $#a ; 10 / 2 / 1"),
        (Ruby, "%x(ls) + `rm #{f}`; %w[a b]; :sym; puts /x/", "`ls` + `rm {f}` ; (a|b) ; 'sym' ; puts /re/"),
        (Ruby, "a ? b : c; x.empty? ; 7 % 2", "a ? b : c ; x . empty? ; 7 % 2"),
        (Ruby, "File.write('a', <<~E)\n  text\nE\nputs 1", "File . write ( 'a' , '  text\n' ) puts 1"),
        (Php, "<?php echo \"a$b\"; // x\n`ls`; $x->y", "echo 'a{$b}' ; `ls` ; $x -> y"),
        (Lua, "os.remove[[x]] -- c\n--[[ d ]] y = 'a' .. 'b'", "os . remove 'x' y = 'a' .. 'b'"),
    ] {
        assert_eq!(show(text, language), expected, "{text}");
    }
}

proptest! {
    #[test]
    fn never_panics(text in "[\\PC\n\t'\"`$@%{}/<\\\\q#]{0,50}") {
        for language in [Language::Python, Language::Node, Language::Perl, Language::Ruby, Language::Php, Language::Lua] {
            let _ = tokens(&text, language);
        }
    }
}
