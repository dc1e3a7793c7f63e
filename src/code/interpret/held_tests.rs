//! What a program leaves in a file that it writes over.

use crate::code::effect::CodeEffect;
use crate::code::sources::{Program, Reading, Source, Sources};

/// What a file holds at the end of a program, as far as the program says it; what stood in `p.py` before is `b b`.
fn held(language: &str, text: &str) -> Option<String> {
    struct One;
    impl Sources for One {
        fn first(&self, paths: &[String]) -> Source {
            match paths {
                [path] if path == "p.py" => Source::Text { path: path.clone(), text: "b b".to_owned() },
                _ => Source::Absent,
            }
        }
    }
    let reading = Reading::default();
    let program = Program { language, text, arguments: &[], file: None, roots: &[], reading };
    let effects = crate::code::analyse_with(&program, &One);
    effects.into_iter().rev().find_map(|effect| match effect {
        CodeEffect::Holds { text, .. } => Some(text),
        CodeEffect::Overwrite { .. } | CodeEffect::Update { .. } | CodeEffect::Append { .. } => Some(None),
        _ => None,
    })?
}

#[test]
fn what_a_program_leaves_in_a_file() {
    for (language, text, want) in [
        ("python", "open('p.py','w').write('x')", Some("x")),
        ("python", "with open('p.py','w') as f:\n  f.write('x')\n  f.write('y')", Some("xy")),
        ("python", "s=open('p.py').read(); open('p.py','w').write(s.replace('b','c'))", Some("c c")),
        (
            "python",
            "from pathlib import Path\np=Path('p.py')\np.write_text(p.read_text().replace('b','c')+'!')",
            Some("c c!"),
        ),
        (
            "node",
            "const fs=require('fs'); let s=fs.readFileSync('p.py','utf8'); fs.writeFileSync('p.py', s.replace('b','c'))",
            Some("c b"),
        ),
        ("ruby", "File.write('p.py', File.read('p.py').gsub('b', 'c'))", Some("c c")),
        // What is not said in so many words is not known.
        ("python", "import x\nopen('p.py','w').write(x.y)", None),
        ("python", "import sys\nif sys.argv: open('p.py','w').write('x')", None),
        ("python", "f=open('p.py','w'); f.write('x'); f.write(input())", None),
        ("python", "open('p.py','w').write('x'); open('p.py','a').write('y')", None),
        ("python", "open('p.py','w').write('x'); s=open('p.py').read(); open('p.py','w').write(s)", None),
        ("python", "import re; s=open('p.py').read(); open('p.py','w').write(re.sub('b.', 'c', s))", None),
        ("python", "for n in ['x','y']:\n  open('p.py','w').write(n)", None),
        (
            "node",
            "const fs=require('fs'); let s=fs.readFileSync('p.py','utf8'); fs.writeFileSync('p.py', s.replace(/b/g,'c'))",
            None,
        ),
        (
            "node",
            "const fs=require('fs'); let s=fs.readFileSync('p.py','utf8'); fs.writeFileSync('p.py', s.replace('b','[$&]'))",
            None,
        ),
        ("ruby", "File.write('p.py', File.read('p.py').gsub(/b/, 'c'))", None),
        ("ruby", "File.write('p.py', 'x', mode: 'a')", None),
    ] {
        assert_eq!(held(language, text).as_deref(), want, "{language}: {text}");
    }
}
