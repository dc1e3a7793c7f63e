//! A file by another name: through `/proc`, through what is open, and where something else is mounted. One command a line.

#![cfg(target_os = "linux")]

use crate::evasions::{all_stopped, none_stopped};

const LOSES: &[&str] = &[
    // Directories and roots of processes.
    "rm -f /proc/$$/cwd/notes.md",
    "rm -rf /proc/$BASHPID/cwd/scratch",
    "p=$$; rm -f /proc/$p/root$HOME/Documents/thesis.md",
    "cd /proc/$$/cwd && rm -rf scratch",
    "cd /proc/$$/cwd/scratch && rm -rf *",
    "(cd scratch; rm -f /proc/$$/cwd/notes.md)",
    "env -C scratch rm -f /proc/$$/cwd/notes.md",
    "cd /; rm -f /proc/self/cwd/$OLDPWD/notes.md",
    r#"rm -f "$(readlink -f /proc/$$/cwd)/notes.md""#,
    "coproc sleep 1; rm -f /proc/$COPROC_PID/cwd/notes.md",
    "sleep 9 & rm -f /proc/$!/cwd/notes.md",
    "rm -f /proc/987654321/cwd/notes.md",
    "rm -f /proc/self/task/987654321/cwd/notes.md",
    // What is open, for reading or for adding to it.
    "truncate -s0 /dev/fd/0 < notes.md",
    "tee /dev/fd/3 3<notes.md </dev/null",
    "sh -c ': > /dev/stdin' < notes.md",
    ": < notes.md > /dev/stdin",
    "dd if=/dev/null of=/dev/fd/3 3<notes.md status=none",
    "cp /dev/null /dev/fd/4 4<notes.md",
    "sort -o /dev/fd/5 README.md 5<notes.md",
    "exec 5<notes.md; cp README.md /proc/self/fd/5",
    "exec 5<notes.md; : > /dev/fd/5",
    "exec 5<notes.md; : > /proc/$$/fd/5",
    "exec 5<notes.md; truncate -s 0 /proc/$$/fd/5",
    "exec 5<notes.md; mv notes.md moved.md; : > /dev/fd/5",
    "exec 5<notes.md; cd scratch; : > /dev/fd/5",
    "exec 5>>notes.md; : > /dev/fd/5",
    "exec 3<notes.md 4<&3; : > /dev/fd/4",
    "{ read -r l; : > /dev/stdin; } < notes.md",
    "(: > /dev/stdout) >> notes.md",
    "if test -f x; then exec 5<notes.md; else exec 5<draft.txt; fi; : > /dev/fd/5",
    r#"python3 -c "open('/dev/fd/3','w')" 3<notes.md"#,
    "ln -s /proc/self/fd/9 x; exec 9<notes.md; : > x",
    "ln -s /dev/stdin x; : < notes.md > x",
    "ln -s /proc/self/cwd x; cd ~/Documents; rm -f ~/proj/x/thesis.md",
    ": > /dev/fd/9",
    "n=$(cat number); exec 5<notes.md; : > /dev/fd/$n",
    // Open directories.
    "exec 7<~/Documents/; cd /proc/self/fd/7 && rm -f thesis.md",
    "exec 7<~/Documents; find /proc/self/fd/7/ -name '*.md' -delete",
    "exec 7<scratch; rm -rf /dev/fd/7/*",
    "exec 7<scratch; cp README.md /dev/fd/7/exp1.py",
    "exec 7<scratch; rm -f /dev/fd/7/../notes.md",
    "rm -f /dev/fd/7/thesis.md 7<~/Documents/",
    "{ rm -f /dev/fd/0/thesis.md; } < ~/Documents/",
    "exec {d}<~/Documents; rm -rf /proc/$$/fd/$d/old",
    // Other directories, and what is mounted.
    "unshare -r --wd=$HOME/Documents rm -f thesis.md",
    "unshare -R ~/Documents rm -f /thesis.md",
    "parallel --workdir ~/Documents -j1 'rm -f {}' ::: thesis.md",
    "unshare -rm sh -c 'mount --bind ~/Documents build && rm -rf build/*'",
    "unshare -rm sh -c 'mount --rbind ~/Documents build; rm -rf build/old'",
    "unshare -rm bash -c 'mount -o bind scratch build; cd build && find . -delete'",
    "unshare -rm sh -c 'mount --bind scratch build && rm -rf build'",
    "unshare -rm sh -c 'mount --bind scratch build && make clean'",
    "unshare -rm sh -c 'mount --bind emptydir scratch; rm -rf scratch/*'",
    "unshare -rm sh -c 'mount --bind emptydir scratch'; rm -rf scratch/deep",
    "sudo mount --bind ~/Documents build; sudo rm -rf build/old",
    "sudo mount /dev/sdz1 emptydir && rm -rf emptydir/*",
    "sudo mount -t nfs h:/x emptydir; rm -rf emptydir/a",
    "sshfs h:/data emptydir && rm -rf emptydir/*",
    "guestmount -a vm.qcow2 -i emptydir && rm -rf emptydir/*",
    "rclone mount remote: emptydir --daemon && rm -rf emptydir/*",
    "bwrap --bind / / --bind ~/Documents /mnt rm -rf /mnt/old",
    "bwrap --dev-bind / / --bind ~/Documents /mnt sh -c 'rm -f /mnt/thesis.md'",
    "bwrap --ro-bind /usr /usr --symlink usr/bin /bin --bind ~/Documents /d rm -rf /d/old",
    "bwrap --bind / / --bind ~/Documents /tmp/q sh -c 'echo > /tmp/q/thesis.md'",
    "bwrap --bind / / --chdir ~/Documents rm -f thesis.md",
    r#"bwrap --ro-bind /usr /usr --bind ~/Documents "$HOME" rm -rf old"#,
];

const LOSES_NOTHING: &[&str] = &[
    "cat notes.md | tee /dev/stderr | wc -l",
    "tee /dev/stderr < notes.md",
    "cat /dev/stdin < notes.md",
    "cat /dev/fd/3 3<notes.md",
    "echo x > /dev/fd/2",
    "echo x >> /dev/stderr",
    "echo x > /proc/self/fd/1",
    "exec 3>&1; echo x > /dev/fd/3",
    "echo x | tee >(wc -l) > /dev/null",
    "diff <(sort notes.md) <(sort draft.txt)",
    "while read -r l; do echo \"$l\" > /dev/stderr; done < notes.md",
    "{ echo a; echo b > /dev/stderr; } > emptydir/out 2>&1",
    "exec 5>emptydir/log; echo x > /dev/fd/5",
    "cp notes.md /dev/stdout",
    "cp /dev/stdin emptydir/copy < notes.md",
    "cp /proc/$$/cwd/notes.md emptydir/copy",
    "echo x > /proc/$$/cwd/emptydir/new",
    "cd /proc/$$/cwd && ls",
    "cat /proc/$$/status; ls -l /proc/self/fd /proc/$$/fd",
    "ln -sf /dev/stdout emptydir/access.log && echo x > emptydir/access.log",
    "unshare -r --wd=emptydir touch new",
    "unshare -rm sh -c 'mount --bind emptydir build && ls build'",
    "sudo mount /dev/sdz1 emptydir && ls emptydir",
    "sudo mount -t tmpfs none emptydir && rm -rf emptydir/*",
    "bwrap --bind / / --chdir \"$PWD/emptydir\" touch new",
    "bwrap --ro-bind / / --bind \"$PWD/emptydir\" /mnt touch /mnt/new",
    "parallel --wd emptydir touch ::: a b",
];

#[test]
fn what_is_lost_by_another_name_is_stopped() {
    all_stopped(LOSES);
}

#[test]
fn streams_and_what_only_reads_by_such_names_are_not_stopped() {
    none_stopped(LOSES_NOTHING);
}
