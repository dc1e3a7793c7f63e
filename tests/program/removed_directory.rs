//! Where the working directory was removed: what needs none is not asked about, and what leads out of it is judged where it leads.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Command;

#[test]
fn a_line_is_judged_where_the_directory_stood_whatever_the_environment_says() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let home = home.path().canonicalize().unwrap();
    fs::write(home.join("notes.md"), "nowhere else\n").unwrap();
    let judged = |line: &str, pwd: &str| {
        let text =
            format!("mkdir d; cd d; rmdir ../d; {pwd} \"$0\" evaluate shell --fail-on never -- '{line}'");
        let mut run = Command::new("sh");
        run.args(["-c", &text, env!("CARGO_BIN_EXE_recourse")]).current_dir(&home);
        let out = run.env("HOME", &home).env_remove("XDG_CONFIG_HOME").output().unwrap();
        String::from_utf8([out.stdout, out.stderr].concat()).unwrap()
    };
    assert!(judged("ls", "").contains("allow"));
    for pwd in ["", "PWD=/nonexistent/z"] {
        let said = judged("rm ../notes.md", pwd);
        assert!(said.contains("blocked") && said.contains("exists nowhere else"), "{pwd}: {said}");
    }
}
