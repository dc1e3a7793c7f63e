//! Tests of the built program and of the library beside it, in one binary: each further one would link everything again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)] // A test may fail loudly.

mod advice;
mod agents;
mod agents_keep;
mod approvals;
mod attest_keys;
mod bundles;
mod by_hand;
mod ci_files;
mod cli_and_terraform;
mod cli_completions;
mod cli_init_here;
mod cli_init_mcp;
mod cli_input;
mod cli_knowledge;
mod cli_mcp_call;
mod cli_report;
mod elsewhere;
mod empty;
mod evasions;
mod example_verifier;
mod exec_ask;
mod exec_attestation;
mod exec_bound;
mod exec_clock;
mod exec_demands;
mod exec_materials;
mod exec_names;
mod exec_run;
mod exec_terraform;
mod fail_open;
mod fleet;
mod found_names;
mod git_commands;
mod git_hardening;
mod golden;
mod grants;
mod guarding;
mod knowledge;
mod known_names;
mod known_signs;
mod known_text;
mod library_calls;
mod looks;
mod looks_kubernetes;
mod looks_taken;
mod manifests;
mod mcp_serve;
mod mcp_server;
mod oracle;
mod other_names;
mod own_processes;
#[cfg(unix)]
mod places;
mod project_code;
mod prompt;
mod really;
mod record;
mod removed_directory;
mod review;
mod scan;
mod secrets;
mod serve;
mod serve_callers;
mod serve_told;
mod set_up;
mod settings_of_a_person;
mod shell_hooks;
mod shims;
#[path = "../support/mod.rs"]
mod support;
mod syntax_corpus;
mod syntax_properties;
mod system;
mod tasks;
mod terraform_changes;
mod terraform_gains;
mod terraform_given;
mod terraform_later;
mod terraform_relations;
mod terraform_types;
mod tidy;
mod tool_examples;
mod transparency;
mod trust;
mod undo_agents;
#[cfg(target_os = "linux")]
mod undo_aside;
#[cfg(target_os = "linux")]
mod undo_beside;
mod undo_brought;
mod undo_cli;
mod undo_code;
#[cfg(target_os = "linux")]
mod undo_ease;
mod undo_files;
mod undo_git;
#[cfg(target_os = "linux")]
mod undo_places;
mod undo_pushed;
mod undo_running;
mod undo_services;
mod undo_silent;
mod undo_sqlite;
mod undo_went_on;
#[cfg(target_os = "linux")]
mod undo_whatever;
mod verbs;
mod verify;
mod writing_options;
