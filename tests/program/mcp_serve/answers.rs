//! What answers cost a model, and that what is short still says everything that counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::policy::Policy;
use recourse::shell;
use recourse::world::RealWorld;

use super::*;

/// A home with files in directories, of which some are committed.
fn scene() -> Scratch {
    let scratch = Scratch::new();
    for directory in ["a", "b", "c", "a/deep/er", "keep"] {
        for n in 0..30 {
            scratch.file(&format!("{directory}/f{n}.txt"), format!("{directory} {n}"));
        }
    }
    scratch.file("notes.txt", "only here");
    scratch.file(".env", "TOKEN=x");
    let git = |words: &[&str]| {
        let done = Command::new("git").args(words).current_dir(scratch.work()).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    git(&["init", "-q", "."]);
    git(&["add", "keep"]);
    git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "one"]);
    scratch
}

fn report(server: &mut Server, tool: &str, arguments: &Value, detail: &str) -> Value {
    let mut arguments = arguments.clone();
    arguments["detail"] = json!(detail);
    let answer = server.call(tool, arguments);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    answer["result"]["structuredContent"].clone()
}

fn size(value: &Value) -> usize {
    value.to_string().len()
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn a_report_of_an_ordinary_command_is_below_a_kilobyte() {
    let scratch = scene();
    let here = scratch.work().display().to_string();
    let mut server = Server::start(&scratch);
    for (command, most) in [
        ("ls", 250),
        ("git status", 250),
        // It runs the project's own code, and says so.
        ("cargo build", 1000),
        ("git log --oneline | head", 250),
        ("rm notes.txt", 1000),
        ("echo x > notes.txt", 1000),
        ("mv a b", 1000),
        ("rm -rf a b c", 1000),
        ("rm b/*", 1000),
        ("git push --force", 1000),
        ("git reset --hard", 1000),
        ("git clean -fdx", 1000),
        ("git commit -am x", 1000),
        ("npm install", 1000),
        ("terraform destroy", 1000),
        ("terraform apply", 1000),
        ("docker system prune -af --volumes", 1000),
        ("psql -c 'DROP TABLE users'", 1000),
        ("some-program --flag", 1000),
    ] {
        let answer = server.call("recourse_evaluate_shell", json!({"command": command, "cwd": here}));
        let content = &answer["result"]["structuredContent"];
        // The temporary directory's own length is not the answer's.
        let text = content.to_string().replace(&here, "/home/me/work");
        assert!(text.len() < most, "{command}: {} bytes: {text}", text.len());
        assert_eq!(
            size(&serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap()),
            size(content)
        );
    }
}

#[test]
fn what_decides_is_told_in_brief() {
    let scratch = scene();
    let here = scratch.work().display().to_string();
    let mut server = Server::start(&scratch);
    let mut told = |command: &str| {
        report(&mut server, "recourse_evaluate_shell", &json!({"command": command, "cwd": here}), "brief")
    };
    let lost = told("rm notes.txt");
    assert_eq!(lost["riskAssessment"], "block");
    let entry = &lost["mutations"][0];
    assert!(entry["intent"]["target"]["id"].as_str().unwrap().ends_with("/notes.txt"), "{entry}");
    assert!(
        entry["recoverability"]["reasoning"].as_str().unwrap().contains("exists nowhere else"),
        "{entry}"
    );
    assert!(!list(entry, "recovery").is_empty() && !list(entry, "alternatives").is_empty(), "{entry}");
    // One directory and verdict, one entry: what could be lost and what git has stand apart.
    let many = told("find a keep -type f -delete");
    let seen: Vec<(&Value, &Value)> =
        list(&many, "mutations").iter().map(|entry| (&entry["verdict"], &entry["count"])).collect();
    assert!(seen.contains(&(&json!("allow"), &json!(30))), "{many}");
    assert_eq!(seen[0].0, "block", "{many}");
    assert_eq!(list(&many, "mutations")[0]["lost"]["files"], 30, "{many}");
    // A question shows what is not known, and a look that would tell.
    let asked = told("aws s3 rb s3://b --force");
    assert!(!list(&asked["mutations"][0], "missingEvidence").is_empty(), "{asked}");
    assert_eq!(asked["verificationSuggestions"][0]["verification"]["argv"][0], "aws", "{asked}");
    let hidden = asked["omitted"]["missingEvidence"].as_u64().unwrap_or(0);
    assert!(hidden > 0 && asked["omitted"]["verificationSuggestions"].as_u64() > Some(0), "{asked}");
}

/// Whether a line is one of these commands, or several of them one after the other.
fn made_of(line: &str, commands: &BTreeSet<&str>) -> bool {
    commands.contains(line)
        || commands.iter().any(|command| {
            let rest = line.strip_prefix(command).and_then(|rest| rest.strip_prefix(" && "));
            rest.is_some_and(|rest| made_of(rest, commands))
        })
}

/// Whether a text is this one, which may have its middle cut out.
fn is(text: &str, told: &str) -> bool {
    let cut = told.match_indices('…').any(|(at, _)| {
        let (start, end) = (&told[..at], &told[at + '…'.len_utf8()..]);
        text.len() > start.len() + end.len() && text.starts_with(start) && text.ends_with(end)
    });
    text == told || cut
}

/// Whether an id is the one that this name means below this directory.
fn means(id: &str, within: &str, name: &str) -> bool {
    let below = id.strip_prefix(within).map(|rest| rest.trim_start_matches('/'));
    is(id, name) || below.is_some_and(|below| is(below, name))
}

/// Everything that the brief form says is in the full one, and its numbers are the full one's.
fn compare(brief: &Value, full: &Value, about: &str) {
    for name in ["schemaVersion", "riskAssessment"] {
        assert_eq!(brief[name], full[name], "{about}");
    }
    assert_eq!(brief["summary"]["totalMutations"], full["summary"]["totalMutations"], "{about}");
    let mutations = list(full, "mutations");
    let entries = list(brief, "mutations");
    let count = |entry: &Value| usize::try_from(entry["count"].as_u64().unwrap()).unwrap();
    assert_eq!(entries.iter().map(count).sum::<usize>(), mutations.len(), "{about}: {brief}");
    let strict =
        |word: &Value| ["allow", "warn", "escalate", "block"].iter().position(|known| word == known).unwrap();
    let verdicts: Vec<usize> = entries.iter().map(|entry| strict(&entry["verdict"])).collect();
    let alone = list(full, "crossActionRisks").is_empty();
    if let (Some(first), true) = (verdicts.first(), alone) {
        assert_eq!(*first, strict(&full["riskAssessment"]), "the worst is the first: {about}: {brief}");
    }
    let split = entries.iter().position(|entry| entry["mixed"] == true).unwrap_or(entries.len());
    assert!(verdicts[..split].is_sorted_by(|a, b| a >= b), "{about}: {brief}");
    // By tier, action and type, wherever nothing is mixed.
    let sort = |mutation: &Value| {
        format!(
            "{} {} {}",
            mutation["recoverability"]["tier"],
            mutation["intent"]["action"],
            mutation["intent"]["target"]["type"]
        )
    };
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    mutations.iter().for_each(|mutation| *all.entry(sort(mutation)).or_default() += 1);
    if split == entries.len() {
        let mut told: BTreeMap<String, usize> = BTreeMap::new();
        entries.iter().for_each(|entry| *told.entry(sort(entry)).or_default() += count(entry));
        assert_eq!(told, all, "{about}: {brief}");
    }
    let known = |name: &str| -> BTreeSet<String> {
        mutations.iter().flat_map(|mutation| list(mutation, name)).map(Value::to_string).collect()
    };
    let recovery = known("recovery");
    let alternatives: BTreeSet<&str> = mutations
        .iter()
        .flat_map(|mutation| list(mutation, "alternatives"))
        .filter_map(|other| other["command"].as_str())
        .collect();
    let ids: BTreeSet<&str> = mutations.iter().filter_map(|m| m["intent"]["target"]["id"].as_str()).collect();
    let mut named = 0;
    for entry in entries {
        assert!(
            list(entry, "recovery").iter().all(|step| recovery.contains(&step.to_string())),
            "{about}: {entry}"
        );
        let told = list(entry, "alternatives").iter().filter_map(|other| other["command"].as_str());
        assert!(told.clone().all(|command| made_of(command, &alternatives)), "{about}: {entry}");
        let id = entry["intent"]["target"]["id"].as_str().unwrap();
        let reason = entry["recoverability"]["reasoning"].as_str().unwrap();
        let same = mutations.iter().any(|mutation| {
            is(mutation["intent"]["target"]["id"].as_str().unwrap(), id)
                && is(mutation["recoverability"]["reasoning"].as_str().unwrap(), reason)
        });
        assert!(same, "{about}: {entry}");
        let within = entry["within"].as_str().unwrap_or_default();
        for other in list(entry, "also") {
            let other = other.as_str().unwrap();
            assert!(ids.iter().any(|id| means(id, within, other)), "{about}: {other} in {entry}");
        }
        named += 1 + list(entry, "also").len();
    }
    if alone {
        let hidden = brief["omitted"]["targets"].as_u64().unwrap_or(0);
        assert_eq!(u64::try_from(mutations.len() - named).unwrap(), hidden, "{about}: {brief}");
    }
}

/// Both forms of one evaluation of a shell command with these arguments.
fn forms(arguments: &Value) -> (Value, Value) {
    let cwd = arguments["cwd"].as_str();
    let context = EvaluationContext {
        cwd: cwd.map(PathBuf::from).unwrap_or_default(),
        anywhere: cwd.is_none(),
        environment: arguments["environment"].as_str().map(str::to_owned),
        ..EvaluationContext::default()
    };
    let input = Input::Shell(shell::Input::Text(arguments["command"].as_str().unwrap().to_owned()));
    let done = evaluate(input, &context, &RealWorld::new(), &Knowledge::builtin(), &Policy::default());
    let brief = recourse::report::brief(&done.report, &done.assessments);
    (serde_json::to_value(&brief).unwrap(), serde_json::to_value(&done.report).unwrap())
}

#[test]
fn counts_are_those_of_the_full_report() {
    let scratch = scene();
    let here = scratch.work().display().to_string();
    let mut server = Server::start(&scratch);
    let schemas = server.request("resources/read", json!({"uri": "recourse://schema/report"}));
    let schemas: Value =
        serde_json::from_str(schemas["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    let validator = |name: &str| jsonschema::validator_for(&schemas[name]).unwrap();
    let (short, long) = (validator("brief"), validator("full"));
    let fits = |brief: &Value, full: &Value, about: &Value| {
        for (schema, value) in [(&short, brief), (&long, full)] {
            let wrong: Vec<String> = schema.iter_errors(value).map(|error| error.to_string()).collect();
            assert!(wrong.is_empty(), "{about}: {wrong:?}\n{value}");
        }
        assert!(size(brief) < 8000, "{about}: {} bytes", size(brief));
    };
    let mut check = |tool: &str, arguments: Value| {
        let brief = report(&mut server, tool, &arguments, "brief");
        let full = report(&mut server, tool, &arguments, "full");
        fits(&brief, &full, &arguments);
        if tool != "recourse_evaluate_shell" {
            compare(&brief, &full, &arguments.to_string());
            return;
        }
        // Looks have a time limit, so two evaluations may differ: what is compared number by number are two forms of one.
        let (brief, full) = forms(&arguments);
        fits(&brief, &full, &arguments);
        compare(&brief, &full, &arguments.to_string());
    };
    let parts = [
        "ls",
        "rm notes.txt",
        "rm -rf a b c",
        "rm a/* b/*",
        "find . -type f -exec rm {} +",
        "find a -name 'f1*' -delete",
        "git push --force",
        "git reset --hard",
        "git clean -fdx",
        "kubectl delete ns prod",
        "terraform destroy",
        "aws s3 rb s3://b --force",
        "psql -c 'DROP TABLE users'",
        "docker volume rm v w",
        "some-program x",
        "rm \"$X\"/y",
        "echo x | tee a/f1.txt b/f2.txt notes.txt",
        "chmod -R 777 a",
        "mv a/f1.txt b/f2.txt",
        "rm -rf ~",
        "sudo rm -rf /",
        "gh repo delete o/r --yes",
        "aws dynamodb delete-table --table-name t",
        "cp a/* b/",
    ];
    for part in parts {
        check("recourse_evaluate_shell", json!({"command": part, "cwd": here}));
        check("recourse_evaluate_shell", json!({"command": part}));
        check("recourse_evaluate_shell", json!({"command": part, "cwd": here, "environment": "production"}));
    }
    for (n, part) in parts.iter().enumerate() {
        let some: Vec<&str> = (0..5).map(|k| parts[(n * 7 + k * 5) % parts.len()]).collect();
        check(
            "recourse_evaluate_shell",
            json!({"command": format!("{part}; {}", some.join("; ")), "cwd": here}),
        );
    }
    check("recourse_evaluate_shell", json!({"command": parts.join("\n"), "cwd": here}));
    let changes: Vec<Value> = ["aws_db_instance", "aws_s3_bucket", "aws_instance", "google_sql_database_instance", "acme_thing", "aws_kms_key",
        "aws_efs_file_system", "aws_dynamodb_table", "azurerm_storage_account", "aws_ebs_volume", "random_id", "local_file"]
        .iter()
        .flat_map(|kind| (0..4).map(move |n| json!({
            "address": format!("{kind}.x[{n}]"), "mode": "managed", "type": kind, "name": "x", "index": n,
            "provider_name": "registry.terraform.io/hashicorp/aws",
            "change": {"actions": ["delete"], "before": {"id": format!("x{n}"), "skip_final_snapshot": n % 2 == 0}, "after": null, "after_unknown": {}}})))
        .collect();
    let plan = json!({"format_version": "1.2", "terraform_version": "1.7.0", "resource_changes": changes});
    check("recourse_evaluate_terraform", json!({"plan": plan}));
    check(
        "recourse_evaluate_mcp_call",
        json!({"server": "filesystem", "tool": "write_file", "arguments": {"path": format!("{here}/notes.txt"), "content": "x"}, "cwd": here}),
    );
}

#[test]
fn thousands_of_files_are_told_in_a_page() {
    let scratch = Scratch::new();
    for directory in 0..150 {
        for n in 0..20 {
            scratch.file(&format!("d{}/e{directory}/f{n}", directory % 30), "x");
        }
    }
    let done = Command::new("git").args(["init", "-q", "."]).current_dir(scratch.work()).status().unwrap();
    assert!(done.success(), "what lies in a repository is not only temporary");
    let here = scratch.work().display().to_string();
    let mut server = Server::start(&scratch);
    for command in ["find . -type f -exec rm {} +", "find . -name 'f*' -delete", "rm -f d*/*/f*"] {
        let arguments = json!({"command": command, "cwd": here});
        let brief = report(&mut server, "recourse_evaluate_shell", &arguments, "brief");
        let counted: u64 =
            list(&brief, "mutations").iter().map(|entry| entry["count"].as_u64().unwrap()).sum();
        assert_eq!(brief["summary"]["totalMutations"], counted, "{command}: {brief}");
        assert!(counted > 500, "{command}: {brief}");
        assert!(size(&brief) < 5000, "{command}: {} bytes", size(&brief));
    }
    for tool in ["check_command", "explain_risk", "suggest_alternative"] {
        let answer = server.call(tool, json!({"command": "find . -type f -exec rm {} +", "cwd": here}));
        assert!(size(&answer) < 8000, "{tool}: {} bytes", size(&answer));
    }
}

#[test]
fn no_form_of_an_answer_tells_a_secret() {
    let scratch = scene();
    let here = scratch.work().display().to_string();
    let mut server = Server::start(&scratch);
    for command in [
        "PGPASSWORD=hunter2secret psql -c 'DROP TABLE t'",
        "rm hunter2secret; mysql -phunter2secret -e 'DROP TABLE t'",
        "curl -X DELETE -H 'Authorization: Bearer hunter2secret' https://h/x; rm a/* -- b/*",
        "redis-cli -a hunter2secret flushall && rm notes.txt",
    ] {
        for (tool, detail) in [
            ("recourse_evaluate_shell", Some("brief")),
            ("recourse_evaluate_shell", Some("full")),
            ("check_command", Some("brief")),
            ("check_command", Some("full")),
            ("suggest_alternative", None),
        ] {
            let mut arguments = json!({"command": command, "cwd": here});
            if let Some(detail) = detail {
                arguments["detail"] = json!(detail);
            }
            let answer = server.call(tool, arguments);
            let mut content = answer["result"]["structuredContent"].clone();
            // What was asked is the caller's own.
            if let Some(members) = content.as_object_mut() {
                members.remove("command");
            }
            assert!(!content.to_string().contains("hunter2secret"), "{tool} {detail:?}: {content}");
        }
    }
}

#[test]
fn the_list_of_tools_says_the_report_once() {
    let scratch = Scratch::new();
    let mut server = Server::start(&scratch);
    let listed = server.request("tools/list", json!({}));
    assert!(size(&listed) < 21_500, "{} bytes", size(&listed));
    let tools = list(&listed["result"], "tools");
    let seen: usize = tools
        .iter()
        .map(|tool| size(&tool["name"]) + size(&tool["description"]) + size(&tool["inputSchema"]))
        .sum();
    assert!(seen < 13_500, "{seen} bytes are put before every model");
    for tool in tools {
        assert!(size(&tool["outputSchema"]) < 1000, "{tool}");
    }
}

/// All names of an answer, by list.
fn names(page: &Value) -> Vec<String> {
    let mut all = Vec::new();
    for plain in ["tools", "terraformTypes"] {
        all.extend(list(page, plain).iter().map(|name| format!("{plain} {}", name.as_str().unwrap())));
    }
    all.extend(list(page, "kinds").iter().map(|kind| format!("kinds {}", kind["kind"].as_str().unwrap())));
    for server in list(page, "mcpServers") {
        let tools = list(server, "tools");
        all.extend(tools.iter().map(|tool| format!("{} {}", server["server"], tool.as_str().unwrap())));
    }
    all
}

#[test]
fn coverage_comes_by_page_and_every_name_once() {
    let scratch = Scratch::new();
    let mut server = Server::start(&scratch);
    let answer = server.call("recourse_supported_resources", json!({}));
    assert!(size(&answer) < 2000, "{answer}");
    let totals = answer["result"]["structuredContent"]["totals"].clone();
    let printed = scratch.run(&["resources", "--format", "json"]);
    let known: Value = serde_json::from_slice(&printed.stdout).unwrap();
    let known: BTreeSet<String> = names(&known).into_iter().collect();
    let numbers = ["tools", "kinds", "terraformTypes", "mcpTools"].map(|name| totals[name].as_u64().unwrap());
    assert_eq!(numbers.iter().sum::<u64>(), known.len() as u64);
    let mut everything = BTreeSet::new();
    for question in [
        json!({"list": "tools"}),
        json!({"list": "kinds"}),
        json!({"list": "terraformTypes"}),
        json!({"list": "mcpServers"}),
        json!({"filter": "git"}),
        json!({"filter": "s3"}),
        json!({"provider": "aws"}),
        json!({"provider": "aws", "filter": "bucket", "list": "terraformTypes"}),
        json!({"filter": "no such thing anywhere"}),
    ] {
        let mut arguments = question.clone();
        let mut found = Vec::new();
        let mut total = None;
        loop {
            let answer = server.call("recourse_supported_resources", arguments.clone());
            assert!(size(&answer) < 12_000, "{arguments}: {} bytes", size(&answer));
            let page = &answer["result"]["structuredContent"];
            total.get_or_insert_with(|| page["totals"].clone());
            found.extend(names(page));
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            arguments["cursor"] = json!(cursor);
        }
        let once: BTreeSet<String> = found.iter().cloned().collect();
        assert_eq!(once.len(), found.len(), "{question}: a name on two pages");
        let total = total.unwrap();
        let numbers =
            ["tools", "kinds", "terraformTypes", "mcpTools"].map(|name| total[name].as_u64().unwrap());
        assert_eq!(numbers.iter().sum::<u64>(), found.len() as u64, "{question}");
        assert!(once.is_subset(&known), "{question}");
        if question.as_object().unwrap().len() == 1 && question.get("list").is_some() {
            everything.extend(once);
        }
    }
    assert_eq!(everything, known);
    let first = server.call("recourse_supported_resources", json!({"filter": "rm"}));
    assert_eq!(first["result"]["structuredContent"]["tools"][0], "rm", "{first}");
    // A cursor of another question would skip names.
    let page = server.call("recourse_supported_resources", json!({"list": "tools"}));
    let cursor = page["result"]["structuredContent"]["nextCursor"].clone();
    for arguments in [
        json!({"list": "mcpServers", "cursor": cursor}),
        json!({"cursor": cursor}),
        json!({"list": "tools", "cursor": "x"}),
    ] {
        let answer = server.call("recourse_supported_resources", arguments);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
}
