//! A list of names costs what their directory costs: counted in looks, not in time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;

use super::*;
use crate::world::{Entry, LookError, MemoryWorld, Meta, Query, Seen};

/// A machine that counts how often each directory is read, or its real place looked up.
struct Counting {
    world: MemoryWorld,
    reads: RefCell<BTreeMap<PathBuf, usize>>,
    places: RefCell<BTreeMap<PathBuf, usize>>,
}

impl Counting {
    fn read(&self, path: &Path) {
        *self.reads.borrow_mut().entry(path.to_owned()).or_default() += 1;
    }
}

impl World for Counting {
    fn read_dir(&self, path: &Path, limit: usize) -> Result<Vec<Entry>, LookError> {
        self.read(path);
        self.world.read_dir(path, limit)
    }
    fn scan(&self, path: &Path, limit: usize) -> Result<Vec<Seen>, LookError> {
        self.read(path);
        self.world.scan(path, limit)
    }
    fn canonicalize(&self, path: &Path) -> Result<PathBuf, LookError> {
        *self.places.borrow_mut().entry(path.to_owned()).or_default() += 1;
        self.world.canonicalize(path)
    }
    fn lstat(&self, path: &Path) -> Result<Meta, LookError> {
        self.world.lstat(path)
    }
    fn stat(&self, path: &Path) -> Result<Meta, LookError> {
        self.world.stat(path)
    }
    fn read_link(&self, path: &Path) -> Result<PathBuf, LookError> {
        self.world.read_link(path)
    }
    fn read_file(&self, path: &Path, limit: u64) -> Result<Vec<u8>, LookError> {
        self.world.read_file(path, limit)
    }
    fn writable(&self, path: &Path) -> bool {
        self.world.writable(path)
    }
    fn env(&self, name: &str) -> Option<String> {
        World::env(&self.world, name)
    }
    fn env_names(&self) -> Vec<String> {
        World::env_names(&self.world)
    }
    fn home(&self, user: Option<&str>) -> Option<PathBuf> {
        World::home(&self.world, user)
    }
    fn user(&self) -> String {
        World::user(&self.world)
    }
    fn uid(&self) -> u32 {
        World::uid(&self.world)
    }
    fn mounts(&self) -> Vec<PathBuf> {
        World::mounts(&self.world)
    }
    fn now(&self) -> SystemTime {
        World::now(&self.world)
    }
    fn elapsed(&self) -> Duration {
        self.world.elapsed()
    }
    fn ask(&self, query: &Query, timeout: Duration) -> Result<Vec<u8>, LookError> {
        self.world.ask(query, timeout)
    }
}

/// Reads of directories below `/w/d`, the most for one of them, and the most look-ups of one place.
fn looks(world: MemoryWorld, text: &str) -> (usize, usize, usize) {
    let world = Counting { world, reads: RefCell::default(), places: RefCell::default() };
    let context = EvaluationContext { cwd: "/w".into(), ..EvaluationContext::default() };
    let input = Input::Shell(shell::Input::Text(text.to_owned()));
    evaluate(input, &context, &world, &Knowledge::builtin(), &Policy::default());
    let reads = world.reads.borrow();
    let below = || reads.iter().filter(|(path, _)| path.starts_with("/w/d")).map(|(_, count)| *count);
    // What is not there is not remembered.
    let there = world.places.borrow();
    let there = there.iter().filter(|(path, _)| world.world.lstat(path).is_ok());
    let places = there.map(|(_, count)| *count).max().unwrap_or(0);
    (below().sum(), below().max().unwrap_or(0), places)
}

/// Directories in `/w/d` with a file each, and as many files beside them.
fn machine(names: usize) -> MemoryWorld {
    let mut world = MemoryWorld::new().dir("/w/d");
    for name in 0..names {
        world = world.file(&format!("/w/d/t{name}/in"), "x").file(&format!("/w/d/f{name}"), "yy");
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn names_in_a_directory_cost_no_more_reads_than_the_directory(names in 2_usize..60) {
        let (whole, ..) = looks(machine(names), "rm -r d");
        let trees: Vec<String> = (0..names).map(|name| format!("d/t{name}")).collect();
        let (reads, most, places) = looks(machine(names), &format!("rm -r {}", trees.join(" ")));
        prop_assert!(reads <= whole && most <= 1, "{reads} of {whole}, {most} times");
        prop_assert!(places <= 1, "{places} look-ups of one place");
        let files: Vec<String> = (0..names).map(|name| format!("d/f{name}")).collect();
        let (reads, _, places) = looks(machine(names), &format!("rm {}", files.join(" ")));
        prop_assert!(reads <= 1 && places <= 1, "{reads} reads, {places} look-ups of one place");
    }
}
