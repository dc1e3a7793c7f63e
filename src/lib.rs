//! `recourse` tells people and AI agents what they cannot take back before they run it, and stops what must not run.
//!
//! # Architecture
//!
//! ```text
//! bytes ──► syntax ──► shell (abstract interpretation) ──► effects ──► evidence ──► recoverability ──► policy ──► report
//!           tree of     steps: what really runs, with       mutations   what is      tier 1..5 with      verdict    JSON /
//!           commands    what is known of each word          intended    really there reasons                        human
//!                            ▲                                  ▲
//!                            └──────────── programs ────────────┘
//!                              one room per program: what it runs and prints, what it does
//! terraform plan JSON ──────────────────────────────────────►│
//! MCP tool call ────────────────────────────────────────────►│
//! ```
//!
//! All sources meet at one type, [`model::Mutation`]. From there on nobody knows where it came from, so the command
//! line, `exec` and every later front end give the same verdict for the same input, from the same function:
//! `evaluate`.
//!
//! # Who owns what
//!
//! | module | owns | may look at the machine |
//! | --- | --- | --- |
//! | [`text`] | counts and sizes in English; what may stand on a terminal, and where it breaks | no |
//! | [`wildcard`] | patterns of shells, git, policies and the knowledge: does a text match | no |
//! | [`order`] | sorting, written once for all types | no |
//! | [`cores`] | long lists, of which each core takes a part | no |
//! | [`json`](mod@json) | strict JSON for what is signed or compared; stands in the crate `recourse-attest` | no |
//! | [`yaml`] | YAML with the places of its values | no |
//! | [`model`] | plain types: tier, verdict, mutation, evidence, what is known of a value | no |
//! | [`attest`] | the attestation protocol: documents, keys, registries, verification; a crate of its own, `crates/recourse-attest`, that knows nothing of the others | its own files; HTTP, through `recourse-net` |
//! | [`syntax`] | text to tree and gaps, through tree-sitter-bash | no |
//! | [`code`] | short programs on a command line: Python, Perl, awk, sed, SQL … | no |
//! | [`world`] | the one door to the machine: files, environment, clock, a closed list of read-only programs | it is the door |
//! | [`knowledge`] | tool, kind and Terraform data, its loader, the argument grammar | no |
//! | [`shell`] | abstract interpretation: expansion, state, control flow, wrappers, scripts | through `world` |
//! | [`effects`] | a step and the knowledge become mutations; what earlier steps of the same command did to files | through [`effects::Look`]: does it exist, of what kind, where links lead |
//! | [`programs`] | what data cannot say about one program: what it runs, what it prints, what it does | through `world` |
//! | [`terraform`] | a plan's JSON becomes mutations; references, facts, guesses about unknown types | no |
//! | [`mcp_call`] | a call of another MCP server's tool becomes mutations, commands and SQL; guesses about unknown tools | through [`world::resolve::Links`]: where links lead |
//! | [`evidence`] | probes: files, git, what a tool makes again, packages, archives, sqlite, trash | through `world` |
//! | [`recoverability`] | tiers and reasons, from a kind's cases over the facts | no |
//! | [`cross_action`] | harmless alone, fatal together | no |
//! | [`policy`] | verdicts, layers, profiles | no |
//! | [`report`] | the JSON contract (`docs/report.schema.json`) and the human text | no |
//! | [`evaluate`] | the one entry, the order of the stages, and the boundary at which a fault becomes `escalate` | no |
//! | [`vet`] | whether knowledge says what it means: names, facts, examples; for our data and for users' | no |
//! | [`config`](mod@config) | `config.toml`, `RECOURSE_*`, where policy and knowledge files are | yes |
//! | [`proof`] | what of an evaluation is attested; the four modes' demands on what is about to run | files and HTTP of the attestations, mostly through `attest` |
//! | [`approvals`] | a person's yes to one exact command: the store, and whether it is a person who answers | its own files; `/proc` |
//! | [`prompt`] | the question to a person at the terminal, and the answer | the terminal |
//! | [`keep`] | recovery points: what a command would destroy is set aside first, and while it runs; the store of them | yes |
//! | [`undo`] | putting back what a recovery point holds | yes |
//! | [`exec`](mod@exec) | judge, ask at the terminal, become the command or run it watched; Terraform's plan, judge, apply | yes |
//! | `settings` | settings files of other programs as text: one entry of ours put in and taken out, the rest as it was | no |
//! | [`hook`] | what shells and coding agents hand over before they run it: judged, asked about, answered in their words | yes |
//! | [`mcp`] | the Model Context Protocol on standard input and output: agents ask before they act; in `recourse-net` alone | policy files, through `config` |
//! | [`scan`] | what runs in the files of a tree: scripts, images, build files, jobs; where it stands; in `recourse-net` alone | through `world` |
//! | [`serve`] | registry, attestations and evaluation over HTTP; in `recourse-net` alone | yes |
//! | [`cli`] | arguments, configuration files, output, exit statuses | yes |
//!
//! Each uses only what stands above it in this table. What `shell` and `effects` must know of one program they ask through
//! a door ([`shell::program`], [`effects::program`]) that also says what a program may ask of them; `programs` hands itself
//! in. So a program is taught in two places: its words in `src/knowledge/tools`, and where data does not suffice, its room in
//! `src/programs`. No name of a program stands anywhere else below the front ends; a test counts them.
//!
//! There are two programs. `recourse` is what stands at a prompt. `recourse-net` (`src/bin/recourse_net`) stands beside it and
//! alone links what speaks with networks: HTTP and TLS, object stores, servers. The first asks it for documents, or becomes it
//! to serve, and for what nobody waits for at a prompt: `log`, `mcp`, `scan`, `knowledge`, `resources`,
//! `trust`, completions. The feature `net` is what the second has and the first lacks.
//!
//! `cli` and `exec` are front ends: they parse input, call
//! [`evaluate`](mod@evaluate), act on its verdict, and hold no judgement.
//!
//! # Invariants
//!
//! * An import never points down that table; `tests/program/tidy` reads it from here and checks it.
//! * What may look at the machine with its own eyes says so in the last column; everything else is pure, or sees it through
//!   [`world::World`] alone. The same test checks this.
//! * Parsing never fails: what cannot be read is a gap, and a gap is a mutation of unknown reach.
//! * What is unknown is never permission: a panic, a timeout, a limit, an unreadable file or a bad configuration ends
//!   in `escalate` or in an error, never in `allow`.
//! * Probes only read, are bounded in time and size, and never execute anything that the target directory names.
//! * No regular expression runs over command text, and an argument vector is never parsed as shell text again.

#[cfg(feature = "cli")]
pub mod approvals;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod code;
#[cfg(feature = "cli")]
pub mod config;
#[cfg(feature = "cli")]
pub mod cores;
#[cfg(feature = "cli")]
pub mod cross_action;
#[cfg(feature = "cli")]
pub mod effects;
#[cfg(feature = "cli")]
pub mod evaluate;
#[cfg(feature = "cli")]
pub mod evidence;
#[cfg(feature = "cli")]
pub mod exec;
#[cfg(feature = "cli")]
pub mod hook;
#[cfg(feature = "cli")]
pub mod keep;
#[cfg(feature = "cli")]
pub mod knowledge;
#[cfg(feature = "cli")]
pub mod mcp;
#[cfg(feature = "cli")]
pub mod mcp_call;
pub mod model;
pub mod order;
#[cfg(feature = "cli")]
pub mod policy;
#[cfg(feature = "cli")]
pub mod programs;
#[cfg(feature = "cli")]
pub mod prompt;
#[cfg(feature = "cli")]
pub mod proof;
#[cfg(feature = "cli")]
pub mod recoverability;
#[cfg(feature = "cli")]
pub mod report;
#[cfg(feature = "cli")]
pub mod scan;
#[cfg(feature = "net")]
pub mod serve;
#[cfg(feature = "cli")]
mod settings;
#[cfg(feature = "cli")]
pub mod shell;
#[cfg(feature = "cli")]
pub mod syntax;
#[cfg(feature = "cli")]
pub mod terraform;
pub mod text;
#[cfg(feature = "cli")]
pub mod undo;
#[cfg(feature = "cli")]
pub mod vet;
#[cfg(feature = "cli")]
pub mod wildcard;
#[cfg(feature = "cli")]
pub mod world;
#[cfg(feature = "cli")]
pub mod yaml;

pub use recourse_attest as attest;
pub use recourse_attest::json;
