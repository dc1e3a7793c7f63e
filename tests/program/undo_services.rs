//! What services hold, kept before a command takes it and put back: against the real thing where it is installed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A home of its own, and programs that stand before the system's.
pub(super) struct Place {
    dir: tempfile::TempDir,
    pub(super) env: Vec<(String, String)>,
}

impl Place {
    pub(super) fn new() -> Self {
        // Temporary places are harmless by definition.
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for name in ["home/.local/bin", "work", "state"] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        // A working tree of its own: what other tests write beside it meanwhile is none of its business.
        let git = Command::new("git").args(["init", "-q"]).current_dir(dir.path().join("work")).status();
        assert!(git.unwrap().success());
        Self { dir, env: Vec::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A program of ours, where a person has programs. It cannot be read, as a real one.
    fn stub(&self, name: &str, text: &str) {
        let path = self.path("home/.local/bin").join(name);
        let text = format!("STATE='{}'\n{text}", self.path("state").display());
        let python =
            format!("import os, sys\nos.execv('/bin/sh', ['sh', '-c', {text:?}, 'stub'] + sys.argv[1:])\n");
        fs::write(&path, format!("#!/usr/bin/python3\n{python}")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(super) fn policy(&self, text: &str) {
        let dir = self.path("home").join(".config/recourse");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("policy.toml"), text).unwrap();
    }

    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let path = format!("{}:{}", self.path("home/.local/bin").display(), std::env::var("PATH").unwrap());
        command.current_dir(self.path("work")).env("HOME", self.path("home")).env("PATH", path);
        for name in
            ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "PGHOST", "KUBECONFIG", "DOCKER_HOST"]
        {
            command.env_remove(name);
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null());
        command
    }

    fn recourse(&self, words: &[&str]) -> Output {
        self.command(Path::new(env!("CARGO_BIN_EXE_recourse"))).args(words).output().unwrap()
    }

    /// Runs a command behind the guard.
    fn exec(&self, text: &str) -> (i32, String) {
        let done = self.recourse(&["exec", "--profile", "agent", "-c", text]);
        (done.status.code().unwrap(), String::from_utf8_lossy(&done.stderr).into_owned())
    }

    pub(super) fn kept(&self, text: &str) {
        let (code, said) = self.exec(text);
        assert_eq!(code, 0, "{text}: {said}");
        assert!(said.contains("kept "), "{text}: {said}");
    }

    pub(super) fn refused(&self, text: &str) {
        let (code, said) = self.exec(text);
        assert_ne!(code, 0, "{text}: {said}");
        assert!(!said.contains("recourse: kept "), "{text}: {said}");
    }

    pub(super) fn undo(&self, words: &[&str]) -> String {
        let done = self.recourse(&[&["undo", "--yes"], words].concat());
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(0), "{said}");
        said
    }
}

/// Whether programs that a test needs are there.
fn are_there(names: &[&str]) -> bool {
    let missing = names.iter().find(|name| {
        !Command::new("sh")
            .args(["-c", &format!("command -v {name}")])
            .stdout(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    });
    if let Some(name) = missing {
        crate::support::skipped(&format!("{name} is not installed"));
    }
    missing.is_none()
}

/// Ends a server with its test.
pub(super) struct Server(pub(super) Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = nix::sys::signal::kill(
            nix::unistd::Pid::from_raw(i32::try_from(self.0.id()).unwrap()),
            nix::sys::signal::Signal::SIGINT,
        );
        let _ = self.0.wait();
    }
}

/// Waits until a command succeeds.
pub(super) fn ready(mut command: impl FnMut() -> Command) {
    for _ in 0..200 {
        let tried = command().stdout(Stdio::null()).stderr(Stdio::null()).status();
        if tried.is_ok_and(|status| status.success()) {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("the server does not answer");
}

/// A crontab of its own for the test, in a file: the real program has one for the whole user.
const CRONTAB: &str = r#"
case "$1" in
-l) [ -f "$STATE/tab" ] || { echo "no crontab for me" >&2; exit 1; }; cat "$STATE/tab" ;;
-r) rm "$STATE/tab" ;;
-) cat >"$STATE/tab" ;;
*) cp "$1" "$STATE/tab" ;;
esac
"#;

#[test]
fn a_crontab_comes_back() {
    if !are_there(&["/usr/bin/python3"]) {
        return;
    }
    let place = Place::new();
    place.stub("crontab", CRONTAB);
    let tab = place.path("state/tab");
    fs::write(&tab, "5 4 * * * backup\n").unwrap();
    place.kept("crontab -r");
    assert!(!tab.exists());
    place.undo(&[]);
    assert_eq!(fs::read_to_string(&tab).unwrap(), "5 4 * * * backup\n");
    place.undo(&["--redo"]);
    assert!(!tab.exists(), "an undo is undone");
    place.undo(&["--redo"]);
    // In a pipe, onto another one, and where there was none.
    place.kept("echo '1 1 * * * other' | crontab -");
    assert_eq!(fs::read_to_string(&tab).unwrap(), "1 1 * * * other\n");
    place.undo(&[]);
    assert_eq!(fs::read_to_string(&tab).unwrap(), "5 4 * * * backup\n");
    fs::remove_file(&tab).unwrap();
    place.kept("echo '1 1 * * * new' | crontab -");
    place.undo(&[]);
    assert!(!tab.exists(), "where there was none, there is none again");
}

#[test]
fn what_cannot_be_fetched_leaves_the_verdict_as_it_was() {
    if !are_there(&["/usr/bin/python3"]) {
        return;
    }
    let place = Place::new();
    let tab = place.path("state/tab");
    fs::write(&tab, "x\n").unwrap();
    for text in [
        "[ \"$1\" = -l ] && { echo 'you are not allowed' >&2; exit 1; }\nrm \"$STATE/tab\"",
        "[ \"$1\" = -l ] && sleep 60\nrm \"$STATE/tab\"",
    ] {
        place.stub("crontab", text);
        place.refused("crontab -r");
        assert!(tab.exists(), "{text}");
    }
    // Somebody else's, or spoken to in another way than can be told.
    place.stub("crontab", CRONTAB);
    for text in ["sudo crontab -r", "su bob -c 'crontab -r'", "crontab -r -u \"$WHO\"", "ssh box crontab -r"]
    {
        let (_, said) = place.exec(text);
        assert!(!said.contains("recourse: kept "), "{text}: {said}");
        assert!(tab.exists(), "{text}");
    }
}

#[test]
fn a_service_that_is_not_put_back_is_said() {
    if !are_there(&["/usr/bin/python3"]) {
        return;
    }
    let place = Place::new();
    place.stub("crontab", CRONTAB);
    let tab = place.path("state/tab");
    fs::write(&tab, "x\n").unwrap();
    place.kept("crontab -r");
    place.stub(
        "crontab",
        "[ \"$1\" = -l ] && { echo 'no crontab for me' >&2; exit 1; }\necho 'bad minute' >&2\nexit 1",
    );
    let done = place.recourse(&["undo", "--yes"]);
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("bad minute"), "{said}");
    place.stub("crontab", CRONTAB);
    place.undo(&[]);
    assert_eq!(fs::read_to_string(&tab).unwrap(), "x\n");
    // As files beside, too.
    place.kept("crontab -r");
    let to = place.path("beside");
    place.undo(&["--to", to.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(to.join("services/crontab-of-this-user")).unwrap(), "x\n");
    assert!(!tab.exists());
}

#[test]
fn keys_of_redis_come_back() {
    if !are_there(&["redis-server", "redis-cli"]) {
        return;
    }
    let place = Place::new();
    let short = tempfile::tempdir().unwrap();
    let socket = short.path().join("r.sock");
    let mut server = place.command(Path::new("redis-server"));
    server.args(["--port", "0", "--save", "", "--unixsocket"]).arg(&socket).stdout(Stdio::null());
    let _server = Server(server.spawn().unwrap());
    let cli = |words: &[&str]| {
        let mut command = place.command(Path::new("redis-cli"));
        command.arg("-s").arg(&socket).args(words);
        command
    };
    ready(|| cli(&["-e", "PING"]));
    let said = |words: &[&str]| String::from_utf8(cli(words).output().unwrap().stdout).unwrap();
    if said(&["-e", "PEXPIRETIME", "x"]).trim() != "-2" {
        crate::support::skipped("this redis is older than version 7");
        return;
    }
    said(&["RPUSH", "list", "1", "two words"]);
    said(&["SET", "text", "a\nb", "EX", "5000"]);
    let before = said(&["PEXPIRETIME", "text"]);
    let call = format!("redis-cli -s {}", socket.display());
    place.kept(&format!("{call} DEL list text nothing"));
    assert_eq!(said(&["EXISTS", "list", "text"]), "0\n");
    place.undo(&[]);
    assert_eq!(said(&["LRANGE", "list", "0", "-1"]), "1\ntwo words\n");
    assert_eq!(said(&["GET", "text"]), "a\nb\n");
    assert_eq!(said(&["PEXPIRETIME", "text"]), before);
    assert_eq!(said(&["EXISTS", "nothing"]), "0\n");
    place.kept(&format!("{call} SET text other"));
    place.undo(&[]);
    assert_eq!(said(&["GET", "text"]), "a\nb\n");
    // What is more than some keys, or elsewhere.
    for text in ["FLUSHALL", "HDEL list a", "DEL -x"] {
        place.refused(&format!("{call} {text}"));
    }
    place.refused("redis-cli -h db.example.org DEL list");
    assert_eq!(said(&["EXISTS", "list", "text"]), "2\n");
}

/// An agent may have put a program into a home; ours is what its name says.
const OURS: &str = "[[rule]]\nname = \"ours\"\ntype = \"unknown\"\nverdict = \"allow\"\n";

/// A cluster that is a folder.
const KUBECTL: &str = r#"
echo "$*" >>"$STATE/calls"
space=
for word; do
    case "$word" in
    --namespace=*) space=${word#*=} ;;
    --context=*|--request-timeout=*|-o|json|--|-f|-|--ignore-not-found) ;;
    config) [ "$2" = current-context ] && echo one; exit 0 ;;
    get|delete|create|replace) verb=$word ;;
    -n) next=1 ;;
    *) if [ "$next" ]; then space=$word; next=; else thing=$thing.$word; fi ;;
    esac
done
file="$STATE/${space:-default}$thing"
case "$verb" in
get) [ -f "$file" ] || { echo 'Error from server (NotFound): not found' >&2; exit 1; }; cat "$file" ;;
delete) rm -f "$file" ;;
create) grep -v resourceVersion >"$STATE/made" || exit 1 ;;
replace) grep -v resourceVersion >"$STATE/replaced" || exit 1 ;;
esac
"#;

#[test]
fn objects_of_a_cluster_are_kept_when_the_policy_says_so() {
    if !are_there(&["/usr/bin/python3"]) {
        return;
    }
    let place = Place::new();
    place.policy(OURS);
    place.stub("kubectl", KUBECTL);
    let file = place.path("state/shop.deploy.web");
    let text = r#"{"kind":"Deployment","metadata":{"name":"web","resourceVersion":"7"},"spec":{"n":2},"status":{"x":1}}"#;
    fs::write(&file, text).unwrap();
    let call = "kubectl -n shop delete deploy web";
    let (_, said) = place.exec(call);
    assert!(
        !said.contains("recourse: kept ") && file.exists(),
        "another machine is not asked unasked: {said}"
    );
    assert!(!place.path("state/calls").exists(), "not even to look");
    place.policy(&format!("[keep]\nremote = true\n{OURS}"));
    place.kept(call);
    assert!(!file.exists());
    place.undo(&[]);
    let made = fs::read_to_string(place.path("state/made")).unwrap();
    assert_eq!(made.trim(), r#"{"kind":"Deployment","metadata":{"name":"web"},"spec":{"n":2}}"#);
    // Where something stands there by now, that is replaced.
    fs::write(&file, text.replace('2', "3")).unwrap();
    place.kept(call);
    fs::write(&file, text.replace('2', "4")).unwrap();
    place.undo(&[]);
    assert!(fs::read_to_string(place.path("state/replaced")).unwrap().contains("\"n\":3"));
    for text in [
        "kubectl delete deploy --all",
        "kubectl delete -f x.yaml",
        "kubectl delete namespace shop",
        "kubectl delete deploy a b",
    ] {
        let (_, said) = place.exec(text);
        assert!(!said.contains("recourse: kept "), "{text}: {said}");
    }
}

/// Volumes that are folders.
const DOCKER: &str = r#"
case "$1 $2" in
"context show") echo default ;;
"volume inspect") [ -d "$STATE/$6" ] || exit 1; case "$4" in *Mount*) echo "$STATE/$6" ;; *) echo "local 0" ;; esac ;;
"volume rm") rm -r "$STATE/$3" ;;
"volume create") mkdir "$STATE/$4" ;;
esac
"#;

#[test]
fn volumes_that_can_be_read_come_back() {
    if !are_there(&["/usr/bin/python3", "tar"]) {
        return;
    }
    let place = Place::new();
    place.policy(OURS);
    place.stub("docker", DOCKER);
    let file = place.path("state/data/db/rows");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "rows").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    place.kept("docker volume rm data");
    assert!(!file.exists());
    place.undo(&[]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "rows");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    place.refused("docker volume rm other");
    place.refused("docker -H ssh://box volume rm data");
    place.refused("DOCKER_HOST=ssh://box docker volume rm data");
}
