//! An organisation's bundle, signed by its keys and followed by machines: nothing goes back, nothing forged counts, and no
//! machine loosens it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use recourse::attest::Time;
use serde_json::{Value, json};

use crate::exec_attestation::{ALLOW, Instance, input};
use crate::support::{Scratch, exists, json};

/// An organisation with one key, and the place where it publishes.
struct Organisation {
    office: Scratch,
    key: String,
    place: PathBuf,
}

impl Organisation {
    fn new() -> Self {
        let office = Scratch::new();
        let words = ["trust", "key", "--name", "acme.example/trust", "acme.pem"];
        let key = done(&office.run(&words)).trim_end().to_owned();
        assert_eq!(done(&office.run(&words)).trim_end(), key, "there already");
        let place = office.root().join("bundle.json");
        Self { office, key, place }
    }

    /// A bundle of this description, after the one that is published.
    fn signed(&self, description: &str, more: &[&str]) -> String {
        let file = self.office.file("acme.toml", description);
        let mut words = vec!["trust", "sign", "--key", "acme.pem", "--name", "acme.example/trust"];
        let place = self.place.display().to_string();
        if self.place.exists() {
            words.extend(["--previous", &place]);
        }
        words.extend(more);
        words.push(file.to_str().unwrap());
        done(&self.office.run(&words))
    }

    fn publish(&self, description: &str) {
        let bundle = self.signed(description, &[]);
        fs::write(&self.place, bundle).unwrap();
    }

    /// A machine that follows it; `more` is its own configuration.
    fn machine(&self, more: &str) -> Scratch {
        let machine = Scratch::with_policy(ALLOW);
        machine.config(&format!(
            "{more}\n[trust]\nbundle = \"{}\"\nkeys = [\"{}\"]\nrefresh = 0\n",
            self.place.display(),
            self.key
        ));
        machine
    }
}

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn description(instances: &[&str], policy: &str) -> String {
    let each = |url: &&str| format!("[[instance]]\nbase_url = \"{url}\"\n");
    format!("organisation = \"acme\"\n{}[policy]\n{policy}\n", instances.iter().map(each).collect::<String>())
}

/// `touch ran` with an attestation of an instance: `ran`, or the reason of the refusal, and what was said.
fn exec(machine: &Scratch, instance: &Instance, variables: &[(&str, &str)]) -> (String, String) {
    let made = instance.attest(input(machine), "allow", Time::now());
    let file = machine.root().join("attestation.json");
    fs::write(&file, made.to_value().to_string()).unwrap();
    run(machine, &["exec", "--attestation", file.to_str().unwrap(), "--", "touch", "ran"], variables)
}

fn run(machine: &Scratch, words: &[&str], variables: &[(&str, &str)]) -> (String, String) {
    let ran = machine.work().join("ran");
    let _ = fs::remove_file(&ran);
    let output = machine
        .recourse(words)
        .envs(variables.iter().copied())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if exists(&ran) {
        return ("ran".to_owned(), said);
    }
    assert_eq!(output.status.code(), Some(126), "{said}");
    let reason = said.split("refused: ").nth(1).unwrap_or(&said);
    (reason.split([':', ' ', '\n']).next().unwrap_or_default().to_owned(), said)
}

fn refresh(machine: &Scratch) -> (Option<i32>, String) {
    let output = machine.run(&["trust", "refresh"]);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn machines_trust_whom_the_bundle_names_and_demand_what_it_demands() {
    let (organisation, one, other) = (Organisation::new(), Instance::new(), Instance::new());
    organisation.publish(&description(&[&one.base], "mode = \"require\""));
    let machine = organisation.machine("");
    let (word, said) = exec(&machine, &one, &[]);
    assert_eq!(word, "ran", "{said}");
    assert_eq!(exec(&machine, &other, &[]).0, "instance_not_trusted");
    // The machine itself is no instance of the organisation.
    assert_eq!(run(&machine, &["exec", "--", "touch", "ran"], &[]).0, "instance_not_trusted");
    // A newer bundle is followed, one way and the other.
    organisation.publish(&description(&[&other.base], "mode = \"require\""));
    assert_eq!(exec(&machine, &one, &[]).0, "instance_not_trusted");
    assert_eq!(exec(&machine, &other, &[]).0, "ran");
    let shown = json(&machine.run(&["trust", "show", "--format", "json"]));
    assert_eq!((&shown["serial"], &shown["mode"]), (&json!(2), &json!("require")), "{shown}");
    assert_eq!(shown["instances"], json!([other.base]), "{shown}");
    let doctor = || String::from_utf8(machine.run(&["doctor", "--format", "json"]).stdout).unwrap();
    assert!(doctor().contains("acme: number 2"), "{}", doctor());
    // `verify` stands under it, too.
    let file = machine.root().join("attestation.json");
    let verify = |more: &[&str]| {
        let words = [&["verify", "--format", "json"], more, &[file.to_str().unwrap()]].concat();
        machine.run(&words)
    };
    assert_eq!(json(&verify(&[]))["valid"], true);
    assert_eq!(verify(&["--trust", &one.base]).status.code(), Some(2), "outside of the bundle");
}

#[test]
fn a_machines_own_settings_only_tighten() {
    let (organisation, one, other) = (Organisation::new(), Instance::new(), Instance::new());
    organisation.publish(&description(&[&one.base, &other.base], "mode = \"require\"\nmax_age = 600"));
    // Milder is not heard.
    let machine = organisation.machine("[attestation]\nmode = \"ignore\"\nmax_age = 86400\n");
    assert_eq!(run(&machine, &["exec", "--", "touch", "ran"], &[]).0, "instance_not_trusted");
    let loose =
        [("RECOURSE_ATTESTATION_MODE", "ignore"), ("RECOURSE_TRUSTED_INSTANCES", "https://mine.example")];
    assert_eq!(run(&machine, &["exec", "--", "touch", "ran"], &loose).0, "instance_not_trusted");
    let shown = json(&machine.run(&["trust", "show", "--format", "json"]));
    assert_eq!((&shown["mode"], &shown["maxAge"]), (&json!("require"), &json!(600)), "{shown}");
    let stranger = Instance::new();
    let named = [("RECOURSE_TRUSTED_INSTANCES", stranger.base.as_str())];
    assert_eq!(exec(&machine, &stranger, &named).0, "instance_not_trusted");
    // Stricter is.
    let machine = organisation
        .machine(&format!("[attestation]\nmax_age = 300\ntrusted_instances = [\"{}\"]\n", other.base));
    assert_eq!(exec(&machine, &one, &[]).0, "instance_not_trusted");
    assert_eq!(exec(&machine, &other, &[]).0, "ran");
    assert_eq!(json(&machine.run(&["trust", "show", "--format", "json"]))["maxAge"], 300);
}

#[test]
fn no_variable_names_another_bundle_or_other_keys_than_a_file_and_new_keys_drop_no_demand() {
    let (organisation, one, mine) = (Organisation::new(), Instance::new(), Organisation::new());
    organisation.publish(&description(&[&one.base], "mode = \"require\""));
    mine.publish(&description(&[&one.base], "mode = \"log\""));
    let machine = organisation.machine("");
    assert_eq!(refresh(&machine).0, Some(0));
    let place = mine.place.display().to_string();
    let (bundle, keys) = (("RECOURSE_TRUST_BUNDLE", &*place), ("RECOURSE_TRUST_KEYS", &*mine.key));
    let unattested = |machine: &Scratch, variables: &[(&str, &str)]| {
        run(machine, &["exec", "--", "touch", "ran"], variables)
    };
    for variables in [&[keys][..], &[bundle], &[bundle, keys], &[("RECOURSE_TRUST_THRESHOLD", "2"), keys]] {
        let (word, said) = unattested(&machine, variables);
        assert_eq!(word, "instance_not_trusted", "{variables:?}: {said}");
        assert_eq!(exec(&machine, &one, variables).0, "ran", "{variables:?}");
    }
    // Where no file follows one, they do.
    let free = Scratch::with_policy(ALLOW);
    assert_eq!(unattested(&free, &[bundle, keys]).0, "ran", "it demands that it is logged");
    let shown = free.recourse(&["trust", "show", "--format", "json"]).envs([bundle, keys]).output().unwrap();
    assert_eq!(json(&shown)["mode"], "log");
    // The file names other keys, and nothing that they signed is to be had: what was demanded stays.
    machine.config(&format!(
        "[trust]\nbundle = \"{}\"\nkeys = [\"{}\"]\nrefresh = 0\n",
        organisation.place.display(),
        mine.key
    ));
    let (word, said) = unattested(&machine, &[]);
    assert_eq!(word, "instance_not_trusted", "{said}");
}

#[test]
fn a_bundle_that_demands_nothing_is_not_signed() {
    let organisation = Organisation::new();
    let text = description(&["https://one.example"], "mode = \"ignore\"");
    let file = organisation.office.file("acme.toml", &text);
    let words = ["trust", "sign", "--key", "acme.pem", "--name", "acme.example/trust"];
    let output = organisation.office.run(&[&words[..], &[file.to_str().unwrap()]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("a bundle only demands") && output.stdout.is_empty(), "{said}");
}

#[test]
fn what_goes_back_or_is_forged_is_refused_and_the_kept_one_stays() {
    let (organisation, one, other) = (Organisation::new(), Instance::new(), Instance::new());
    organisation.publish(&description(&[&one.base], "mode = \"require\""));
    let first = fs::read_to_string(&organisation.place).unwrap();
    organisation.publish(&description(&[&other.base], "mode = \"require\""));
    let second = fs::read_to_string(&organisation.place).unwrap();
    let machine = organisation.machine("");
    assert_eq!(refresh(&machine).0, Some(0));
    let stays = |what: &str, status: i32, reason: &str| {
        let (code, said) = refresh(&machine);
        assert_eq!(code, Some(status), "{what}: {said}");
        assert!(said.contains(reason), "{what}: {said}");
        let (word, said) = exec(&machine, &one, &[]);
        assert_eq!(word, "instance_not_trusted", "{what}: {said}");
        assert!(said.contains(reason), "{what}, and it is said: {said}");
        assert_eq!(exec(&machine, &other, &[]).0, "ran", "{what}");
    };
    fs::write(&organisation.place, &first).unwrap();
    stays("an older one", 1, "registry_rollback");
    // The same number with another content, signed as it should be.
    fs::write(&organisation.place, &first).unwrap();
    organisation.publish(&description(&[&one.base, &other.base], "mode = \"require\""));
    stays("another under the same number", 1, "registry_rollback");
    for (what, change) in [("another instance", json!([{"base_url": one.base}])), ("none", json!([]))] {
        let mut forged: Value = serde_json::from_str(&second).unwrap();
        (forged["serial"], forged["instances"]) = (json!(9), change);
        fs::write(&organisation.place, forged.to_string()).unwrap();
        stays(what, 1, "instance_not_trusted");
    }
    let stranger = Organisation::new();
    stranger.publish(&description(&[&one.base], "mode = \"log\""));
    fs::write(&organisation.place, fs::read(&stranger.place).unwrap()).unwrap();
    stays("another's", 1, "instance_not_trusted");
    fs::remove_file(&organisation.place).unwrap();
    stays("gone", 3, "network_error");
    // A machine that never had one trusts nobody.
    let fresh = organisation.machine("[attestation]\nmode = \"verify\"\n");
    assert_eq!(exec(&fresh, &other, &[]).0, "network_error");
    fs::write(&organisation.place, second).unwrap();
    assert_eq!(exec(&fresh, &other, &[]).0, "ran");
}

#[test]
fn pinned_keys_and_the_end_of_a_bundle_count() {
    let (organisation, one) = (Organisation::new(), Instance::new());
    let pinned = |key: &str| {
        let text = description(&[&one.base], "mode = \"require\"");
        text.replace("[policy]", &format!("public_keys = [\"{key}\"]\n[policy]"))
    };
    organisation.publish(&pinned("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"));
    let machine = organisation.machine("");
    let (word, said) = exec(&machine, &one, &[]);
    assert_eq!(word, "instance_not_trusted", "{said}");
    assert!(said.contains("trust bundle"), "{said}");
    organisation.publish(&pinned(&one.public_key()));
    assert_eq!(exec(&machine, &one, &[]).0, "ran");
    // When it has ended and none is to be had, its demands stay and nobody is trusted.
    let kept = machine.root().join("home/.local/state/recourse/trust.json");
    let text = fs::read_to_string(&kept).unwrap();
    fs::remove_file(&organisation.place).unwrap();
    assert_eq!(exec(&machine, &one, &[]).0, "ran");
    assert!(text.contains("expires_at"));
    // What stands in the folder is verified like anything else.
    let mut changed: Value = serde_json::from_str(&text).unwrap();
    changed["bundle"]["policy"]["mode"] = json!("ignore");
    fs::write(&kept, changed.to_string()).unwrap();
    let machine_with = |mode: &str| exec(&machine, &one, &[("RECOURSE_ATTESTATION_MODE", mode)]).0;
    assert_ne!(machine_with("verify"), "ran");
}

#[test]
fn more_than_one_signature_can_be_demanded() {
    let (organisation, one) = (Organisation::new(), Instance::new());
    let second = ["trust", "key", "--name", "acme.example/second", "second.pem"];
    let second = done(&organisation.office.run(&second)).trim_end().to_owned();
    organisation.publish(&description(&[&one.base], "mode = \"require\""));
    let machine = Scratch::with_policy(ALLOW);
    machine.config(&format!(
        "[trust]\nbundle = \"{}\"\nkeys = [\"{}\", \"{second}\"]\nthreshold = 2\nrefresh = 0\n",
        organisation.place.display(),
        organisation.key
    ));
    let (code, said) = refresh(&machine);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("1 of the known keys"), "{said}");
    let place = organisation.place.display().to_string();
    let words = ["trust", "sign", "--key", "second.pem", "--name", "acme.example/second", &place];
    let both = done(&organisation.office.run(&words));
    fs::write(&organisation.place, both).unwrap();
    assert_eq!(refresh(&machine).0, Some(0));
    assert_eq!(exec(&machine, &one, &[]).0, "ran");
    assert!(Path::new(&place).exists());
}
