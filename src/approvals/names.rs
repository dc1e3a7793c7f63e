//! Names by which agents, and what types by itself, are told.

/// Agents' programs.
pub(super) const AGENTS: &[&str] = &[
    "claude",
    "claude-code",
    "codex",
    "codex-cli",
    "gemini",
    "gemini-cli",
    "agy",
    "cursor-agent",
    "copilot",
    "copilot-cli",
    "cline",
    "opencode",
    "amp",
    "crush",
    "droid",
    "kiro-cli",
    "qwen",
    "qwen-code",
    "aider",
    "goose",
    "grok",
    "hermes",
    "roo",
    "continue",
    "openhands",
    "plandex",
    "auggie",
];

/// Editors in whose terminals people type, and agents too.
pub(super) const EDITORS: &[&str] = &[
    "code",
    "code-insiders",
    "code-server",
    "vscodium",
    "codium",
    "cursor",
    "cursor-server",
    "windsurf",
    "windsurf-server",
    "antigravity",
    "kiro",
    "zed",
    "zed-editor",
];

/// Programs that run a script which then is what counts.
pub(super) const INTERPRETERS: &[&str] = &[
    "node", "nodejs", "bun", "deno", "python", "python3", "ruby", "electron", "npx", "npm", "uv", "uvx",
    "java",
];

/// Programs that make a terminal of their own and answer in it by script.
pub(super) const SCRIPTED: &[&str] = &[
    "expect",
    "script",
    "unbuffer",
    "socat",
    "autoexpect",
    "perl",
    "ruby",
    "php",
    "lua",
    "empty",
    "python",
    "python3",
    "node",
    "bun",
    "deno",
];

/// Variables that agents set for what they run. Those by which people configure an agent (`CLAUDE_CODE_USE_BEDROCK`,
/// `CODEX_HOME`) stand in the environment of their own shells too and say nothing.
pub(super) const VARIABLES: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "CODEX_CI",
    "CODEX_SHELL",
    "GEMINI_CLI",
    "CURSOR_AGENT",
    "COPILOT_CLI",
    "COPILOT_AGENT",
    "CLINE_ACTIVE",
    "OPENCODE",
    "AMP_CURRENT_THREAD_ID",
    "CRUSH",
    "ANTIGRAVITY_AGENT",
    "AI_AGENT",
    "AGENT",
    "AUGMENT_AGENT",
    "KIRO_AGENT",
    "QWEN_CODE",
    "GOOSE_TERMINAL",
    "RECOURSE_AGENT",
];
