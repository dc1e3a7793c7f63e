//! Which files can run something, told by their names, their places and their first lines.

use super::script::shebang;
use super::{Dialect, Package, ansible};

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A shell script.
    Script(Dialect),
    /// A Dockerfile or Containerfile.
    Docker,
    /// A Compose file.
    Compose,
    /// A makefile.
    Make,
    /// A justfile.
    Just,
    /// A Taskfile.
    Task,
    /// A file with scripts of a package.
    Package(Package),
    /// A workflow or an action of GitHub's.
    Github,
    /// GitLab CI.
    Gitlab,
    /// A playbook of Ansible's, or tasks of a role.
    Ansible,
    /// A configuration of pre-commit.
    PreCommit,
}

/// What the name of a file says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// It is of this format.
    Is(Format),
    /// Its text says whether it is read, and how.
    Ask,
    /// It runs nothing that is read here.
    Nothing,
}

/// What the name of a file below the tree says about it.
pub(super) fn named(path: &str) -> Named {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    if let Some(format) = whole_name(name).or_else(|| by_ending(stem, ending, name)) {
        return Named::Is(format);
    }
    match ending {
        "yml" | "yaml" => yaml(&lower, stem),
        "" => Named::Ask,
        _ if stem.is_empty() => Named::Ask,
        _ => Named::Nothing,
    }
}

fn whole_name(name: &str) -> Option<Format> {
    Some(match name {
        "makefile" | "gnumakefile" | "bsdmakefile" => Format::Make,
        "justfile" | ".justfile" => Format::Just,
        "package.json" => Format::Package(Package::Npm),
        "composer.json" => Format::Package(Package::Composer),
        "deno.json" | "deno.jsonc" => Format::Package(Package::Deno),
        ".pre-commit-config.yaml" | ".pre-commit-config.yml" => Format::PreCommit,
        "taskfile.yml" | "taskfile.yaml" | "taskfile.dist.yml" | "taskfile.dist.yaml" => Format::Task,
        "action.yml" | "action.yaml" => Format::Github,
        ".bashrc" | ".bash_profile" | ".bash_aliases" | ".profile" | ".envrc" => {
            Format::Script(Dialect::Bash)
        }
        ".zshrc" | ".zshenv" | ".zprofile" => Format::Script(Dialect::Zsh),
        _ => return None,
    })
}

fn by_ending(stem: &str, ending: &str, name: &str) -> Option<Format> {
    let image = |text: &str| matches!(text, "dockerfile" | "containerfile");
    Some(match ending {
        "sh" | "bash" | "ksh" => Format::Script(Dialect::Bash),
        "zsh" => Format::Script(Dialect::Zsh),
        "fish" => Format::Script(Dialect::Fish),
        "mk" | "mak" => Format::Make,
        "just" => Format::Just,
        _ if image(ending) || image(name) => Format::Docker,
        "dockerignore" | "md" => return None,
        // `Dockerfile.prod`, `Dockerfile.v1.2`
        _ if image(stem.split('.').next().unwrap_or(stem)) => Format::Docker,
        _ => return None,
    })
}

/// Files of which the ending says only that they are YAML.
fn yaml(path: &str, stem: &str) -> Named {
    let compose = ["docker-compose", "compose", "podman-compose"];
    let is_compose = compose.iter().any(|name| {
        stem == *name || stem.starts_with(&format!("{name}.")) || stem.starts_with(&format!("{name}-"))
    });
    let in_folder = |folder: &str| path.starts_with(folder) || path.contains(&format!("/{folder}"));
    if in_folder(".github/workflows/") || in_folder(".gitea/workflows/") || in_folder(".forgejo/workflows/") {
        Named::Is(Format::Github)
    } else if stem.ends_with("gitlab-ci") || in_folder(".gitlab/ci/") || in_folder(".gitlab-ci/") {
        Named::Is(Format::Gitlab)
    } else if is_compose {
        Named::Is(Format::Compose)
    } else {
        Named::Ask
    }
}

/// The format of a file, by its name and its text.
pub fn format_of(path: &str, text: &str) -> Option<Format> {
    let yaml = || path.ends_with(".yml") || path.ends_with(".yaml");
    match named(path) {
        Named::Is(format) => Some(format),
        Named::Ask if yaml() => ansible::is_one(path, text).then_some(Format::Ansible),
        Named::Ask => shebang(text).map(Format::Script),
        Named::Nothing => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_a_file_is() {
        let bash = Some(Format::Script(Dialect::Bash));
        for (path, text, want) in [
            ("a/b.sh", "", bash),
            ("bin/run", "#!/bin/sh\n", bash),
            ("bin/run", "text", None),
            (".envrc", "", bash),
            ("Dockerfile", "", Some(Format::Docker)),
            ("x/Dockerfile.prod", "", Some(Format::Docker)),
            ("x/Dockerfile.v1.2", "", Some(Format::Docker)),
            ("x/web.Dockerfile", "", Some(Format::Docker)),
            ("Containerfile", "", Some(Format::Docker)),
            ("Dockerfile.dockerignore", "", None),
            ("main.rs", "#!/bin/sh\n", None),
            ("Makefile", "", Some(Format::Make)),
            ("build/common.mk", "", Some(Format::Make)),
            ("docker-compose.prod.yml", "", Some(Format::Compose)),
            ("compose.yaml", "", Some(Format::Compose)),
            (".github/workflows/ci.yml", "", Some(Format::Github)),
            ("tools/action.yml", "", Some(Format::Github)),
            (".gitlab-ci.yml", "", Some(Format::Gitlab)),
            ("ci/x.gitlab-ci.yml", "", Some(Format::Gitlab)),
            ("site.yml", "- hosts: all\n  tasks:\n  - shell: ls\n", Some(Format::Ansible)),
            ("roles/a/tasks/main.yml", "- command: ls\n", Some(Format::Ansible)),
            ("values.yaml", "a: b\n", None),
            ("package.json", "", Some(Format::Package(Package::Npm))),
            ("Justfile", "", Some(Format::Just)),
        ] {
            assert_eq!(format_of(path, text), want, "{path}");
        }
    }
}
