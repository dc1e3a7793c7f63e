//! Any bytes as a Terraform plan's JSON, up to the verdict: `cargo +nightly fuzz run plan`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::policy::Policy;
use recourse::terraform;
use recourse::world::MemoryWorld;

thread_local! {
    static RULES: (MemoryWorld, Knowledge, Policy) =
        (MemoryWorld::new(), Knowledge::builtin(), Policy::default());
}

fuzz_target!(|data: &[u8]| {
    let Ok(plan) = terraform::read(data) else { return };
    let context = EvaluationContext { cwd: "/home/me".into(), ..EvaluationContext::default() };
    RULES.with(|(world, knowledge, policy)| {
        let judged = evaluate(Input::terraform(plan), &context, world, knowledge, policy);
        assert!(!judged.internal_error, "a stage panicked");
        serde_json::to_string(&judged.report).expect("a report is JSON");
    });
});
