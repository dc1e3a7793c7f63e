//! What carries over from one statement to the next: transactions, attached databases, tables made on the way.

use std::collections::{BTreeMap, BTreeSet};

use crate::code::effect::{SqlStatement, SqlVerb};

use super::lexer::Dialect;

/// The state of a session, and the statements read so far.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) dialect: Dialect,
    pub(super) depth: usize,
    /// What ends a statement.
    pub(super) delimiter: String,
    /// Database that the text switched to.
    pub(super) database: Option<String>,
    /// `ATTACH`ed database files by schema name in lower case.
    pub(super) attached: BTreeMap<String, String>,
    /// Prepared statements by name in lower case.
    pub(super) prepared: BTreeMap<String, Vec<SqlStatement>>,
    pub(super) statements: Vec<SqlStatement>,
    /// What triggers that were made here do, by the table whose next change fires them.
    pub(super) triggers: Vec<(String, SqlStatement)>,
    /// Objects that were changed.
    changed: BTreeSet<String>,
    /// Names may mean something else by now.
    renamed: bool,
    temporary: BTreeSet<String>,
    fresh: BTreeSet<String>,
    copies: BTreeMap<String, String>,
    /// Index of the first statement of the open transaction.
    open: Option<usize>,
    savepoints: Vec<(String, usize)>,
}

impl Session {
    /// A new session.
    pub(super) fn new(dialect: Dialect, depth: usize) -> Self {
        Self {
            dialect,
            depth,
            delimiter: ";".to_owned(),
            database: None,
            attached: BTreeMap::new(),
            prepared: BTreeMap::new(),
            statements: Vec::new(),
            triggers: Vec::new(),
            changed: BTreeSet::new(),
            renamed: false,
            temporary: BTreeSet::new(),
            fresh: BTreeSet::new(),
            copies: BTreeMap::new(),
            open: None,
            savepoints: Vec::new(),
        }
    }

    /// Records statements in order.
    pub(super) fn take(&mut self, found: Vec<SqlStatement>) {
        for mut statement in found {
            self.place(&mut statement);
            // Data definition commits in MySQL, whatever was open before.
            if self.dialect == Dialect::Mysql && self.open.is_some() && commits_in_mysql(&statement) {
                self.open = None;
                self.savepoints.clear();
            }
            let changes = matches!(statement.verb, SqlVerb::Create | SqlVerb::Update | SqlVerb::Delete)
                && !starts_with(&statement.text, "CREATE");
            let table = statement.object.as_deref().map(key).filter(|_| changes);
            self.statements.push(statement);
            let (fired, kept) = std::mem::take(&mut self.triggers)
                .into_iter()
                .partition::<Vec<_>, _>(|(on, _)| table.as_ref() == Some(on));
            self.triggers = kept;
            for (_, mut fired) in fired {
                self.place(&mut fired);
                fired.later = true;
                self.statements.push(fired);
            }
        }
    }

    /// Finds the database that the object is in, and what the text did to it before.
    fn place(&mut self, statement: &mut SqlStatement) {
        if statement.database.is_none() {
            statement.database.clone_from(&self.database);
        }
        let changes = !matches!(statement.verb, SqlVerb::Read | SqlVerb::Control);
        let selects =
            statement.condition.as_deref().is_some_and(|text| text.to_lowercase().contains("select"));
        statement.later = self.renamed
            || !self.attached.is_empty()
            || (selects && !self.changed.is_empty())
            || statement.object.as_deref().is_some_and(|object| self.changed.contains(&key(object)));
        if changes {
            self.changed.insert(statement.object.as_deref().map(key).unwrap_or_default());
            self.renamed |= matches!(statement.verb, SqlVerb::Alter | SqlVerb::Unknown);
        }
        let Some(object) = statement.object.clone() else { return };
        if self.dialect == Dialect::Sqlite
            && let Some((schema, name)) = object.split_once('.')
        {
            let schema = schema.to_lowercase();
            if let Some(file) = self.attached.get(&schema) {
                statement.database = Some(file.clone());
                statement.object = Some(name.to_owned());
            } else if schema == "main" {
                statement.object = Some(name.to_owned());
            } else if schema == "temp" {
                statement.object = Some(name.to_owned());
                statement.verb = SqlVerb::Control;
            }
        }
        let key = key(&object);
        if self.temporary.contains(&key) {
            statement.verb = SqlVerb::Control;
        }
        statement.fresh = self.fresh.contains(&key);
        statement.copied_to = self.copies.get(&key).cloned();
        // A copy that is itself changed is no copy any more.
        if !matches!(statement.verb, SqlVerb::Read | SqlVerb::Create | SqlVerb::Control) {
            self.copies.retain(|_, copy| super::session::key(copy) != key);
            let of_it = |earlier: &&mut SqlStatement| {
                earlier.copied_to.as_deref().is_some_and(|copy| super::session::key(copy) == key)
            };
            self.statements.iter_mut().filter(of_it).for_each(|earlier| earlier.copied_to = None);
        }
    }

    /// A table was made here.
    pub(super) fn made(&mut self, object: &str, temporary: bool) {
        if temporary {
            self.temporary.insert(key(object));
        } else {
            self.fresh.insert(key(object));
        }
    }

    /// All rows of a table were copied into another.
    pub(super) fn copied(&mut self, from: &str, to: &str) {
        if !self.temporary.contains(&key(to)) {
            self.copies.insert(key(from), to.to_owned());
        }
    }

    /// `BEGIN`.
    pub(super) fn begin(&mut self) {
        if self.open.is_none() {
            self.open = Some(self.statements.len());
        }
    }

    /// `COMMIT`.
    pub(super) fn commit(&mut self) {
        self.open = None;
        self.savepoints.clear();
    }

    /// `ROLLBACK` of everything that is open.
    pub(super) fn roll_back(&mut self) {
        let start = self.open.take().or_else(|| self.savepoints.first().map(|(_, start)| *start));
        if let Some(start) = start {
            self.undo(start);
        }
        self.savepoints.clear();
    }

    /// `SAVEPOINT`.
    pub(super) fn savepoint(&mut self, name: &str) {
        self.savepoints.push((key(name), self.statements.len()));
    }

    /// `RELEASE`: in sqlite the outermost one commits.
    pub(super) fn release(&mut self, name: &str) {
        if let Some(at) = self.savepoints.iter().rposition(|(known, _)| *known == key(name)) {
            self.savepoints.truncate(at);
        }
    }

    /// `ROLLBACK TO`.
    pub(super) fn roll_back_to(&mut self, name: &str) {
        if let Some(at) = self.savepoints.iter().rposition(|(known, _)| *known == key(name)) {
            let start = self.savepoints[at].1;
            self.savepoints.truncate(at + 1);
            self.undo(start);
        }
    }

    fn undo(&mut self, start: usize) {
        let mysql = self.dialect == Dialect::Mysql;
        for statement in self.statements.iter_mut().skip(start) {
            let lasting = statement.escape.is_some()
                || statement.verb == SqlVerb::Unknown
                || matches!(statement.object_kind, "database" | "session" | "server" | "large file")
                || (mysql && commits_in_mysql(statement));
            statement.rolled_back |= !lasting;
        }
    }
}

fn commits_in_mysql(statement: &SqlStatement) -> bool {
    matches!(
        statement.verb,
        SqlVerb::Truncate
            | SqlVerb::Drop
            | SqlVerb::DropDefinition
            | SqlVerb::Alter
            | SqlVerb::Rights
            | SqlVerb::Grant
            | SqlVerb::Revoke
    ) || (statement.verb == SqlVerb::Create && !starts_with(&statement.text, "INSERT"))
}

fn starts_with(text: &str, word: &str) -> bool {
    text.trim_start().get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
}

/// A name as it is compared: lower case, without schema.
fn key(name: &str) -> String {
    let name = name.to_lowercase();
    name.strip_prefix("main.").or_else(|| name.strip_prefix("temp.")).unwrap_or(&name).to_owned()
}
