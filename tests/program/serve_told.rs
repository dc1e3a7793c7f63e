//! What `POST /api/evaluate` tells: nothing that stands in files, and never that something is harmless which nobody saw.

use serde_json::{Value, json};

use crate::serve::{Server, attesting};
use crate::support::Scratch;

const TOKEN: &str = "the-token-of-somebody-else";

const TOKENS: &str = r#"
[[token]]
name = "somebody"
token = "the-token-of-somebody-else"
scopes = ["evaluate"]
"#;

/// Files of a place; each holds words that stand nowhere else.
const FILES: &[(&str, &str)] = &[
    ("list.txt", "qzvcanary1\nsub/qzvcanary2 x:qzvcanaryb:0\n\nqzvcanaryc=1\n"),
    (
        "m.mk",
        "NAME = qzvcanary3\nall:\n\trm -rf $(NAME)\n\tkubectl delete ns qzvcanary4\n\tqzvcanary5 --purge\n\tgit push --force origin qzvcanaryd\n",
    ),
    ("justfile", "all:\n    rm -rf qzvcanary3\n    aws s3 rm s3://qzvcanary4 --recursive\n"),
    ("q.sql", "DROP TABLE qzvcanary6;\nDELETE FROM qzvcanary7 WHERE qzvcanary8 = 'qzvcanary9';\n"),
    ("s.sed", "w qzvcanary7\ns/x/qzvcanary8/w qzvcanary9\n"),
    (
        "s.sh",
        "rm -rf qzvcanary8 && mysql -e 'DROP TABLE qzvcanary9' && curl -X DELETE https://h/qzvcanarya\nterraform destroy -target qzvcanary2\nif [ qzvcanary3 ; then\ndocker volume rm qzvcanary4\nqzvcanary5 > qzvcanary6\nkubectl frobnicate qzvcanary7\nssh qzvcanary8 rm -rf /srv\n",
    ),
    (
        "p.py",
        "import os, shutil\nshutil.rmtree('qzvcanary1')\nos.remove(open('qzvcanary2').read())\nos.system('rm -rf qzvcanary3')\n",
    ),
    ("n.js", "require('fs').rmSync('qzvcanary4', {recursive: true});\n"),
    (
        "package.json",
        "{\"name\": \"qzvcanary1\", \"scripts\": {\"x\": \"rm -rf qzvcanary3\", \"y\": \"qzvcanary4 now\"}}",
    ),
    ("composer.json", "{\"scripts\": {\"x\": \"rm -rf qzvcanary3\", \"y\": \"qzvcanary4 now\"}}"),
    ("inc.cfg", "[alias]\n x = !rm -rf qzvcanary4\n y = qzvcanary5\n[core]\n hooksPath = qzvcanary6\n"),
    (
        "Taskfile.yml",
        "version: '3'\ntasks:\n  x:\n    cmds:\n      - rm -rf qzvcanary1\n      - qzvcanary2 x\n",
    ),
    ("k.yaml", "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: qzvcanary1\n"),
    ("Dockerfile", "FROM qzvcanary1\nRUN rm -rf qzvcanary2\n"),
];

/// Lines that read them.
const LINES: &str = r#"
tar -T list.txt -cf a.tar --remove-files
zip -m a.zip -@ < list.txt
parallel rm :::: list.txt
parallel rm -rf {} :::: list.txt
7z a x @list.txt -sdel
sed -i -f s.sed list.txt
sed -i -f list.txt q.sql
xargs -a list.txt rm -rf
xargs rm < list.txt
xargs -I{} sh -c 'rm {}' < list.txt
cat list.txt | xargs rm
rm $(cat list.txt)
rm $(<list.txt)
for f in $(cat list.txt); do rm "$f"; done
while read -r l; do rm "$l"; done < list.txt
mapfile -t a < list.txt; rm "${a[@]}"
x=$(head -1 list.txt); rm -rf "$x"
rm "$(tr a-z b-za < list.txt)"
find . -name "$(head -1 list.txt)" -delete
make -f m.mk
make -f list.txt
make -f s.sh
just -f justfile
just -f list.txt
just
task x
psql -f q.sql
psql -f list.txt
mysql < q.sql
mysql -e 'source q.sql'
sqlite3 x.db < q.sql
sqlite3 x.db '.read q.sql'
git -c include.path=inc.cfg x
git -c include.path=./inc.cfg y
git -c include.path=list.txt status
GIT_CONFIG_GLOBAL=inc.cfg git x
git rm --pathspec-from-file=list.txt
git checkout --pathspec-from-file=list.txt
bash s.sh
. ./s.sh
bash list.txt
sh < list.txt
bash -x list.txt
source list.txt
python3 p.py
python3 list.txt
node n.js
node list.txt
perl list.txt
ruby list.txt
awk -f list.txt
npm run x
npm run y
yarn x
yarn y
composer run x
composer run y
kubectl delete -f k.yaml
kubectl delete -f list.txt
docker build -f Dockerfile .
docker compose -f k.yaml down -v
rsync --files-from=list.txt --remove-source-files . /b
wget -i list.txt
curl -K list.txt
cpio -o < list.txt
tmux source-file list.txt
expect list.txt
ansible-playbook list.txt
terraform destroy -var-file=list.txt
env $(cat list.txt) rm -rf x
at -f s.sh now
crontab list.txt
ssh -F list.txt h rm x
redis-cli < list.txt
mongosh < list.txt
gdb -batch -x list.txt
vim -es -S list.txt
rm -rf -- "$(python3 -c 'print(open("list.txt").read())')"
python3 -c 'import os; os.remove(open("list.txt").read())'
perl -e 'open F, "list.txt"; unlink <F>'
awk '{system("rm " $0)}' list.txt
eval "$(cat s.sh)"
bash -c "$(cat s.sh)"
"#;

fn server(scratch: &Scratch) -> Server {
    use std::os::unix::fs::PermissionsExt;
    let file = scratch.root().join("tokens.toml");
    std::fs::write(&file, TOKENS).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    Server::start_with(scratch, false, &["--tokens", file.to_str().unwrap()])
}

fn judged(server: &Server, command: &str, more: &Value) -> Value {
    let mut body = json!({"source": "shell", "command": command});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let (status, report) = server.evaluate(TOKEN, &body.to_string());
    assert_eq!(status, 200, "{command}: {report}");
    report
}

#[test]
fn an_answer_holds_nothing_that_stands_in_files() {
    let scratch = Scratch::new();
    for (name, text) in FILES {
        std::fs::write(scratch.work().join(name), text).unwrap();
    }
    let server = server(&scratch);
    let mut told = Vec::new();
    for line in LINES.lines().filter(|line| !line.is_empty()) {
        let report = judged(&server, line, &json!({"cwd": scratch.work()})).to_string();
        if let Some(at) = report.find("qzvcanary") {
            let from = report[..at].char_indices().rev().nth(80).map_or(0, |(at, _)| at);
            told.push(format!("{line}: …{}", report[from..].chars().take(130).collect::<String>()));
        }
    }
    assert!(told.is_empty(), "{} lines:\n{}", told.len(), told.join("\n"));
    // What was asked with, and what stands there, is told as ever.
    let report = judged(&server, "rm -rf mine list.txt", &json!({"cwd": scratch.work()})).to_string();
    assert!(report.contains("mine") && report.contains("list.txt"), "{report}");
    std::fs::create_dir(scratch.work().join("qzvcanary3")).unwrap();
    let report = judged(&server, "make -f m.mk", &json!({"cwd": scratch.work()})).to_string();
    assert!(report.contains("qzvcanary3"), "what stands there: {report}");
}

#[test]
fn what_a_project_decides_is_not_allowed_unseen() {
    let scratch = Scratch::new();
    let server = server(&scratch);
    let mut allowed = Vec::new();
    for more in [json!({}), json!({"cwd": "/nowhere/at/all"})] {
        for line in [
            "yarn x",
            "yarn deploy",
            "yarn build",
            "yarn",
            "pnpm x",
            "pnpm test",
            "bun run x",
            "npm test",
            "npm t",
            "npm run build",
            "npm start",
            "npm install",
            "npm ci",
            "npm pack",
            "composer run x",
            "composer run-script test",
            "composer test",
            "composer install",
            "make",
            "make test",
            "make clean",
            "rake test",
            "rake",
            "just test",
            "just",
            "task build",
            "invoke build",
            "nox",
            "tox",
            "poe x",
            "pdm run x",
            "hatch run x",
            "pipenv run x",
            "deno task x",
            "./gradlew build",
            "./mvnw package",
            "sh gradlew build",
            "./manage.py check",
            "python manage.py check",
            "php artisan list",
            "bash deploy.sh",
            "./deploy.sh",
            "node build.js",
            "python3 build.py",
            "vendor/bin/phpunit",
            "node_modules/.bin/eslint .",
        ] {
            let report = judged(&server, line, &more);
            if report["riskAssessment"] == "allow" {
                allowed.push(format!("{line} {more}"));
            }
        }
        for line in ["ls -la", "git status", "npm view react", "echo x", "cat notes.md"] {
            assert_eq!(judged(&server, line, &more)["riskAssessment"], "allow", "{line}");
        }
    }
    assert_eq!(allowed, Vec::<String>::new());
}

#[test]
fn a_name_that_stands_twice_and_a_number_that_is_not_exact_are_refused() {
    let scratch = attesting();
    let server = server(&scratch);
    for (body, says) in [
        (r#"{"source":"mcp","tool":"t","arguments":{"path":"/a","path":"/b"}}"#, "path"),
        (r#"{"source":"shell","command":"ls","command":"rm -rf /"}"#, "command"),
        (r#"{"source":"mcp","tool":"get","arguments":{"id":9007199254740993}}"#, "2^53"),
    ] {
        let (status, answer) = server.evaluate(TOKEN, body);
        assert_eq!(status, 400, "{body}: {answer}");
        assert!(answer["error"].as_str().is_some_and(|said| said.contains(says)), "{body}: {answer}");
    }
}
