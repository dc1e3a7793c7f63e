//! What an agent would change of recourse itself: its configuration, the hooks that call it, its program, its processes.
//!
//! Such a change is a mutation of its own beside what it costs otherwise: an empty policy file is nothing lost, and still the
//! end of the guard. Only agents are asked about it; a person configures what is theirs.

use std::path::{Path, PathBuf};

use crate::knowledge::{SHIMS, guard, places};
use crate::model::{
    Action, ActorKind, Cause, Context, Fact, FactValue, Facts, Mutation, PathSubject, RuleRef, Subject,
    Target, Value,
};
use crate::policy::Profile;
use crate::world::World;

use super::{EvaluationContext, Input};

/// The kind of such mutations.
const KIND: &str = "guard";
/// Hook files larger than this are not read; they count as ours.
const LIMIT: u64 = 4 << 20;
/// Possible paths of one mutation that are looked at.
const MOST: usize = 64;

/// Adds the guard's own mutations when it is an agent that asks.
pub(super) fn add(
    mutations: &mut Vec<Mutation>,
    input: &Input,
    context: &EvaluationContext,
    world: &dyn World,
) {
    let agent = context.profile == Some(Profile::Agent)
        || context.actor.as_ref().is_some_and(|actor| actor.kind == ActorKind::Agent);
    if !agent || context.anywhere {
        return;
    }
    let guarded = Guarded::of(input, context, world);
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
    /// The input speaks of recourse.
    named: bool,
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
    fn of(input: &Input, context: &EvaluationContext, world: &'a dyn World) -> Self {
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
        let named = matches!(input, Input::Shell(input) if input.shown().contains("recourse"));
        Self { world, named, trees, files, programs, roots }
    }

    /// What of ours a mutation touches.
    fn touched(&self, mutation: &Mutation) -> Option<String> {
        if matches!(mutation.action, Action::Read) || mutation.context.host.is_some() {
            return None;
        }
        match &mutation.subject {
            Subject::Path(path) if mutation.kind != "directory" => self.path(mutation, path),
            Subject::Git { dir, names, .. } if mutation.kind == "git.untracked" => {
                self.swept(mutation, dir, names)
            }
            Subject::Named(name) if mutation.kind == "process" => {
                self.is_process(name).then(|| "recourse's processes".to_owned())
            }
            Subject::Named(Value::Known(name)) if mutation.kind.contains("service") => {
                name.contains("recourse").then(|| format!("the service {name}"))
            }
            _ => None,
        }
    }

    /// What of ours lies where git takes away all that it does not track.
    fn swept(&self, mutation: &Mutation, dir: &Value, names: &[Value]) -> Option<String> {
        let is = |key: &str, said: bool| {
            mutation.facts.get(key).is_some_and(|fact| fact.value == FactValue::Bool(said))
        };
        // Without `-f` git does nothing, and without `-d` it stays out of what is not tracked, unless that is named.
        if mutation.action != Action::Delete || is("force", false) && !is("interactive", true) {
            return None;
        }
        if names.is_empty() && is("directories", false) {
            return None;
        }
        let dirs = match dir.choices() {
            Some(dirs) => dirs.iter().take(MOST).map(PathBuf::from).collect(),
            None => vec![PathBuf::from(dir.prefix())],
        };
        // A name that is a pattern, or not known, may be anything below.
        let plain = |name: &&str| !name.contains(['*', '?', '[', ':']);
        let named: Option<Vec<&str>> = names.iter().map(|name| name.as_known().filter(plain)).collect();
        let named = named.filter(|names| !names.is_empty()).unwrap_or_else(|| vec![""]);
        dirs.iter().flat_map(|dir| named.iter().map(move |name| dir.join(name))).find_map(|place| {
            let place = self.world.canonicalize(&place).unwrap_or(place);
            self.inside(&place)
        })
    }

    /// Whether a signal goes to one of our processes: by its name, or by its number.
    fn is_process(&self, name: &Value) -> bool {
        let ours = |name: &str| {
            name.contains("recourse")
                || name.parse::<u32>().is_ok_and(|id| {
                    let program = self.world.read_link(Path::new(&format!("/proc/{id}/exe")));
                    program.is_ok_and(|path| path.file_name().is_some_and(|name| name == "recourse"))
                })
        };
        match name.choices() {
            Some(choices) => choices.iter().any(|name| ours(name)),
            // Whatever was looked up (`kill $(pgrep recourse)`).
            None => self.named,
        }
    }

    fn path(&self, mutation: &Mutation, path: &PathSubject) -> Option<String> {
        let paths: Vec<PathBuf> = match path.path.choices() {
            Some(choices) => choices.iter().take(MOST).map(PathBuf::from).collect(),
            // Whatever it is below this beginning.
            None => vec![PathBuf::from(path.path.prefix())],
        };
        let vague = path.path.choices().is_none();
        let whole = path.recursive && mutation.action != Action::Create;
        // What is moved away is gone from its place, with everything in it.
        let moved = path.from.iter().filter(|_| mutation.rule.tool == "mv");
        let touched = paths.iter().map(|path| (path, whole)).chain(moved.map(|path| (path, true)));
        touched.into_iter().find_map(|(candidate, whole)| {
            // Through a link it is the same file.
            let real = self.real(candidate);
            [Some(candidate), real.as_ref()].into_iter().flatten().find_map(|candidate| {
                let found = if whole { self.inside(candidate) } else { None };
                found.or_else(|| self.one(mutation, path, candidate, vague))
            })
        })
    }

    /// What of ours lies below a path.
    fn inside(&self, path: &Path) -> Option<String> {
        let named = |path: &Path| Some(path.to_string_lossy().into_owned());
        let there = |path: &Path| self.world.lstat(path).is_ok();
        if let Some(ours) =
            self.trees.iter().chain(&self.files).find(|ours| ours.starts_with(path) && there(ours))
        {
            return named(ours);
        }
        let program = self.programs.iter().filter(|folder| folder.starts_with(path));
        if let Some(program) = program.map(|folder| folder.join("recourse")).find(|program| there(program)) {
            return named(&program);
        }
        let mut hooks =
            self.roots.iter().flat_map(|root| guard().hooks.iter().map(move |hook| root.join(hook)));
        named(&hooks.find(|hook| hook.starts_with(path) && self.names_us(hook))?)
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
        if path.ancestors().any(is_store) {
            return named(path);
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
        (self.is_hook(path) && self.hook(mutation, subject, path))
            .then(|| path.to_string_lossy().into_owned())
    }

    fn is_hook(&self, path: &Path) -> bool {
        guard().hooks.iter().any(|hook| path.ends_with(hook))
    }

    /// Whether a change of a hook file touches our hook, or could switch it off.
    fn hook(&self, mutation: &Mutation, subject: &PathSubject, path: &Path) -> bool {
        let says = |words: &[String]| {
            subject.content.as_ref().is_some_and(|text| words.iter().any(|word| text.contains(word.as_str())))
        };
        if says(&guard().switches) || self.sets_guard(path, subject) {
            return true;
        }
        let adds = mutation.action == Action::Create;
        if adds && guard().startup.iter().any(|file| path.ends_with(file)) {
            return self.names_us(path) && (says(&guard().unhooks) || self.drops_shims(subject));
        }
        if self.names_us(path) {
            return true;
        }
        // Settings beside those that name us, here or at home, changed in a way that cannot be seen.
        let writes = !matches!(mutation.action, Action::Delete) && subject.content.is_none();
        if writes && self.same_agent(path) {
            return true;
        }
        subject.content.is_none()
            && guard().beside.iter().any(|(these, those)| {
                let root = path.to_str().and_then(|path| path.strip_suffix(these.as_str()));
                root.is_some_and(|root| self.names_us(&PathBuf::from(format!("{root}{those}"))))
            })
    }

    /// Whether what is written says how is judged, or puts a place that anybody may write to in front of the search path.
    fn sets_guard(&self, path: &Path, subject: &PathSubject) -> bool {
        let Some(text) = &subject.content else { return false };
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let startup = guard().startup.iter().any(|file| path.ends_with(file));
        let first = |line: &str| {
            let value =
                line.split_once("PATH=").map_or("", |(_, value)| value.trim_start_matches(['"', '\'']));
            places().shared.iter().any(|place| value.starts_with(place.as_str()))
        };
        words.into_iter().any(|word| guard().watches(word)) || startup && text.lines().any(first)
    }

    /// Whether a file is settings of an agent that is told to call us in other settings of the same kind.
    fn same_agent(&self, path: &Path) -> bool {
        let kind = |hook: &str| hook.rsplit_once('/').map(|(dir, _)| dir.to_owned());
        let Some((root, dir)) = guard().hooks.iter().find_map(|hook| {
            let root = path.to_str()?.strip_suffix(hook.as_str())?;
            Some((PathBuf::from(root), kind(hook)?))
        }) else {
            return false;
        };
        self.roots.contains(&root)
            && self.roots.iter().any(|root| {
                let mut hooks = guard().hooks.iter().filter(|hook| kind(hook).as_ref() == Some(&dir));
                hooks.any(|hook| self.names_us(&root.join(hook)))
            })
    }

    /// Whether what is added to a shell's start sets a search path anew, where it leads through the shims.
    fn drops_shims(&self, subject: &PathSubject) -> bool {
        let lines = subject.content.iter().flat_map(|text| text.lines());
        let mut paths = lines.filter_map(|line| line.split_once("PATH=").map(|(_, path)| path));
        self.programs.iter().any(|folder| folder.ends_with(SHIMS)) && paths.any(|path| !path.contains("PATH"))
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

/// What is kept on other file systems than the store's stands in such a folder at their top.
fn is_store(path: &Path) -> bool {
    let user = path.file_name().and_then(|name| name.to_str()?.strip_prefix(".recourse-"));
    user.is_some_and(|user| !user.is_empty() && user.bytes().all(|digit| digit.is_ascii_digit()))
}
