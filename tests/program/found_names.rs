//! Names that programs find which heed what git ignores: some of those that git lists, and no others.

use crate::evasions::{all_stopped, none_stopped};

#[test]
fn what_they_find_may_be_nowhere_else() {
    all_stopped(&[
        "rg -l x | xargs rm -f",
        "rg --files | xargs rm -f",
        "rg --files -0 scratch | xargs -0 rm -f",
        "rg --no-ignore -l x | xargs rm -f",
        "RIPGREP_CONFIG_PATH=options rg -l x | xargs sed -i d",
        "export RIPGREP_CONFIG_PATH=options; rg -l x src | xargs sed -i d",
        "fd . | xargs rm -rf",
        "fd -e md | xargs truncate -s 0",
        "fd -I -e py | xargs truncate -s 0",
        "rg --files .private src | xargs rm -f",
        "echo '!build' > .ignore; rg -l x | xargs rm -f",
        "echo more >> README.md; git grep -l x | xargs git checkout --",
        "git grep -l x HEAD~1 | xargs rm -f",
        "git grep --untracked -l x | xargs rm -f",
        "ssh host 'rg -l x | xargs rm -f'",
        "fd -e md -x truncate -s 0 {}",
        "fd -e md -X rm",
        "fd -I -e py -x sed -i s/x/y/ {}",
        "fd -e py -x sed -i s/x/y/ {.}.txt",
        "git ls-files -m -o | xargs rm -f",
        "git ls-files -mo --exclude-standard | xargs rm -f",
        "git status --porcelain | cut -c4- | xargs rm -rf",
        "git status --porcelain --ignored | cut -c4- | xargs rm -rf",
        "git rm --cached -q notes.md; git diff --name-only HEAD | xargs rm -f",
        "git diff --name-only \"$REV\" | xargs sed -i s/x/y/",
        "git log --name-only --format= | xargs rm -f",
        "git log -1 --name-only | xargs rm -f",
        "git log -1 --name-only --format=%s | xargs rm -f",
        "f=$(git ls-files -o | head -1); rm -f \"$f\"",
        "GIT_DIR=other/.git git diff --name-only HEAD~1 | xargs sed -i s/x/y/",
    ]);
}

#[test]
fn what_git_has_anyhow_may_be_found_and_changed() {
    none_stopped(&[
        "git grep -l x | xargs sed -i s/x/y/",
        "git grep -lz x -- src | xargs -0 sed -i s/x/y/",
        "git grep -l -e x -- '*.py' | xargs perl -pi -e s/x/y/",
        "sed -i s/x/y/ $(git grep -l x)",
        "for f in $(git grep -il x); do sed -i s/x/y/ \"$f\"; done",
        "git diff --name-only | xargs sed -i s/x/y/",
        "git diff --name-only --cached -z | xargs -0 -r sed -i s/x/y/",
        "rg -l x src | xargs -r sed -i s/x/y/",
        "rg -l0 x scripts src | xargs -0 sed -i s/x/y/",
        "fd -e py . src | xargs sed -i s/x/y/",
        "fd -tf -e py . src -0 | xargs -0 perl -pi -e s/x/y/",
        "fd -e py . src -x sed -i s/x/y/ {}",
        "fd -e py . src -X sed -i s/x/y/",
        "git ls-files -m src | xargs -r sed -i s/x/y/",
        "git diff --name-only HEAD -- | xargs -r ls",
    ]);
}
