//! Keeping and undo where the disk is full, cannot be written to, or is another one: nothing is lost, and it is said.
//!
//! Small file systems are mounted in a namespace of the test's own; where that is not allowed, the tests say so.

use std::fs;
use std::path::Path;
use std::process::Command;

/// What every script begins with: `$R` is the program, `$HOME` a home of its own.
const START: &str = r#"
set -eu
fail() { echo "failed: $*"; exit 1; }
agent() { "$R" exec --profile agent -c "$1"; }
mkdir -p "$HOME/.config/recourse" "$HOME/.local/share/recourse" "$HOME/work"
"#;

/// Runs a script with mounts of its own; it must end well.
fn mounted(script: &str) {
    let allowed = Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: no file system may be mounted here");
        return;
    }
    let homes = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/homes");
    fs::create_dir_all(&homes).unwrap();
    let home = tempfile::tempdir_in(homes).unwrap();
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", &format!("{START}{script}")])
        .env_clear()
        .envs([("PATH", "/usr/local/bin:/usr/bin:/bin"), ("R", env!("CARGO_BIN_EXE_recourse"))])
        .env("HOME", home.path())
        .current_dir(home.path())
        .output()
        .unwrap();
    let told = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(output.status.success(), "{}", told.concat());
}

#[test]
fn on_a_full_disk_nothing_runs_that_cannot_be_kept() {
    mounted(
        r#"
mount -t tmpfs -o size=4m,mode=0700 none "$HOME"
cd "$HOME" && mkdir -p .config/recourse work && cd work
printf '[keep]\nfree = 0\n' > ../.config/recourse/policy.toml
head -c 3000000 /dev/urandom > big && cp big /dev/shm/recourse-big-$$ && was=/dev/shm/recourse-big-$$
trap 'rm -f $was' EXIT
# The copy does not fit.
if agent 'truncate -s 1 big' 2> ../said; then fail "it ran: $(cat ../said)"; fi
cmp -s big "$was" || fail "big is not as it was"
[ -z "$(find ../.local/share/recourse/kept -type f -size +100k)" ] || fail "half a copy is left"
# A name needs no room.
agent 'rm big' || fail "a name could not be kept"
head -c 1500000 /dev/zero > ../filler 2> /dev/null || true
head -c 1500000 /dev/zero >> ../filler 2> /dev/null || true
# Whatever comes of it, it is said, and the file is not lost.
"$R" undo --yes > /dev/null 2>&1 || true
rm ../filler
[ -e big ] || "$R" undo --yes || fail "undo"
cmp -s big "$was" || fail "big did not come back"
"#,
    );
}

#[test]
fn what_lies_on_another_file_system_comes_back() {
    mounted(
        r#"
mount -t tmpfs -o size=16m none "$HOME/work"
cd "$HOME/work" && mkdir -p tree/sub/empty
echo one > tree/one && head -c 200000 /dev/urandom > tree/sub/large && ln tree/one tree/sub/too && ln -s one tree/link
cp -a tree "$HOME/was"
agent 'rm -r tree' || fail "it was not let through"
[ ! -e tree ] || fail "it is still there"
"$R" undo --yes || fail "undo"
diff -r --no-dereference tree "$HOME/was" || fail "it is not as it was"
[ "$(stat -c %i tree/one)" = "$(stat -c %i tree/sub/too)" ] || fail "two names of one file are two files"
agent 'truncate -s 0 tree/sub/large' || fail "it was not let through"
"$R" undo --yes || fail "undo"
cmp tree/sub/large "$HOME/was/sub/large" || fail "the content is not as it was"
"#,
    );
}

#[test]
fn where_nothing_can_be_written_nothing_is_changed() {
    mounted(
        r#"
mount -t tmpfs -o size=16m none "$HOME/work"
cd "$HOME/work" && echo one > one && echo two > two
agent 'rm one' || fail "it was not let through"
mount -o remount,ro "$HOME/work"
if "$R" undo --yes 2> "$HOME/said"; then fail "undo says that it is back"; fi
grep -q 'one' "$HOME/said" || fail "it is not said: $(cat "$HOME/said")"
mount -o remount,rw "$HOME/work"
"$R" undo --yes || fail "undo"
[ "$(cat one)" = one ] || fail "it is not as it was"
# A store that cannot be written to keeps nothing, so nothing runs.
mount --bind "$HOME/.local/share/recourse" "$HOME/.local/share/recourse"
mount -o remount,bind,ro "$HOME/.local/share/recourse"
if agent 'rm two' 2> "$HOME/said"; then fail "it ran"; fi
[ "$(cat two)" = two ] || fail "two is gone"
"#,
    );
}

#[test]
fn the_doctor_names_where_keeping_copies() {
    mounted(
        r#"
kept() { "$R" doctor --format json | tr -d '\n'; }
cd "$HOME/work"
case "$(kept)" in *"keeping copies"*) fail "beside the store nothing is copied: $(kept)" ;; esac
mkdir "$HOME/bound" && mount --bind "$HOME/work" "$HOME/bound" && cd "$HOME/bound"
case "$(kept)" in *"here keeping copies (another mount of the store's file system)"*) ;; *) fail "bound: $(kept)" ;; esac
# A file system of its own has room for its own store.
mkdir "$HOME/other" && mount -t tmpfs none "$HOME/other" && cd "$HOME/other"
case "$(kept)" in *"keeping copies"*) fail "other: $(kept)" ;; esac
mkdir "$HOME/low" "$HOME/other/up" "$HOME/other/made" "$HOME/merged"
mount -t overlay -o "lowerdir=$HOME/low,upperdir=$HOME/other/up,workdir=$HOME/other/made" none "$HOME/merged" || exit 0
cd "$HOME/merged"
case "$(kept)" in *"here keeping copies (overlay"*) ;; *) fail "overlay: $(kept)" ;; esac
"#,
    );
}
