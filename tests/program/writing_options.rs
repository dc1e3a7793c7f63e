//! Options of known tools that write, delete or run, beside others of the same shape that do none of it. One command a line.

#![cfg(unix)]

use crate::evasions::{all_stopped, none_stopped};

const LOSES: &[&str] = &[
    // A command stands in the value.
    "strace -qq -o '!cat > notes.md' true",
    "strace -qq -o '|cat > notes.md' true",
    "strace -qqo'|tee notes.md' true",
    "split -l1 --filter='cat > $FILE.md' README.md draf; split -l1 --filter='tee $FILE > /dev/null' README.md app.",
    "split -l1 --filter='cat > notes.md' README.md",
    "split -b9 -d -a1 --filter='rm -f scratch/exp$FILE.py' README.md ''; split -l1 --filter='cat > scratch/$FILE.py' README.md exp",
    "wget -e use_askpass='rm -f notes.md' http://h/",
    "groff -U <<< '.sy rm -f notes.md'",
    "groff -Tutf8 -U page.roff",
    // More goes than what is unpacked or packed.
    "mkdir emptydir/q && echo z > emptydir/q/scratch && tar cf a.tar -C emptydir/q scratch && tar xf a.tar --recursive-unlink",
    "zip -q kept.zip notes.md draft.txt && rm notes.md && zip -qFS kept.zip draft.txt",
    "jar cf notes.md src",
    "jar --update --file=notes.md src",
    // Names that no word has.
    "curl -s 'file:///etc/host[a-s]' -o 'note#1.md'; curl -s 'http://h/{s,t}' -o 'note#1.md'",
    "curl -sO 'http://h/{draft,x}.txt'",
    "curl -sO 'http://h/exp[1-3].py' --output-dir scratch",
    "curl -O --url http://h/notes.md",
    "curl -s -w '%output{notes.md}%{http_code}' http://h/",
    "curl -T README.md file://$PWD/notes.md",
    "curl -T notes.md file://$HOME/Documents/thesis.md",
    "curl -s --hsts notes.md http://h/",
    "curl -s --alt-svc notes.md http://h/",
    "wget -qN http://h/notes.md",
    "wget -q -nd -r http://h/notes.md",
    "wget -q -P scratch -N http://h/exp1.py",
    "wget -q -e output_document=notes.md http://h/",
    "wget -q --hsts-file=notes.md http://h/",
    "sftp h:a.txt notes.md",
    "gsutil cp gs://b/k notes.md",
    "gcloud storage cp gs://b/notes.md .",
    "gcloud storage cp gs://b/k notes.md",
    // Files beside the one that the tool is for.
    "tar cf a.tar --volno-file=notes.md src",
    "7z u a.7z -u- -up1q0!notes.md src",
    "gpg --export -a -o notes.md me",
    "gpg --export-secret-keys --output notes.md me",
    "ffmpeg -progress notes.md -i a.mp4 -f null -",
    "convert a.png -write notes.md null:",
    "rustc --emit=obj=notes.md a.rs",
    "gcc a.c -Wl,-Map=notes.md",
    "ld -Map notes.md a.o",
    "bison --defines=notes.md a.y",
    "keytool -exportcert -alias a -file notes.md",
    "crane export image notes.md",
    "asciinema rec --overwrite notes.md",
    "ansible-vault encrypt notes.md",
    "ansible-galaxy init --force scratch",
    "cargo vendor scratch",
    "clamscan -r --remove scratch",
    "npm pkg delete scripts; npm pkg delete version --prefix scratch; ctags -R -f notes.md src",
    "pytest --basetemp=scratch",
    "pytest --cov-report xml:notes.md",
    // What no declaration lists, by what it is called.
    "pylint --keylog=notes.md src",
    "phpunit --log-junit notes.md",
    "phpstan analyse --generate-baseline notes.md",
    "gcovr --json=notes.md",
    "some-linter --html-report notes.md src",
    "some-tool --save=notes.md",
    "mypy --txt-report=notes.md src",
];

const LOSES_NOTHING: &[&str] = &[
    "strace -f -o trace.log ls",
    "strace -o '|wc -l' ls",
    "split -l 2 --filter='gzip > $FILE.gz' README.md part-",
    "split -l 2 --filter='cat > $FILE.md' README.md part-",
    "wget -qO- http://h/notes.md | head",
    "groff -Tutf8 -man page.1",
    "mkdir emptydir/q && echo z > emptydir/q/s && tar cf a.tar -C emptydir/q s && tar xf a.tar --recursive-unlink",
    "zip -qFS -r new.zip src",
    "zip -qr new.zip scratch",
    "jar tf app.jar",
    "jar cf new.jar src",
    "7z x -y a.zip -oemptydir",
    "7z l notes.md",
    "curl -s 'http://h/{a,b}.png' -o 'fresh#1.png'",
    "curl -sO 'http://h/page[1-9].html'",
    "curl -g 'http://[::1]:8080/x'",
    "curl -s -w '%{http_code}\\n' -o /dev/null http://h/",
    "wget -qN http://h/fresh.zip",
    "wget -qnc http://h/notes.md",
    "wget -q -e robots=off http://h/fresh.zip",
    "sftp h:a.txt fresh.txt",
    "gcloud storage cp gs://b/fresh.txt .",
    "ffmpeg -i a.mp4 -f null -",
    "rustc --emit=metadata a.rs",
    "gcc -c a.c -o build/a.o -Wl,--as-needed",
    "gpg --list-keys",
    "crane digest image",
    "ansible-vault view notes.md",
    "ansible-galaxy init emptydir/role",
    "clamscan -r scratch",
    "npm pkg get name",
    "npm pkg set type=module",
    "npm version patch",
    "pytest -q --log-level=debug tests",
    "pylint --output-format=json src",
    "mypy --config-file notes.md src",
    "eslint --ignore-path notes.md src",
    "xmllint --html notes.md",
    "pylint --report src",
    "prettier --log-level warn --check notes.md",
    "jest --coverage notes.md",
    "rg --json notes README.md",
];

#[test]
fn what_an_option_writes_deletes_or_runs_is_stopped() {
    all_stopped(LOSES);
}

#[test]
fn options_of_the_same_shape_that_lose_nothing_are_not_stopped() {
    none_stopped(LOSES_NOTHING);
}
