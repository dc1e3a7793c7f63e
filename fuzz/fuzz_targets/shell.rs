//! Any bytes as shell text, from the tree to the verdict, on a machine in memory: `cargo +nightly fuzz run shell`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::policy::Policy;
use recourse::shell;
use recourse::world::MemoryWorld;

thread_local! {
    static WORLD: (MemoryWorld, Knowledge, Policy) = (
        MemoryWorld::new()
            .file("/home/me/p/notes.md", "words")
            .file("/home/me/p/run.sh", "rm -rf \"$1\"\n")
            .file("/home/me/p/Makefile", "D ?= build\nall: a.o\n%.o: %.c\n\tcc -c $<\nclean:\n\t-rm -rf $(D)\n")
            .file("/home/me/p/package.json", "{\"scripts\":{\"build\":\"tsc\",\"clean\":\"rm -rf dist\"}}")
            .file("/home/me/p/src/a.c", "int x;")
            .file("/home/me/p/.env", "A=1")
            .link("/home/me/p/link", "src")
            .dir("/tmp/work"),
        Knowledge::builtin(),
        Policy::default(),
    );
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let context = EvaluationContext { cwd: "/home/me/p".into(), ..EvaluationContext::default() };
    WORLD.with(|(world, knowledge, policy)| {
        let input = Input::Shell(shell::Input::Text(text.into_owned()));
        let judged = evaluate(input, &context, world, knowledge, policy);
        assert!(!judged.internal_error, "a stage panicked");
        serde_json::to_string(&judged.report).expect("a report is JSON");
    });
});
