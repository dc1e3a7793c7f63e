//! Which shells have a hook.

/// Interactive shells with a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellKind {
    /// bash
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
}

impl ShellKind {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
        }
    }
}
