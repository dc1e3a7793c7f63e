//! What an agent would change of recourse itself: its configuration, the hooks that call it, its program, its processes.
//!
//! Such a change is a mutation of its own beside what it costs otherwise: an empty policy file is nothing lost, and still the
//! end of the guard. Only agents are asked about it; a person configures what is theirs.

use std::path::{Path, PathBuf};

use crate::model::{
    Action, ActorKind, Cause, Context, Fact, FactValue, Facts, Mutation, PathSubject, RuleRef, Subject,
    Target, Value,
};
use crate::policy::Profile;
use crate::world::World;

use super::EvaluationContext;

/// The kind of such mutations.
const KIND: &str = "guard";
/// Hook files larger than this are not read; they count as ours.
const LIMIT: u64 = 4 << 20;
/// Possible paths of one mutation that are looked at.
const MOST: usize = 64;

/// Files in which agents and shells are told to call us, by how their paths end. Whoever changes one that names us, or could
/// switch all hooks off in it, changes the guard.
const HOOKS: &[&str] = &[
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".cursor/hooks.json",
    ".copilot/hooks/recourse.json",
    ".copilot/hooks/recourse-vscode.json",
    ".github/hooks/recourse.json",
    ".github/hooks/recourse-vscode.json",
    ".codeium/windsurf/hooks.json",
    ".windsurf/hooks.json",
    "Cline/Hooks/PreToolUse",
    ".cline/hooks/PreToolUse",
    ".clinerules/hooks/PreToolUse",
    "opencode/plugins/recourse.js",
    ".opencode/plugins/recourse.js",
    "amp/plugins/recourse.ts",
    ".amp/plugins/recourse.ts",
    "crush.json",
    ".mcp.json",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zprofile",
    "fish/config.fish",
];

/// Words of a hook file's new content that switch hooks off.
const SWITCHES: &[&str] =
    &["disableAllHooks", "hooks = false", "hooks=false", "\"enableHooks\": false", "codex_hooks"];

/// Adds the guard's own mutations when it is an agent that asks.
pub(super) fn add(mutations: &mut Vec<Mutation>, context: &EvaluationContext, world: &dyn World) {
    let agent = context.profile == Some(Profile::Agent)
        || context.actor.as_ref().is_some_and(|actor| actor.kind == ActorKind::Agent);
    if !agent || context.anywhere {
        return;
    }
    let guarded = Guarded::of(context, world);
    let mut found: Vec<Mutation> = Vec::new();
    for mutation in mutations.iter_mut() {
        if mutation.kind.starts_with(KIND) {
            mark(&mut mutation.facts);
            continue;
        }
        if let Some(what) = guarded.touched(mutation)
            && !found.iter().any(|other| other.target.id == what)
        {
            found.push(of(mutation, what));
        }
    }
    mutations.append(&mut found);
}

fn mark(facts: &mut Facts) {
    let said = "an agent would do it";
    facts.insert("agent".to_owned(), Fact::new(FactValue::Bool(true), said));
}

fn of(cause: &Mutation, what: String) -> Mutation {
    let mut facts = Facts::new();
    mark(&mut facts);
    Mutation {
        action: Action::Update,
        kind: KIND.to_owned(),
        subject: Subject::Named(Value::known(what.clone())),
        target: Target {
            service: Some("recourse".to_owned()),
            r#type: KIND.to_owned(),
            id: what,
            ..Target::default()
        },
        source: cause.source,
        raw: cause.raw.clone(),
        span: cause.span,
        rule: RuleRef { tool: "recourse".to_owned(), rule: KIND.to_owned() },
        cause: Cause::Rule,
        context: Context { cwd: cause.context.cwd.clone(), ..Context::default() },
        facts,
        dependents: Vec::new(),
    }
}

/// What is ours on this machine.
struct Guarded<'a> {
    world: &'a dyn World,
    /// Everything below these.
    trees: Vec<PathBuf>,
    /// These files.
    files: Vec<PathBuf>,
    /// Folders in which programs are looked up.
    programs: Vec<PathBuf>,
    /// Folders in which hook files may stand.
    roots: Vec<PathBuf>,
}

impl<'a> Guarded<'a> {
    fn of(context: &EvaluationContext, world: &'a dyn World) -> Self {
        let home = world.home(None);
        let under = |name: &str, usual: &str| {
            let set = world.env(name).map(PathBuf::from).filter(|path| path.is_absolute());
            set.or_else(|| home.as_ref().map(|home| home.join(usual)))
        };
        let mut trees = vec![PathBuf::from("/etc/recourse")];
        let xdg = [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
        ];
        trees.extend(xdg.iter().filter_map(|(name, usual)| Some(under(name, usual)?.join("recourse"))));
        if let Some(home) = &home {
            trees.push(home.join("Library/Application Support/recourse"));
        }
        let files = ["RECOURSE_CONFIG", "RECOURSE_POLICY"];
        let files = files.iter().filter_map(|name| world.env(name)).map(PathBuf::from).collect();
        let path = world.env("PATH").unwrap_or_default();
        let programs = path.split(':').filter(|dir| dir.starts_with('/')).map(PathBuf::from).collect();
        let mut roots: Vec<PathBuf> =
            home.iter().flat_map(|home| [home.clone(), home.join(".config")]).collect();
        roots.extend(context.cwd.ancestors().map(Path::to_owned));
        Self { world, trees, files, programs, roots }
    }

    /// What of ours a mutation touches.
    fn touched(&self, mutation: &Mutation) -> Option<String> {
        if matches!(mutation.action, Action::Read) || mutation.context.host.is_some() {
            return None;
        }
        match &mutation.subject {
            Subject::Path(path) if mutation.kind != "directory" => self.path(mutation, path),
            Subject::Named(Value::Known(name))
                if mutation.kind == "process"
                    && mutation.action == Action::Delete
                    && name.contains("recourse") =>
            {
                Some("recourse's processes".to_owned())
            }
            _ => None,
        }
    }

    fn path(&self, mutation: &Mutation, path: &PathSubject) -> Option<String> {
        let mut paths: Vec<PathBuf> = match path.path.choices() {
            Some(choices) => choices.iter().take(MOST).map(PathBuf::from).collect(),
            // Whatever it is below this beginning.
            None => vec![PathBuf::from(path.path.prefix())],
        };
        // What is moved away is gone from its place.
        if mutation.rule.tool == "mv" {
            paths.extend(path.from.clone());
        }
        // Through a link it is the same file.
        let real: Vec<PathBuf> = paths.iter().filter_map(|path| self.real(path)).collect();
        paths.extend(real);
        let vague = path.path.choices().is_none();
        paths.iter().find_map(|candidate| self.one(mutation, path, candidate, vague))
    }

    fn real(&self, path: &Path) -> Option<PathBuf> {
        let folder = self.world.canonicalize(path.parent()?).ok()?;
        let real = folder.join(path.file_name()?);
        (real != path).then_some(real)
    }

    fn one(&self, mutation: &Mutation, subject: &PathSubject, path: &Path, vague: bool) -> Option<String> {
        let named = |path: &Path| Some(path.to_string_lossy().into_owned());
        let there = |path: &Path| self.world.lstat(path).is_ok();
        if let Some(tree) = self.trees.iter().chain(&self.files).find(|tree| path.starts_with(tree)) {
            return named(if vague { tree } else { path });
        }
        if subject.recursive && mutation.action != Action::Create {
            let inside = |ours: &&PathBuf| ours.starts_with(path) && there(ours);
            if let Some(ours) = self.trees.iter().chain(&self.files).find(inside) {
                return named(ours);
            }
            let mut hooks = self.roots.iter().flat_map(|root| HOOKS.iter().map(move |hook| root.join(hook)));
            if let Some(hook) = hooks.find(|hook| hook.starts_with(path) && self.names_us(hook)) {
                return named(&hook);
            }
        }
        let name = path.file_name()?;
        if name == ".recourse.toml" && there(path) {
            return named(path);
        }
        if name == "recourse"
            && path.parent().is_some_and(|dir| self.programs.iter().any(|known| known == dir))
        {
            return named(path);
        }
        if HOOKS.iter().any(|hook| path.ends_with(hook)) {
            let appends = mutation.action == Action::Create;
            let shell =
                path.extension().is_none_or(|extension| extension == "fish") && !path.ends_with("PreToolUse");
            let off = match &subject.content {
                Some(content) => SWITCHES.iter().any(|word| content.contains(word)),
                // A patch to settings that stand beside those that name us.
                None => path.ends_with(".claude/settings.local.json"),
            };
            if off || (self.names_us(path) && !(appends && shell)) {
                return named(path);
            }
        }
        None
    }

    /// Whether a hook file that is there calls us.
    fn names_us(&self, path: &Path) -> bool {
        match self.world.read_file(path, LIMIT) {
            Ok(bytes) => bytes.windows(8).any(|window| window == b"recourse"),
            Err(crate::world::LookError::NotFound) => false,
            Err(_) => self.world.lstat(path).is_ok(),
        }
    }
}
