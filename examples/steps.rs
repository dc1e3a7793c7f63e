use recourse::knowledge::Knowledge;
use recourse::model::*;
use recourse::shell::*;
struct P;
impl Sink for P {
    fn step(&mut self, step: Step, files: &mut Files) {
        let ctx = format!(
            "{}{}{}",
            if step.context.maybe { "? " } else { "" },
            step.context.host.as_deref().map(|h| format!("@{h} ")).unwrap_or_default(),
            if step.context.via.is_empty() {
                String::new()
            } else {
                format!("[{}] ", step.context.via.join(">"))
            }
        );
        let cwd = step.context.cwd.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join("|");
        let show = |args: &[Arg]| {
            args.iter()
                .map(|a| format!("{}{}", a.value.display(), if a.explicit { "" } else { "*" }))
                .collect::<Vec<_>>()
                .join(" ")
        };
        match &step.kind {
            StepKind::Run(i) => {
                println!(
                    "    {ctx}RUN {} {:?} gaps={:?} cwd={cwd}",
                    show(&i.args),
                    i.stdin,
                    i.matched.gaps.iter().map(|g| &g.reason).collect::<Vec<_>>()
                );
                let abs = |v: &Value| {
                    v.as_known().map(|t| step.context.cwd.first().cloned().unwrap_or_default().join(t))
                };
                let ops: Vec<_> = i.args[1..]
                    .iter()
                    .filter(|a| !a.value.as_known().is_some_and(|t| t.starts_with('-')))
                    .filter_map(|a| abs(&a.value))
                    .collect();
                match i.name.as_str() {
                    "mkdir" => {
                        for p in ops {
                            files.set(p, FileState::Created { content: None, directory: true })
                        }
                    }
                    "touch" => {
                        for p in ops {
                            files
                                .set(p, FileState::Created { content: Some(String::new()), directory: false })
                        }
                    }
                    "rm" => {
                        for p in ops {
                            files.set(p, FileState::Gone)
                        }
                    }
                    _ => {}
                }
            }
            StepKind::UnknownProgram { name, args } => {
                println!("    {ctx}UNKNOWN {name}: {} cwd={cwd}", show(args))
            }
            StepKind::Write { path, mode, content, .. } => {
                println!(
                    "    {ctx}WRITE {:?} {} {:?} cwd={cwd}",
                    mode,
                    path.value.display(),
                    content.as_ref().map(|c| c.display())
                );
                if let (Some(t), Mode::Truncate) = (path.value.as_known(), mode) {
                    let p = step.context.cwd.first().cloned().unwrap_or_default().join(t);
                    files.set(
                        p,
                        FileState::Created {
                            content: content.as_ref().and_then(|c| c.as_known()).map(str::to_owned),
                            directory: false,
                        },
                    );
                }
            }
            StepKind::Code { language, effect } => println!("    {ctx}CODE {language} {effect:?} cwd={cwd}"),
            StepKind::Gap { reason } => println!("    {ctx}GAP {reason} raw={}", step.raw),
            StepKind::Opaque { reason } => println!("    {ctx}OPAQUE {reason}"),
            StepKind::Limit { name } => println!("    {ctx}LIMIT {name}"),
        }
    }
}
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let home = std::path::Path::new(&dir).parent().unwrap().to_path_buf();
    let _ = home;
    let world = recourse::world::RealWorld::default();
    let knowledge = Knowledge::builtin();
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let mut cols = line.split('\t');
        let cmd = cols.next().unwrap();
        let truth = cols.next().unwrap_or("");
        let detail = cols.next().unwrap_or("");
        let cmd = match cmd.strip_prefix("json:") {
            Some(j) => serde_json::from_str::<String>(j).unwrap(),
            None => cmd.to_owned(),
        };
        println!("$ {cmd}\n  = {truth} {}", &detail.chars().take(160).collect::<String>());
        let t = std::time::Instant::now();
        interpret(&Input::Text(cmd), &world, &knowledge, &Options::fresh(&dir), &mut P);
        let e = t.elapsed();
        if e.as_millis() > 20 {
            println!("    SLOW {e:?}");
        }
    }
}
