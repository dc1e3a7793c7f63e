//! Which files can run something, told by their names and first lines.

use super::Dialect;
use super::script::shebang;

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A shell script.
    Script(Dialect),
    /// A Dockerfile or Containerfile.
    Docker,
}

/// What the name of a file says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// It is of this format.
    Is(Format),
    /// Its first line says whether it is a script.
    Ask,
    /// It runs nothing that is read here.
    Nothing,
}

/// What the name of a file below the tree says about it.
pub(super) fn named(path: &str) -> Named {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    let (stem, ending) = lower.rsplit_once('.').unwrap_or((lower.as_str(), ""));
    let format = match ending {
        "sh" | "bash" | "ksh" | "envrc" => Some(Format::Script(Dialect::Bash)),
        "zsh" => Some(Format::Script(Dialect::Zsh)),
        "fish" => Some(Format::Script(Dialect::Fish)),
        "dockerfile" | "containerfile" => Some(Format::Docker),
        _ => None,
    };
    let image = ["dockerfile", "containerfile"].into_iter().any(|word| stem == word || lower == word);
    match format {
        Some(format) => Named::Is(format),
        None if image && !matches!(ending, "dockerignore" | "md") => Named::Is(Format::Docker),
        None if ending.is_empty() || stem.is_empty() => Named::Ask,
        None => Named::Nothing,
    }
}

/// The format of a file, by its name and its text.
pub fn format_of(path: &str, text: &str) -> Option<Format> {
    match named(path) {
        Named::Is(format) => Some(format),
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
            ("x/web.Dockerfile", "", Some(Format::Docker)),
            ("Containerfile", "", Some(Format::Docker)),
            ("Dockerfile.dockerignore", "", None),
            ("main.rs", "#!/bin/sh\n", None),
        ] {
            assert_eq!(format_of(path, text), want, "{path}");
        }
    }
}
