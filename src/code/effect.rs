//! What code does.

use crate::model::Value;

/// One thing that code does, in order of appearance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeEffect {
    /// Deletes a file, or a tree.
    Delete {
        /// Path relative to the process's directory. Shell-style wildcards are kept in `glob`.
        path: Value,
        /// The path is a wildcard pattern; `**/` stands for any number of directories.
        glob: bool,
        /// A tree.
        recursive: bool,
    },
    /// Removes a directory, which has to be empty by then.
    RemoveDirectory {
        /// Path.
        path: Value,
    },
    /// Opens a file for writing, its content gone.
    Overwrite {
        /// Path.
        path: Value,
    },
    /// What a file that was written over just now holds from here on; `None` where that is not known.
    Holds {
        /// Path.
        path: Value,
        /// Its text.
        text: Option<String>,
    },
    /// Changes a file in place (`r+`, `sed -i` style edits).
    Update {
        /// Path.
        path: Value,
    },
    /// Writes at a file's end or makes a new one.
    Append {
        /// Path.
        path: Value,
    },
    /// Gives a file another mode or owner.
    Rights {
        /// Path.
        path: Value,
        /// With everything below.
        recursive: bool,
        /// Whoever runs it then has its owner's rights.
        as_owner: bool,
    },
    /// Renames or moves; an existing target is overwritten.
    Rename {
        /// From.
        from: Value,
        /// To.
        to: Value,
    },
    /// Copies; an existing target is overwritten.
    Copy {
        /// From.
        from: Value,
        /// To.
        to: Value,
    },
    /// Unpacks an archive over what is in a directory.
    Unpack {
        /// The archive.
        archive: Value,
        /// The directory.
        into: Value,
    },
    /// Runs shell text (`os.system`, backticks).
    Shell {
        /// The text.
        text: Value,
    },
    /// Runs a program with these words (`subprocess.run([...])`, `execvp`).
    Run {
        /// The words.
        argv: Vec<Value>,
    },
    /// Runs SQL on a database (`sqlite3.connect(p).execute(s)`).
    Sql {
        /// Dialect.
        dialect: &'static str,
        /// Database file or connection.
        database: Value,
        /// Text.
        text: Value,
    },
    /// The same for every file that a wildcard pattern matches: where the pattern's text stands in the effect, the
    /// file's name is meant.
    Each {
        /// The pattern.
        pattern: Value,
        /// The effect on one of them.
        effect: Box<CodeEffect>,
    },
    /// Changes the directory for what follows.
    ChangeDirectory {
        /// To.
        path: Value,
    },
    /// Sets a variable of the environment for what is run behind it.
    SetVariable {
        /// Its name.
        name: Value,
        /// What it is then.
        value: Value,
    },
    /// It calls functions of libraries that nobody knows, or has functions that would change something and that they may call.
    Waits {
        /// Texts that they were given: what stands at places of these names may change.
        handed: Vec<String>,
    },
    /// Code that could do harm and is not understood; says what.
    Unknown {
        /// What.
        reason: String,
    },
}

impl CodeEffect {
    /// The same effect with other values.
    pub fn map(self, change: &dyn Fn(Value) -> Value) -> Self {
        match self {
            Self::Delete { path, glob, recursive } => Self::Delete { path: change(path), glob, recursive },
            Self::RemoveDirectory { path } => Self::RemoveDirectory { path: change(path) },
            Self::Overwrite { path } => Self::Overwrite { path: change(path) },
            Self::Holds { path, text } => Self::Holds { path: change(path), text },
            Self::Update { path } => Self::Update { path: change(path) },
            Self::Append { path } => Self::Append { path: change(path) },
            Self::Rights { path, recursive, as_owner } => {
                Self::Rights { path: change(path), recursive, as_owner }
            }
            Self::Rename { from, to } => Self::Rename { from: change(from), to: change(to) },
            Self::Copy { from, to } => Self::Copy { from: change(from), to: change(to) },
            Self::Unpack { archive, into } => Self::Unpack { archive: change(archive), into: change(into) },
            Self::Shell { text } => Self::Shell { text: change(text) },
            Self::Run { argv } => Self::Run { argv: argv.into_iter().map(change).collect() },
            Self::Each { pattern, effect } => Self::Each { pattern, effect: Box::new(effect.map(change)) },
            other @ (Self::Sql { .. }
            | Self::ChangeDirectory { .. }
            | Self::SetVariable { .. }
            | Self::Waits { .. }
            | Self::Unknown { .. }) => other,
        }
    }
}

/// What is known of any name that a wildcard pattern matches: what stands before its first wildcard and behind its last.
pub fn matched(pattern: &Value) -> Value {
    let special = |c: char| matches!(c, '*' | '?' | '[' | ']' | '{' | '}');
    if let Some(choices) = pattern.choices() {
        let names = choices.iter().map(|text| match (text.find(special), text.rfind(special)) {
            (Some(first), Some(last)) => Value::Affix {
                prefix: text.get(..first).unwrap_or_default().to_owned(),
                suffix: text.get(last + 1..).unwrap_or_default().to_owned(),
            },
            _ => Value::known(text.as_str()),
        });
        let joined = names.reduce(|all, next| all.join(&next)).unwrap_or(Value::Unknown);
        return match joined {
            Value::Affix { prefix, suffix } if prefix.is_empty() && suffix.is_empty() => Value::Unknown,
            other => other,
        };
    }
    let (prefix, suffix) = (pattern.prefix(), pattern.suffix());
    let prefix = prefix.find(special).map_or(prefix.as_str(), |at| prefix.get(..at).unwrap_or_default());
    let suffix = suffix.rfind(special).map_or(suffix.as_str(), |at| suffix.get(at + 1..).unwrap_or_default());
    if prefix.is_empty() && suffix.is_empty() {
        return Value::Unknown;
    }
    Value::Affix { prefix: prefix.to_owned(), suffix: suffix.to_owned() }
}

/// What a SQL statement does, by its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlVerb {
    /// Only reads.
    Read,
    /// Makes something new (CREATE without OR REPLACE, INSERT).
    Create,
    /// `UPDATE`, `MERGE`, `REPLACE INTO`, `ON CONFLICT DO UPDATE`: rows change.
    Update,
    /// `DELETE`.
    Delete,
    /// `TRUNCATE`.
    Truncate,
    /// `DROP` of something that holds data (table, database, schema, column, materialised view that cannot be rebuilt …).
    Drop,
    /// `DROP` of something that can be made again from its definition (index, view, function …).
    DropDefinition,
    /// `ALTER` and other changes of definition that keep data.
    Alter,
    /// `GRANT`, `REVOKE`, roles and passwords.
    Rights,
    /// Rights are given; `object_kind` is `full control` where nothing is kept back.
    Grant,
    /// Rights or an account are taken away.
    Revoke,
    /// Transaction control, session settings.
    Control,
    /// Runs a program or writes a file on the server or client (`COPY … TO PROGRAM`, `.shell`, `\!`, `.output f`).
    Escape,
    /// Not understood.
    Unknown,
}

/// One statement of SQL text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlStatement {
    /// What it does.
    pub verb: SqlVerb,
    /// The object it does it to (table, database, schema).
    pub object: Option<String>,
    /// What kind of object (`table`, `database`, `schema`, `column`, `index` …); `script` for SQL that is read from a file.
    pub object_kind: &'static str,
    /// Database (file for sqlite) that the statement works on, when the text itself switched to another one than the
    /// connection's (`ATTACH`, `.open`, `\c`, `USE`).
    pub database: Option<String>,
    /// The object was made earlier in this text: nothing of before is lost, provided that it did not exist before.
    pub fresh: bool,
    /// What earlier statements of this text did may decide what it reaches.
    pub later: bool,
    /// Table into which the whole object was copied earlier in this text.
    pub copied_to: Option<String>,
    /// The text after WHERE, when there is one.
    pub condition: Option<String>,
    /// For [`SqlVerb::Escape`]: shell text that runs, or a file that is overwritten.
    pub escape: Option<CodeEffect>,
    /// A transaction around it is rolled back at the end (and the dialect can roll this statement back).
    pub rolled_back: bool,
    /// Its text.
    pub text: String,
}

/// What fires a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SqlEvent {
    /// A row is put in.
    Insert,
    /// A row changes.
    Update,
    /// A row goes.
    Delete,
}

/// A trigger as its definition says.
#[derive(Clone, Debug)]
pub struct SqlTrigger {
    /// The table or view, in lower case.
    pub table: String,
    /// What fires it.
    pub event: SqlEvent,
    /// What it does then, but for what only reads.
    pub statements: Vec<SqlStatement>,
}
