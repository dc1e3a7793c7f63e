//! Tables of a real PostgreSQL server, kept before a command takes them and put back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::undo_services::{Place, Server, ready};

/// Debian's programs of the server stand beside each other, in a folder for each version.
fn postgres() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    found.retain(|bin| bin.join("initdb").exists());
    found.sort();
    if found.is_empty() {
        crate::support::skipped("postgresql is not installed");
    }
    found.pop()
}

/// A server of the test's own, without a network, and without what makes it slow.
fn postgres_server(place: &mut Place) -> Option<Server> {
    let bin = postgres()?;
    // It does not run as root: then as somebody who has nothing.
    let root = nix::unistd::geteuid().is_root();
    // The name of a socket must be short.
    let short = tempfile::tempdir().unwrap().keep();
    let run = |name: &str| {
        let mut command = Command::new(bin.join(name));
        command.current_dir("/").env("LC_ALL", "C").stdout(Stdio::null()).stderr(Stdio::null());
        if root {
            std::os::unix::process::CommandExt::gid(&mut command, 65534);
            std::os::unix::process::CommandExt::uid(&mut command, 65534);
        }
        command
    };
    if root {
        std::os::unix::fs::chown(&short, Some(65534), Some(65534)).unwrap();
    }
    let data = short.join("data");
    let made = run("initdb").args(["-A", "trust", "-U", "me", "-N", "-D"]).arg(&data).status().unwrap();
    assert!(made.success());
    let mut server = run("postgres");
    server.arg("-D").arg(&data).arg("-k").arg(&short).args(["-c", "listen_addresses=", "-F"]);
    let server = Server(server.spawn().unwrap());
    place.env.push(("PGHOST".to_owned(), short.to_str().unwrap().to_owned()));
    place.env.push(("PGUSER".to_owned(), "me".to_owned()));
    place.env.push(("PGDATABASE".to_owned(), "postgres".to_owned()));
    ready(|| {
        let mut command = place.command(Path::new("psql"));
        command.args(["-c", "SELECT 1"]);
        command
    });
    Some(server)
}

impl Place {
    fn sql(&self, text: &str) -> String {
        let done = self
            .command(Path::new("psql"))
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text])
            .output()
            .unwrap();
        assert!(done.status.success(), "{text}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }
}

const TABLES: &str = "
CREATE TABLE users (id serial PRIMARY KEY, name text NOT NULL CHECK (name <> ''), at timestamptz DEFAULT now());
CREATE INDEX ON users (name);
INSERT INTO users (name) VALUES ('ada'), (E'new\\nline'), ('tab	'), ('x;y''z');
CREATE TABLE orders (id int PRIMARY KEY, parent int);
CREATE TABLE lines (id int REFERENCES orders ON DELETE CASCADE);
INSERT INTO orders VALUES (1), (2);
INSERT INTO lines VALUES (1), (2);
CREATE SCHEMA other;
CREATE TABLE other.users (id int);
INSERT INTO other.users VALUES (7);
CREATE TABLE \"Users\" (id int);
INSERT INTO \"Users\" VALUES (9);
";
const USERS: &str = "SELECT * FROM users ORDER BY id";
const SHAPE: &str = "SELECT indexdef FROM pg_indexes WHERE tablename = 'users' ORDER BY 1";

#[test]
fn tables_of_postgres_come_back() {
    let mut place = Place::new();
    let Some(_server) = postgres_server(&mut place) else { return };
    place.sql(TABLES);
    let (users, shape) = (place.sql(USERS), place.sql(SHAPE));
    for text in [
        "psql -c 'DROP TABLE users'",
        "psql -c 'DELETE FROM users'",
        "psql -c \"delete from public.users where name like 'a%';\"",
        "psql -q -c \"UPDATE users SET name = 'gone'\" && echo done",
        "psql -d postgres -c 'TRUNCATE users RESTART IDENTITY'",
        "psql -c 'BEGIN; DELETE FROM users; COMMIT'",
    ] {
        place.kept(text);
        if !text.contains("DROP") {
            assert_ne!(place.sql(USERS), users, "{text}");
        }
        place.undo(&[]);
        assert_eq!(place.sql(USERS), users, "{text}");
        assert_eq!(place.sql(SHAPE), shape, "{text}");
    }
    assert_eq!(place.sql("INSERT INTO users (name) VALUES ('next') RETURNING id"), "5\n", "its sequence too");
    // An undo is undone: what was written meanwhile is back, and what was there before, in turn.
    place.kept("psql -c 'DROP TABLE users'");
    place.sql("CREATE TABLE users (other int); INSERT INTO users VALUES (3)");
    place.undo(&[]);
    assert!(place.sql(USERS).starts_with(&users), "what stood in its place is replaced");
    place.undo(&["--redo"]);
    assert_eq!(place.sql("SELECT other FROM users"), "3\n");
}

#[test]
fn tables_whose_loss_reaches_further_are_not_kept() {
    let mut place = Place::new();
    let Some(_server) = postgres_server(&mut place) else { return };
    place.sql(TABLES);
    place.sql(
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM lines; RETURN OLD; END';
         CREATE TABLE fires (id int); CREATE TRIGGER t BEFORE DELETE ON fires FOR EACH ROW EXECUTE FUNCTION f();
         CREATE TABLE parts (id int) PARTITION BY RANGE (id)",
    );
    for text in [
        "psql -c 'DELETE FROM orders'",
        "psql -c 'DELETE FROM fires'",
        "psql -c 'DROP TABLE parts'",
        "psql -c 'DROP TABLE users CASCADE'",
        "psql -c 'SET search_path = other; DROP TABLE users'",
        "psql -c 'DROP TABLE \"Users\"'",
        "psql -c 'DROP TABLE nothing_there'",
        "psql -c '\\c template1' -c 'DROP TABLE users'",
        "PGDATABASE=template1 psql -c 'DROP TABLE users'",
        "export PGOPTIONS='-c search_path=other'; psql -c 'DROP TABLE users'",
        "psql 'host=db dbname=postgres' -c 'DROP TABLE users'",
        "psql -h db.example.org -c 'DROP TABLE users'",
        "psql -d template1 -c 'DROP TABLE users'",
    ] {
        place.refused(text);
    }
    assert_eq!(place.sql("SELECT count(*) FROM lines"), "2\n");
}

#[test]
fn a_look_at_a_real_postgres_tells_an_empty_table_from_a_full_one() {
    let mut place = Place::new();
    let Some(_server) = postgres_server(&mut place) else { return };
    place.sql("CREATE TABLE full_one (id int); INSERT INTO full_one VALUES (1); CREATE TABLE empty_one (id int)");
    let exec = |options: &[&str], table: &str| {
        let drop = format!("DROP TABLE {table}");
        let mut command = place.command(Path::new(crate::support::program()));
        command.arg("exec").args(options).args(["--", "psql", "-c", &drop]).stdin(Stdio::null());
        command.output().unwrap()
    };
    place.policy("[keep]\nwhen = \"never\"\n");
    for (table, options, runs) in [
        ("empty_one", &[][..], false),
        ("full_one", &["--look"][..], false),
        ("empty_one", &["--look"][..], true),
    ] {
        let done = exec(options, table);
        assert_eq!(done.status.success(), runs, "{table}: {}", String::from_utf8_lossy(&done.stderr));
    }
    assert_eq!(place.sql("SELECT count(*) FROM full_one"), "1\n");
}
