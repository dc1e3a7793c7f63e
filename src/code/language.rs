//! The languages that share one tokenizer, parser and interpreter.

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Node,
    Perl,
    Ruby,
    Php,
    Lua,
}

impl Language {
    /// The language of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "python" | "python3" | "python2" => Self::Python,
            "node" | "javascript" | "typescript" | "deno" | "bun" => Self::Node,
            "perl" => Self::Perl,
            "ruby" => Self::Ruby,
            "php" => Self::Php,
            "lua" => Self::Lua,
            _ => return None,
        })
    }

    /// Its name for people.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::Node => "JavaScript",
            Self::Perl => "Perl",
            Self::Ruby => "Ruby",
            Self::Php => "PHP",
            Self::Lua => "Lua",
        }
    }

    /// What names of its files end in.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Python => "py",
            Self::Node => "js",
            Self::Perl => "pl",
            Self::Ruby => "rb",
            Self::Php => "php",
            Self::Lua => "lua",
        }
    }

    /// A line break may end a statement.
    pub(super) fn lines_matter(self) -> bool {
        !matches!(self, Self::Perl | Self::Php)
    }

    /// Blocks end with the word `end`.
    pub(super) fn ends_with_end(self) -> bool {
        matches!(self, Self::Ruby | Self::Lua)
    }
}
