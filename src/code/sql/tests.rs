use proptest::prelude::*;

use super::*;
use crate::code::effect::CodeEffect;
use crate::model::Value;

/// Each statement as `verb object`, marks behind: `?` condition, `~` rolled back, `+` fresh, `=x` copied, `@db`.
fn show(dialect: &str, text: &str) -> String {
    let mut shown = Vec::new();
    for statement in sql(dialect, text) {
        let mut line = format!("{:?}", statement.verb).to_lowercase();
        if let Some(object) = &statement.object {
            line.push(' ');
            line.push_str(object);
        }
        match &statement.escape {
            Some(CodeEffect::Overwrite { path }) => line.push_str(&format!(" >{}", path.display())),
            Some(CodeEffect::Append { path }) => line.push_str(&format!(" >>{}", path.display())),
            Some(CodeEffect::Shell { text: Value::Known(text) }) => line.push_str(&format!(" !{text}")),
            Some(other) => line.push_str(&format!(" {other:?}")),
            None => {}
        }
        if let Some(condition) = &statement.condition {
            line.push_str(&format!(" ?{condition}"));
        }
        if statement.rolled_back {
            line.push('~');
        }
        if statement.fresh {
            line.push('+');
        }
        if let Some(copy) = &statement.copied_to {
            line.push_str(&format!("={copy}"));
        }
        if let Some(database) = &statement.database {
            line.push_str(&format!("@{database}"));
        }
        shown.push(line);
    }
    shown.join("; ")
}

fn check(dialect: &str, table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(&show(dialect, text), expected, "{dialect}: {text}");
    }
}

#[test]
fn statements_inside_and_behind_others() {
    check(
        "sql",
        &[
            ("BEGIN DROP TABLE x; END;", "drop x; control"),
            ("BEGIN DELETE FROM x; COMMIT; END;", "delete x; control; control"),
            ("DECLARE a int; BEGIN DELETE FROM x; END;", "control; delete x; control"),
            ("BEGIN TRY DROP TABLE x END TRY BEGIN CATCH END CATCH", "drop x"),
            ("IF EXISTS (SELECT 1 FROM y) BEGIN DROP TABLE x END", "drop x"),
            ("IF 1 = 1 TRUNCATE TABLE x ELSE DROP TABLE y", "truncate x; drop y"),
            ("EXECUTE IMMEDIATE $$ BEGIN DROP TABLE x; END $$", "drop x; control"),
            ("SET @a = 1 DELETE FROM x", "delete x"),
            ("SELECT 1 DROP TABLE x", "read; drop x"),
            ("INSERT INTO a VALUES (1) DELETE FROM b", "create a; delete b"),
            ("BEGIN TRANSACTION", "control"),
            ("SET NOCOUNT ON", "control"),
            ("SELECT a FROM b", "read"),
        ],
    );
    check("sqlite", &[("BEGIN IMMEDIATE; DELETE FROM a; ROLLBACK", "control; delete a~; control")]);
    check("postgres", &[("BEGIN ISOLATION LEVEL SERIALIZABLE; DELETE FROM a", "control; delete a")]);
}

#[test]
fn what_earlier_statements_decide() {
    for (text, later) in [
        ("DELETE FROM a WHERE x = 1; DELETE FROM b WHERE x = 1", false),
        ("UPDATE a SET x = 1; DELETE FROM a WHERE x = 1", true),
        ("INSERT INTO v VALUES (1); DELETE FROM a WHERE x IN (SELECT x FROM v)", true),
        ("ALTER TABLE a RENAME TO b; DROP TABLE b", true),
        ("ATTACH 'o.db' AS o; DELETE FROM a", true),
    ] {
        assert_eq!(sql("sqlite", text).last().map(|statement| statement.later), Some(later), "{text}");
    }
}

#[test]
fn sqlite() {
    check(
        "sqlite",
        &[
            ("SELECT * FROM users", "read"),
            ("DELETE FROM users", "delete users"),
            ("delete from users where id = 3;", "delete users ?id = 3"),
            ("DELETE FROM users WHERE 1=1", "delete users"),
            ("DELETE FROM users WHERE 0", "read users"),
            ("SELECT 'DROP TABLE x'; -- DROP TABLE y\n/* DELETE FROM z */", "read"),
            ("SELECT 1; DELETE FROM orders", "read; delete orders"),
            ("DROP TABLE IF EXISTS \"my table\"", "drop my table"),
            ("DROP VIEW v; DROP INDEX i", "dropdefinition v; dropdefinition i"),
            ("ALTER TABLE users DROP COLUMN email", "drop users"),
            ("ALTER TABLE users DROP email", "drop users"),
            ("ALTER TABLE users ADD COLUMN age INT", "alter users"),
            ("ALTER TABLE users RENAME TO people", "alter users"),
            ("UPDATE users SET name=name", "read users"),
            ("UPDATE users SET name='zed' WHERE id=1", "update users ?id=1"),
            ("INSERT INTO t VALUES (1)", "create t"),
            ("INSERT OR REPLACE INTO t VALUES (1)", "update t"),
            ("REPLACE INTO t VALUES (1)", "update t"),
            ("INSERT INTO t VALUES (1) ON CONFLICT(a) DO UPDATE SET b=1", "update t"),
            ("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", "create t"),
            ("WITH x AS (SELECT 1) DELETE FROM users WHERE id IN x", "delete users ?id IN x"),
            ("WITH x AS (SELECT 1) SELECT * FROM x", "read"),
            ("EXPLAIN DELETE FROM users", "read"),
            ("EXPLAIN QUERY PLAN DELETE FROM users", "read"),
            ("BEGIN; DELETE FROM users; ROLLBACK", "control; delete users~; control"),
            ("BEGIN; DROP TABLE users; COMMIT", "control; drop users; control"),
            (
                "SAVEPOINT s; DELETE FROM orders; ROLLBACK TO s; RELEASE s",
                "control; delete orders~; control; control",
            ),
            (
                "ATTACH 'app.db' AS a; DELETE FROM a.users; DELETE FROM main.t",
                "control; delete users@app.db; delete t",
            ),
            (
                "CREATE TEMP TABLE tt AS SELECT * FROM users; DELETE FROM tt; DROP TABLE tt",
                "control tt; control tt; control tt",
            ),
            ("CREATE TABLE x(a); DELETE FROM x", "create x+; delete x+"),
            ("CREATE TABLE IF NOT EXISTS x(a); DELETE FROM x", "create x; delete x"),
            ("CREATE TABLE o AS SELECT * FROM users; DELETE FROM users", "create o+; delete users=o"),
            ("CREATE TABLE o AS SELECT * FROM users WHERE a; DELETE FROM users", "create o+; delete users"),
            (
                "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; UPDATE c SET d=CASE WHEN 1 THEN 2 END; END; SELECT 1",
                "create t; read",
            ),
            (
                "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; SELECT 1; END; INSERT INTO a VALUES (1)",
                "create t; create a; delete b",
            ),
            ("PRAGMA user_version = 5", "alter"),
            ("PRAGMA table_info(users)", "control"),
            ("VACUUM", "control"),
            ("VACUUM INTO 'copy.db'", "escape >>copy.db"),
            ("SELECT writefile('x', 'y')", "escape >x"),
            (".output notes.md\nSELECT 1;", "escape >notes.md; read"),
            (".once '|sh'", "escape !sh"),
            (".output", "read"),
            (".output stdout", "control"),
            (".sys rm -rf x", "escape !rm -rf x"),
            (".shell ls", "escape !ls"),
            (".backup main saved.db", "escape >saved.db"),
            (".testcase one", "escape >testcase-out.txt"),
            ("CREATE TABLE t AS SELECT writefile('x', 'y')", "create t+; escape >x"),
            (".restore backup.db", "drop"),
            (".read wipe.sql", "unknown wipe.sql"),
            (".tables", "read"),
            (".schema users", "read"),
            (".dump", "read"),
            (".import a.csv t", "create t"),
            (".open other.db\nDROP TABLE t", "control@other.db; drop t@other.db"),
            (".quit\nDROP TABLE t", ""),
            ("GIBBERISH", "unknown"),
        ],
    );
}

#[test]
fn postgres() {
    check(
        "postgres",
        &[
            ("EXPLAIN ANALYZE DELETE FROM users", "delete users"),
            ("EXPLAIN (ANALYZE, BUFFERS) UPDATE t SET a=1", "update t"),
            ("EXPLAIN (ANALYZE false) DELETE FROM users", "read"),
            ("EXPLAIN DELETE FROM users", "read"),
            ("ANALYZE users", "read"),
            ("WITH gone AS (DELETE FROM a RETURNING *) SELECT * FROM gone", "delete a"),
            ("WITH m AS MATERIALIZED (UPDATE a SET b=1) INSERT INTO c SELECT * FROM m", "update a; create c"),
            ("TRUNCATE TABLE ONLY a, b CASCADE", "truncate a; truncate b"),
            ("DROP TABLE a, s.b CASCADE", "drop a; drop s.b"),
            ("DROP DATABASE prod", "drop prod"),
            ("DROP OWNED BY joe", "drop joe"),
            ("DROP TYPE mood", "dropdefinition mood"),
            ("DROP TYPE mood CASCADE", "drop mood"),
            ("DROP USER joe", "revoke joe"),
            ("SELECT pg_terminate_backend(pid) FROM pg_stat_activity", "unknown pg_terminate_backend"),
            ("SELECT count(*) FROM deleted_users", "read"),
            ("SELECT * INTO copy FROM users; DELETE FROM users", "create copy+; delete users=copy"),
            ("INSERT INTO audit(msg) VALUES ('drop table users')", "create audit"),
            ("COPY users TO STDOUT", "read users"),
            ("COPY users TO '/tmp/x.csv' CSV", "escape >/tmp/x.csv"),
            ("COPY users TO PROGRAM 'rm -rf x'", "escape !rm -rf x"),
            ("COPY users FROM PROGRAM 'cat x'", "escape !cat x; create users"),
            ("COPY users FROM STDIN;\n1\tdrop\n\\.\nSELECT 1;", "create users; read"),
            ("DO $$ BEGIN DELETE FROM a; IF true THEN DROP TABLE b; END IF; END $$", "delete a; drop b"),
            ("DO $x$ BEGIN EXECUTE 'DROP TABLE ' || t; END $x$", "unknown"),
            (
                "CREATE FUNCTION f() RETURNS int AS $$ DELETE FROM a; $$ LANGUAGE sql; SELECT 1",
                "create f; read",
            ),
            ("/* a /* b */ DROP TABLE x */ SELECT 1", "read"),
            ("BEGIN; DROP TABLE a; DROP DATABASE b; ROLLBACK;", "control; drop a~; drop b; control"),
            ("ALTER TABLE a DROP CONSTRAINT c", "alter a"),
            ("ALTER TABLE a ALTER COLUMN b DROP NOT NULL", "alter a"),
            ("ALTER TABLE a DETACH PARTITION p", "alter a"),
            ("PREPARE p AS DELETE FROM a; EXECUTE p", "control; delete a"),
            ("CALL cleanup()", "unknown"),
            ("GRANT ALL ON a TO b", "grant"),
            ("\\dt", "read"),
            ("\\! rm -rf x", "escape !rm -rf x"),
            ("\\o out.txt\nSELECT 1", "escape >out.txt; read"),
            ("SELECT 1 \\g out.txt", "read; escape >out.txt"),
            (
                "SELECT 'drop table x' \\gexec",
                "read; escape Unknown { reason: \"runs the rows of a query as statements\" }",
            ),
            ("\\copy users to 'u.csv' csv", "escape >u.csv"),
            ("\\copy (select 1) to program 'cat'", "escape !cat"),
            ("\\copy users from u.csv", "create users"),
            ("\\i x.sql", "unknown x.sql"),
            ("\\set x `rm y`", "escape !rm y"),
            ("\\c prod\nDROP TABLE x", "control@prod; drop x@prod"),
            ("\\q\nDROP TABLE x", ""),
            ("MERGE INTO a USING b ON c WHEN MATCHED THEN DELETE", "delete a"),
        ],
    );
}

#[test]
fn mysql() {
    check(
        "mysql",
        &[
            ("START TRANSACTION; DROP TABLE users; ROLLBACK;", "control; drop users; control"),
            ("START TRANSACTION; DELETE FROM users; ROLLBACK;", "control; delete users~; control"),
            (
                "START TRANSACTION; DELETE FROM a; DROP TABLE b; ROLLBACK;",
                "control; delete a; drop b; control",
            ),
            ("/*!40000 DROP TABLE x */;", "drop x"),
            ("# DROP TABLE x\nSELECT 1", "read"),
            ("SELECT \"a;DROP TABLE x\\\"\"; SELECT 2", "read; read"),
            ("SELECT 5--1; DROP TABLE x", "read; drop x"),
            ("drop schema prod", "drop prod"),
            ("INSERT INTO a VALUES (1) ON DUPLICATE KEY UPDATE b=2", "update a"),
            ("INSERT IGNORE INTO a VALUES (1)", "create a"),
            ("DROP TEMPORARY TABLE x", "control"),
            ("SELECT 1 INTO OUTFILE '/tmp/x'", "escape >>/tmp/x"),
            (
                "DELIMITER //\nCREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW BEGIN DELETE FROM b; END//\nDELIMITER ;\nDELETE FROM c;",
                "control; create t; control; delete c",
            ),
            ("system rm x", "escape !rm x"),
            ("\\! rm x", "escape !rm x"),
            ("SELECT 1\\G", "read"),
            ("use shop; drop table a", "control@shop; drop a@shop"),
            ("source x.sql", "unknown x.sql"),
            ("PREPARE s FROM 'DROP TABLE x'; EXECUTE s;", "control; drop x"),
            ("LOAD DATA INFILE 'x' REPLACE INTO TABLE t", "update t"),
            ("SHOW DATABASES", "read"),
            ("FLUSH PRIVILEGES", "control"),
        ],
    );
    check(
        "generic",
        &[("DELETE FROM users\nGO\nSELECT 1", "delete users; read"), ("DROP TABLE [a b]", "drop a b")],
    );
}

#[test]
fn hostile_text_ends() {
    for text in [
        "[",
        "$",
        "/*",
        "(",
        "COPY (",
        "EXPLAIN ANALYZE ",
        "WITH x AS (DELETE ",
        "EXECUTE IMMEDIATE '",
        "'",
        ".",
        "\\",
    ] {
        for dialect in ["sqlite", "postgres", "mysql", "other"] {
            let _ = sql(dialect, &text.repeat(20_000));
        }
    }
}

proptest! {
    #[test]
    fn never_panics(text in "\\PC{0,60}") {
        for dialect in ["sqlite", "postgres", "mysql", "other"] {
            let _ = sql(dialect, &text);
        }
    }

    #[test]
    fn never_panics_on_pieces(pieces in prop::collection::vec(prop::sample::select(vec![
        "SELECT", "DELETE", "FROM", "WITH", "x", "AS", "(", ")", "'", "\"", "$$", "--", "/*", "*/", ";", "\n", ".output", "\\o",
        "COPY", "TO", "PROGRAM", "EXPLAIN", "ANALYZE", "UPDATE", "SET", "=", "WHERE", "1", "DO", "BEGIN", "END", "CREATE",
        "TRIGGER", "TABLE", "é", "\\", "!", "/*!", "delimiter", "PREPARE", "EXECUTE", ".", ",", "*", "ROLLBACK", "\\copy",
    ]), 0..14)) {
        for dialect in ["sqlite", "postgres", "mysql", "other"] {
            let _ = sql(dialect, &pieces.join(" "));
            let _ = sql(dialect, &pieces.concat());
        }
    }
}
