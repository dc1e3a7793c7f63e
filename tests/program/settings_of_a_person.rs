//! What programs run because a person's settings, a project's files or their own ways say so, besides what is asked for. In real
//! places, by whole lines.

use std::fs;

use crate::set_up::{Place, git, repository};

/// What settings of a person have git run is read where it can be; an editor or a pager that nobody knows is no finding.
#[test]
fn inline_commands_of_a_persons_own_settings_are_read() {
    let place = repository();
    place.write(&["notes.txt"]);
    let own = place.0.path().canonicalize().unwrap().join(".gitconfig");
    let set = |text: &str| fs::write(&own, text).unwrap();
    for (text, lines) in [
        ("[core]\n fsmonitor = \"rm notes.txt;false\"\n", &["git status", "git add f"][..]),
        ("[diff]\n external = rm notes.txt #\n", &["git diff"]),
        ("[core]\n editor = rm notes.txt\n", &["git commit --amend"]),
        ("[core]\n editor = X=1 rm notes.txt\n", &["git commit --amend"]),
        ("[core]\n editor = exec rm notes.txt\n", &["git commit --amend"]),
        ("[core]\n editor = \"'rm' notes.txt\"\n", &["git commit --amend"]),
        ("[tar \"foo\"]\n command = \"rm notes.txt; cat\"\n", &["git archive --format=foo HEAD"]),
        ("[credential]\n helper = \"!rm notes.txt\"\n", &["git credential fill", "git credential reject"]),
    ] {
        set(text);
        place.are(true, lines);
    }
    set(concat!(
        "[core]\n editor = code --wait\n pager = delta\n[diff]\n external = difft\n[credential]\n helper = store\n",
        "[filter \"lfs\"]\n clean = git-lfs clean -- %f\n smudge = git-lfs smudge -- %f\n process = git-lfs filter-process\n",
        "[sequence]\n editor = interactive-rebase-tool\n"
    ));
    let everyday = &[
        "git status",
        "git diff",
        "git commit --amend",
        "git add f",
        "git archive HEAD -o x.tar",
        "git log -p",
    ];
    place.are(false, everyday);
    set(
        "[core]\n editor = vim\n pager = less -R\n sshCommand = ssh -i ~/.ssh/id\n[credential]\n helper = !gh auth git-credential\n",
    );
    place.are(false, everyday);
    set("[core]\n editor = nano\n pager = cat\n");
    place.are(false, everyday);
    set(concat!(
        "[core]\n pager = diff-so-fancy | less --tabs=4 -RFX\n editor = emacsclient -t -a ''\n[interactive]\n diffFilter = diff-so-fancy --patch\n",
        "[sequence]\n editor = 'code' --wait\n[credential]\n helper = cache --timeout=3600\n helper = /usr/local/share/gcm/git-credential-manager\n",
        "[diff]\n external = difft --display inline\n[gpg]\n program = gpg2\n[commit]\n gpgSign = true\n",
        "[filter \"nb\"]\n clean = jupyter nbconvert --ClearOutputPreprocessor.enabled=True --to=notebook --stdin --stdout\n smudge = cat\n"
    ));
    place.are(false, everyday);
    set("[core]\n pager = diff-so-fancy | tee notes.txt | less\n");
    fs::write(place.dir().join("notes.txt"), "nowhere else\n").unwrap();
    place.are(false, &["git status"]);
}

/// A person's `~/.ssh/config` has commands run for hosts; a module that stands here is loaded in the library's place.
#[test]
fn what_is_loaded_first_is_read() {
    let place = Place::new();
    place.write(&["t"]);
    let own = place.0.path().canonicalize().unwrap().join(".ssh");
    fs::create_dir(&own).unwrap();
    let set = |text: &str| fs::write(own.join("config"), text).unwrap();
    let over = &["ssh h", "ssh -G h", "scp t h:", "sftp h", "rsync -a t h:", "ssh h ls"];
    set("Match exec \"rm -f t\"\n  User me\n");
    place.are(true, over);
    set("Match host execute exec \"rm -f t\"\n");
    place.are(true, over);
    set("Host *\n  ProxyCommand rm -f t; nc %h %p\n");
    place.are(true, over);
    let dir = place.dir();
    git(&dir, "git init -q && git remote add away git@h:x.git");
    place.are(true, &["git fetch ssh://h/x", "git fetch", "git clone me@h:x.git y"]);
    fs::create_dir(own.join("d")).unwrap();
    fs::write(own.join("d/x.conf"), "Host x\n  ProxyCommand=sh -c 'rm t'\n").unwrap();
    set("Include d/*.conf\n");
    place.are(true, over);
    set(concat!(
        "# rm -f t\nHost *\n  User me\n  ServerAliveInterval 60\n  ProxyJump gate\nHost a\n  ProxyCommand nc -X connect -x proxy:80 %h %p\n",
        "Host i-*\n  ProxyCommand sh -c \"aws ssm start-session --target %h --document-name AWS-StartSSHSession --parameters 'portNumber=%p'\"\n",
        "Host b\n  ProxyCommand cloudflared access ssh --hostname %h\nHost c\n  ProxyCommand ssh -W %h:%p gate\n  ProxyCommand none\n",
        "Match host d exec \"test -f /x\"\n"
    ));
    place.are(
        false,
        &["ssh h ls", "ssh -G h", "scp t h:", "rsync -a t h:", "git fetch", "git clone me@h:x.git y"],
    );
    let home = place.0.path().canonicalize().unwrap();
    fs::create_dir(home.join(".gnupg")).unwrap();
    fs::write(home.join(".gnupg/gpg.conf"), "yes\noutput t\n").unwrap();
    fs::write(dir.join(".valgrindrc"), "--log-file=t\n").unwrap();
    place.are(true, &["gpg --batch -c notes", "valgrind true"]);
    fs::write(home.join(".gnupg/gpg.conf"), "use-agent\nkeyid-format long\n").unwrap();
    fs::write(dir.join(".valgrindrc"), "--leak-check=full\n").unwrap();
    place.are(false, &["gpg --batch -c notes", "valgrind true"]);
    fs::write(dir.join("argparse.py"), "import os\nos.remove('t')\n").unwrap();
    place.are(true, &["python3 -m json.tool x.json", "python3 -m http.server"]);
    fs::write(dir.join("argparse.py"), "def f():\n    return 1\n").unwrap();
    place.are(false, &["python3 -m json.tool x.json", "python3 -m http.server"]);
}

#[test]
fn what_is_done_besides_what_is_asked_for_is_told() {
    let place = Place::new();
    place.write(&["t", "todo", "bk/t", "d/mine", "r.csv", "tests/kept"]);
    let dir = place.dir();
    git(&dir, "mkdir -p in/d && echo a > in/d/a && tar cf i.tar -C in d");
    fs::write(dir.join("package.json"), "{\"name\":\"p\"}").unwrap();
    fs::write(dir.join("server.js"), "require('fs').unlinkSync('t')\n").unwrap();
    fs::create_dir_all(dir.join("crate/tests")).unwrap();
    fs::write(dir.join("crate/Cargo.toml"), "[package]\nname='c'\n").unwrap();
    fs::write(dir.join("crate/build.rs"), "fn main(){std::fs::remove_file(\"../t\").ok();}\n").unwrap();
    place.are(
        true,
        &[
            "tar -xGf i.tar",
            "tar -x -g /dev/null -f i.tar",
            "rsync -ab --backup-dir=bk todo t",
            "parallel --results r.csv echo ::: 1",
            "npm start",
            "cd crate && cargo build",
            "cd crate && cargo test -q",
        ],
    );
    fs::write(dir.join("server.js"), "console.log('up')\n").unwrap();
    let build = "fn main(){let d=std::env::var(\"OUT_DIR\").unwrap();std::fs::remove_dir_all(d).ok();}\n";
    fs::write(dir.join("crate/build.rs"), build).unwrap();
    place.are(
        false,
        &[
            "tar -xf i.tar",
            "tar -cf j.tar -g /dev/null in",
            "rsync -ab --backup-dir=new todo t",
            "parallel --results new.csv echo ::: 1",
            "npm start",
            "cd crate && cargo build",
            "cd crate && cargo test -q",
        ],
    );
}

/// What lines of a start-up file plainly do is followed; the rest of it is the person's own.
#[test]
fn lines_of_start_up_files_are_followed() {
    let place = Place::new();
    place.write(&["t", "app.db"]);
    let home = place.0.path().canonicalize().unwrap();
    let dir = place.dir();
    fs::write(dir.join("app.py"), "print(1)\n").unwrap();
    fs::create_dir_all(home.join(".vim/plugin")).unwrap();
    fs::create_dir_all(home.join(".local/lib/python3.11/site-packages")).unwrap();
    for (file, bad, fine, line) in [
        (
            ".gdbinit",
            "shell rm -f ~/p/t\n",
            "set confirm off\ndefine x\nshell rm t\nend\nshell my-own-tool\n",
            "gdb -q -batch",
        ),
        (
            ".vimrc",
            "silent !rm t\n",
            "set nu\nnnoremap x :!rm %<CR>\nlet s = system('uname')\n",
            "vim -c q todo",
        ),
        (
            ".vim/plugin/a.vim",
            "call delete('t')\n",
            "function! F()\n call delete('t')\nendfunction\n",
            "vim -c q todo",
        ),
        (".sqliterc", ".shell rm t\n", ".headers on\n.mode column\n", "sqlite3 app.db 'select 1'"),
        (
            ".tmux.conf",
            "run-shell \"rm t\"\n",
            "set -g mouse on\nrun '~/.tmux/plugins/tpm/tpm'\nbind r run 'rm t'\n",
            "tmux new-session -d",
        ),
        (".pdbrc", "import os;os.unlink('t')\n", "alias pi p %1\n", "python3 -m pdb app.py < /dev/null"),
        (
            ".local/lib/python3.11/site-packages/z.pth",
            "import os; os.unlink('t')\n",
            "/opt/x\nimport _virtualenv\n",
            "python3 -c 1",
        ),
    ] {
        let own = home.join(file);
        fs::write(&own, bad.replace("~/p", &dir.display().to_string())).unwrap();
        place.are(true, &[line]);
        fs::write(&own, fine).unwrap();
        place.are(false, &[line]);
        fs::remove_file(&own).unwrap();
    }
    fs::write(dir.join(".gdbinit"), "shell rm t\n").unwrap();
    place.are(false, &["gdb -q -batch"]);
    fs::write(home.join(".gdbinit"), "set auto-load safe-path /\n").unwrap();
    place.are(true, &["gdb -q -batch"]);
}

/// Settings that name a program, and what clients and interpreters read first.
#[test]
fn commands_in_settings_of_clients_are_told() {
    let place = repository();
    place.write(&["t"]);
    let home = place.0.path().canonicalize().unwrap();
    let target = place.dir().join("t").display().to_string();
    let plugin = "users:\n- name: me\n  user:\n    exec:\n      command: rm\n      args: [-f, T]\n";
    let fine = "users:\n- name: me\n  user:\n    exec:\n      command: gke-gcloud-auth-plugin\n- name: you\n  user: {token: x}\n";
    let twice = "users: []\nusers: []\n";
    for (file, bad, fine, lines) in [
        (
            ".aws/config",
            "[profile a]\ncredential_process = rm -f T\n",
            "[profile a]\nregion = x\ncredential_process = aws-vault exec a --json\n# credential_process = rm -f T\n",
            &["aws s3 ls", "terraform version", "AWS_PROFILE=a aws sts get-caller-identity"][..],
        ),
        (".kube/config", plugin, fine, &["kubectl get pods", "helm list", "kubectl -n a describe pod b"][..]),
        (
            "second.yaml",
            plugin,
            fine,
            &[
                "kubectl --kubeconfig ~/second.yaml get pods",
                "KUBECONFIG=x:$HOME/second.yaml kubectl get pods",
            ][..],
        ),
        (
            ".psqlrc",
            "\\! rm -f T\n",
            "\\set QUIET on\n\\timing\n-- \\! rm -f T\n",
            &["psql -c 'select 1'"][..],
        ),
        (
            ".hgrc",
            "[hooks]\npre-status = rm -f T\n",
            "[ui]\nusername = rm -f T\n[hooks]\nupdate = make tags\n",
            &["hg status"][..],
        ),
        (
            ".Rprofile",
            "system('rm -f T')\n",
            "options(digits = 3)\n# system('rm -f T')\n",
            &["Rscript -e 1", "R --no-save -e 1"][..],
        ),
        (".screenrc", "exec rm -f T\n", "startup_message off\nbind k exec rm -f T\n", &["screen -dm"][..]),
        (".lftprc", "!rm -f T\n", "set ssl:verify-certificate yes\n", &["lftp -c ls h"][..]),
    ] {
        let own = home.join(file);
        fs::create_dir_all(own.parent().unwrap()).unwrap();
        fs::write(&own, bad.replace('T', &target)).unwrap();
        place.are(true, lines);
        fs::write(&own, fine.replace(" T", &format!(" {target}"))).unwrap();
        place.are(false, lines);
        fs::remove_file(&own).unwrap();
    }
    place.are(false, &["psql -X -c 'select 1'"]);
    fs::write(home.join(".kube/config"), twice).unwrap();
    place.are(true, &["kubectl get pods"]);
    // What nobody can look into may hold anything.
    fs::write(home.join(".kube/config"), format!("{plugin}# {}", "x".repeat(16 << 20))).unwrap();
    place.are(true, &["kubectl get pods"]);
    fs::remove_file(home.join(".kube/config")).unwrap();
    place.are(false, &["kubectl get pods"]);
    // However many stand before it.
    fs::write(home.join("k"), "users: []\n").unwrap();
    fs::write(home.join("last.yaml"), plugin.replace('T', &target)).unwrap();
    let many = vec!["$HOME/k"; 205].join(":");
    place.are(false, &[&format!("KUBECONFIG={many} kubectl get pods")]);
    place.are(true, &[&format!("KUBECONFIG={many}:$HOME/last.yaml kubectl get pods")]);
    place.are(true, &["printf \"$(date)\" > ~/.psqlrc; psql -c 'select 1'"]);
}

/// A file that a program writes by itself, over one that a person wrote; over its own, or none, it may.
#[test]
fn outputs_that_no_word_names_are_told() {
    let place = repository();
    let dir = place.dir();
    for (file, line) in [
        ("a.out", "gcc x.c y.c"),
        ("x.d", "gcc -MD -c x.c -o x.o"),
        ("messages.mo", "msgfmt x.po"),
        ("messages.po", "xgettext x.c"),
        ("x.s", "llc x.ll"),
        ("x", "rustc x.rs"),
        ("doc/x/index.html", "rustdoc x.rs"),
        ("M.class", "javac M.java"),
        ("key-cert.pub", "ssh-keygen -s ca -I i -n n key.pub"),
        ("lex.yy.c", "flex x.l"),
        ("y.tab.c", "yacc x.y"),
        ("x.txt", "pdftotext x.pdf"),
        ("os.html", "pydoc3 -w os"),
    ] {
        let own = dir.join(file);
        fs::create_dir_all(own.parent().unwrap()).unwrap();
        place.are(false, &[line]);
        fs::write(&own, "what I wrote myself\n").unwrap();
        place.are(true, &[line]);
        fs::write(&own, "\u{7f}ELF\u{2}\0made").unwrap();
        place.are(false, &[line]);
        fs::remove_file(&own).unwrap();
    }
}

/// Code that a call runs because it is named or because the project brings it.
#[test]
fn tests_and_scripts_of_packages_are_read() {
    let place = Place::new();
    place.write(&["t1"]);
    let dir = place.dir();
    fs::create_dir_all(dir.join("t")).unwrap();
    fs::create_dir_all(dir.join("node_modules/dep")).unwrap();
    fs::write(
        dir.join("package.json"),
        "{\"name\":\"p\",\"dependencies\":{\"dep\":\"file:node_modules/dep\"}}",
    )
    .unwrap();
    let script = |text: &str| {
        let text = format!("{{\"name\":\"dep\",\"scripts\":{{\"postinstall\":\"{text}\"}}}}");
        fs::write(dir.join("node_modules/dep/package.json"), text).unwrap();
    };
    let test = |text: &str| fs::write(dir.join("t/a.t"), text).unwrap();
    script(&format!("rm -f {}", dir.join("t1").display()));
    test("unlink \"t1\"; print \"1..1\\n\";");
    place.are(true, &["npm rebuild", "npm ci", "npm install", "prove t/a.t", "prove t", "prove -l"]);
    script("node-gyp rebuild || node install.js");
    test("use Test::More; my $f = made(); unlink $f; ok(1); done_testing;");
    place.are(false, &["npm rebuild", "npm ci", "npm install", "prove t/a.t", "prove t", "prove -l"]);
}

/// What starts a service runs what the service's file says, and what runs tests reads what their settings say.
#[test]
fn what_services_and_settings_of_tests_say_counts() {
    let place = repository();
    place.write(&["notes.txt"]);
    let notes = place.dir().join("notes.txt").display().to_string();
    let home = place.0.path().canonicalize().unwrap();
    let units = home.join(".config/systemd/user");
    fs::create_dir_all(&units).unwrap();
    let unit = |text: &str| fs::write(units.join("gone.service"), text).unwrap();
    unit(&format!("[Service]\nExecStart=-/bin/rm {notes}\n"));
    place.are(true, &["systemctl --user start gone", "systemctl --user restart gone.service"]);
    place.are(
        false,
        &["systemctl --user status gone", "systemctl --user cat gone", "systemctl --user enable gone"],
    );
    unit("[Service]\nType=oneshot\nExecStart=/usr/bin/backup --all\n");
    place.are(false, &["systemctl --user start gone"]);
    let settings = |name: &str, text: &str| fs::write(place.dir().join(name), text).unwrap();
    for (name, text) in [
        ("pytest.ini", "[pytest]\naddopts = -q --junitxml=notes.txt\n"),
        ("pytest.ini", "[pytest]\naddopts =\n    -q\n    --junitxml=notes.txt\n"),
        ("tox.ini", "[pytest]\nlog_file = notes.txt\n"),
        ("setup.cfg", "[tool:pytest]\naddopts = --basetemp=.\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"-q --junitxml=notes.txt\"\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = [\"-q\", \"--junitxml=notes.txt\"]\n"),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts = [\n  \"-q\",\n  \"--junitxml=notes.txt\",\n]\n",
        ),
    ] {
        settings(name, text);
        place.are(true, &["pytest", "python3 -m pytest tests"]);
        fs::remove_file(place.dir().join(name)).unwrap();
    }
    settings("pytest.ini", "[pytest]\naddopts = -q --strict-markers\ntestpaths = tests\n");
    place.are(false, &["pytest", "pytest -x tests"]);
}
