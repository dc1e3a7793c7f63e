//! SQL as a tool runs it: statements become mutations of rows, tables and databases.

use crate::code::{CodeEffect, SqlStatement, SqlVerb};
use crate::knowledge::{Match, Nested};
use crate::model::{Action, Cause, FactValue, Mutation, Subject, Value};
use crate::shell::{Invocation, Stdin};

use super::draft::{Change, Draft};
use super::scene::{Scene, Word, fact, flag};
use super::write;

/// How deep scripts may read scripts.
const MAX_DEPTH: usize = 4;

/// All SQL of an invocation: `sql:…` and `sqlfile:…` words in order, then standard input.
pub(super) fn of_invocation(scene: &Scene<'_>, invocation: &Invocation) -> Vec<Draft> {
    let matched = &invocation.matched;
    let mut drafts = Vec::new();
    for nested in in_one_connection(matched.nested()) {
        for (value, index) in nested.values.iter().zip(&nested.indices) {
            // The declaration reads no more of a word than its beginning and its end.
            let word = invocation.args.get(index + 1).map(|arg| &arg.value);
            let value = word
                .filter(|word| word.woven().is_some() && (*word).clone().plain() == *value)
                .unwrap_or(value);
            if let Some(dialect) = nested.role.strip_prefix("sql:") {
                drafts.extend(text(scene, dialect, &database(matched, dialect), value));
            } else if let Some(dialect) = nested.role.strip_prefix("sqlfile:") {
                drafts.extend(file(scene, dialect, &database(matched, dialect), value, 0));
            }
        }
    }
    if let Some(dialect) = matched.stdin_role().and_then(|role| role.strip_prefix("sql:")) {
        let database = database(matched, dialect);
        match &invocation.stdin {
            Stdin::Inherited | Stdin::Empty => {}
            Stdin::Text(value) => drafts.extend(text(scene, dialect, &database, value)),
            Stdin::File(path) => drafts.extend(file(scene, dialect, &database, path, 0)),
            Stdin::Unknown => {
                drafts.push(opaque(scene, "SQL comes from a program whose output is not known"))
            }
        }
    }
    for mutation in drafts.iter_mut().filter_map(|draft| draft.mutation.as_mut()) {
        connected(matched, mutation);
    }
    drafts
}

/// Texts for one database that stand in several words run one after the other in one connection: what one attaches or makes
/// is there for the next.
fn in_one_connection(all: Vec<Nested>) -> Vec<Nested> {
    let mut joined: Vec<Nested> = Vec::new();
    for nested in all {
        let before = joined.last_mut().filter(|before| before.role == nested.role);
        match (before.map(|before| before.values.as_mut_slice()), nested.values.as_slice()) {
            (Some([Value::Known(text)]), [Value::Known(more)]) if nested.role == "sql:sqlite" => {
                text.push_str("\n;\n");
                text.push_str(more);
            }
            _ => joined.push(nested),
        }
    }
    joined
}

/// To which server, and as whom. What was given and cannot be told is an empty text.
fn connected(matched: &Match, mutation: &mut Mutation) {
    for option in &matched.options {
        let key = match option.role.as_deref() {
            Some("host" | "connection") => "sql.host",
            Some("port") => "sql.port",
            Some("user") => "sql.user",
            Some("socket") => "sql.socket",
            _ => continue,
        };
        let told = option
            .value
            .as_ref()
            .and_then(Value::as_known)
            .filter(|_| option.role.as_deref() != Some("connection"));
        fact(mutation, key, FactValue::Text(told.unwrap_or_default().to_owned()), "the command says so");
    }
}

/// The database that the tool is told to use.
fn database(matched: &Match, _dialect: &str) -> Value {
    let is_database = |name: &str| {
        matches!(name.trim_start_matches('-'), "database" | "dbname" | "db" | "database-file" | "filename")
    };
    let option = matched
        .options
        .iter()
        .rev()
        .find(|o| o.role.as_deref().is_some_and(is_database) || is_database(&o.key));
    let operand = matched.operands.iter().find(|b| is_database(&b.name) || is_database(&b.role));
    operand
        .map(|b| b.value.clone())
        .or_else(|| option.and_then(|o| o.value.clone()))
        .unwrap_or_else(|| Value::known(""))
}

/// A file of SQL.
fn file(scene: &Scene<'_>, dialect: &str, database: &Value, path: &Value, depth: usize) -> Vec<Draft> {
    match scene.only_path(path).and_then(|path| scene.text(&path)) {
        Some(content) if depth < MAX_DEPTH => {
            within(scene, dialect, database, &Value::known(content.as_str()), depth + 1)
        }
        _ => vec![opaque(scene, &format!("the SQL in {} could not be read", path.display()))],
    }
}

fn opaque(scene: &Scene<'_>, reason: &str) -> Draft {
    Draft::of(scene.unknown(Action::Execute, Cause::Opaque(reason.to_owned()), &scene.step.raw, reason))
}

/// SQL text.
pub(crate) fn text(scene: &Scene<'_>, dialect: &str, database: &Value, text: &Value) -> Vec<Draft> {
    within(scene, dialect, database, text, 0)
}

/// SQL text that is `depth` scripts deep.
fn within(scene: &Scene<'_>, dialect: &str, database: &Value, text: &Value, depth: usize) -> Vec<Draft> {
    if let Some(text) = text.woven().and_then(crate::code::sql_with_numbers) {
        let only_adds =
            |s: &SqlStatement| matches!(s.verb, SqlVerb::Read | SqlVerb::Control | SqlVerb::Create);
        let statements = crate::code::sql(dialect, &text);
        if statements.iter().all(only_adds) {
            return statements
                .iter()
                .flat_map(|statement| self::statement(scene, dialect, database, statement, depth))
                .collect();
        }
    }
    let Some(texts) = text.choices() else {
        return vec![opaque(scene, "the SQL text is not known")];
    };
    texts
        .iter()
        .flat_map(|text| crate::code::sql(dialect, text))
        .flat_map(|statement| self::statement(scene, dialect, database, &statement, depth))
        .collect()
}

fn statement(
    scene: &Scene<'_>,
    dialect: &str,
    connection: &Value,
    statement: &SqlStatement,
    depth: usize,
) -> Vec<Draft> {
    if statement.rolled_back {
        return Vec::new();
    }
    let database =
        statement.database.as_ref().map_or_else(|| connection.clone(), |name| Value::known(name.as_str()));
    let database = if dialect == "sqlite" { super::paths::database_file(database) } else { database };
    if statement.verb == SqlVerb::Unknown
        && statement.object_kind == "script"
        && let Some(script) = &statement.object
    {
        return file(scene, dialect, &database, &Value::known(script.as_str()), depth);
    }
    let (action, kind) = match statement.verb {
        SqlVerb::Read | SqlVerb::Control => return Vec::new(),
        SqlVerb::Create => (Action::Create, "sql.definition"),
        SqlVerb::Update => (Action::Update, "sql.rows"),
        SqlVerb::Delete | SqlVerb::Truncate => (Action::Delete, "sql.rows"),
        SqlVerb::Drop => (Action::Delete, dropped(statement.object_kind)),
        SqlVerb::DropDefinition => (Action::Delete, "sql.definition"),
        SqlVerb::Alter => (Action::Update, "sql.definition"),
        SqlVerb::Rights => (Action::Update, "sql.rights"),
        SqlVerb::Grant => (Action::Grant, "sql.rights"),
        SqlVerb::Revoke => (Action::Revoke, "sql.rights"),
        SqlVerb::Escape => return escape(scene, &database, statement),
        SqlVerb::Unknown => (Action::Execute, "sql.statement"),
    };
    // A database in memory holds nothing.
    if dialect == "sqlite" && matches!(database.as_known(), Some("" | ":memory:")) {
        return Vec::new();
    }
    let mut mutation = on(scene, action, kind, dialect, &database, statement);
    if statement.verb == SqlVerb::Unknown {
        mutation.cause = Cause::Opaque("a SQL statement that is not understood".to_owned());
    }
    if statement.verb == SqlVerb::Grant && statement.object_kind == "full control" {
        flag(&mut mutation, "full", "nothing is kept back");
    }
    if statement.fresh {
        flag(&mut mutation, "fresh", "made by the same text");
    }
    if statement.later {
        flag(&mut mutation, "later", "earlier statements of the same text may decide what it reaches");
    }
    if let Some(copy) = &statement.copied_to {
        fact(&mut mutation, "copied", FactValue::Text(copy.clone()), "copied into another table before");
    }
    vec![Draft::of(mutation)]
}

/// The kind for something dropped.
fn dropped(object_kind: &str) -> &'static str {
    match object_kind {
        "database" => "sql.database",
        "schema" => "sql.schema",
        "column" => "sql.column",
        _ => "sql.table",
    }
}

fn on(
    scene: &Scene<'_>,
    action: Action,
    kind: &str,
    dialect: &str,
    database: &Value,
    statement: &SqlStatement,
) -> Mutation {
    let dialect = match dialect {
        "sqlite" => "sqlite",
        "postgres" => "postgres",
        "mysql" => "mysql",
        _ => "sql",
    };
    let database = if dialect == "sqlite" { scene.path(database) } else { database.clone() };
    let object = statement.object.clone();
    let id = object.clone().unwrap_or_else(|| database.display());
    let subject = Subject::Sql {
        dialect,
        database: database.clone(),
        object,
        statement: statement.text.clone(),
        condition: statement.condition.clone(),
    };
    let mut mutation = scene.mutation(action, kind, subject, id, None);
    fact(&mut mutation, "dialect", FactValue::Text(dialect.to_owned()), "kind of database");
    fact(&mut mutation, "object", FactValue::Text(statement.object_kind.to_owned()), "what it acts on");
    let conditional = statement.condition.is_some();
    fact(
        &mut mutation,
        "where",
        FactValue::Bool(conditional),
        if conditional { "only rows that match a condition" } else { "every row: there is no condition" },
    );
    mutation
}

/// Programs that run and files that are written by SQL. Programs are beyond what is followed here.
fn escape(scene: &Scene<'_>, database: &Value, statement: &SqlStatement) -> Vec<Draft> {
    match &statement.escape {
        Some(CodeEffect::Overwrite { path }) => {
            let word = Word::new(path.clone(), false);
            let mut draft = write::overwrite(scene, &word, None, false);
            if let Some(mutation) = &mut draft.mutation {
                flag(mutation, "sql", "written by a statement");
            }
            draft.changes.extend(whole_copy(scene, database, path, statement));
            vec![draft]
        }
        Some(CodeEffect::Append { path }) => {
            let word = Word::new(path.clone(), false);
            let mut drafts = write::append(scene, &word);
            for draft in &mut drafts {
                draft.changes.extend(whole_copy(scene, database, path, statement));
            }
            drafts
        }
        Some(_) => vec![opaque(scene, "SQL runs a program")],
        None if statement.verb == SqlVerb::Escape => {
            vec![opaque(scene, "SQL runs a program or writes a file")]
        }
        None => Vec::new(),
    }
}

/// `.backup`, `.save`, `.clone` and `VACUUM INTO` write the whole database.
fn whole_copy(scene: &Scene<'_>, database: &Value, path: &Value, statement: &SqlStatement) -> Option<Change> {
    let text = statement.text.trim_start().to_ascii_lowercase();
    if ![".backup", ".save", ".clone", "vacuum"].iter().any(|head| text.starts_with(head)) {
        return None;
    }
    Some(Change::Copied { from: scene.only_path(database)?, to: scene.only_path(path)?, packed: true })
}
