use super::file::{ConfigError, parse};
use super::*;

fn with(system: &str, user: &str, environment: &[(&str, &str)]) -> Result<AttestationConfig, ConfigError> {
    let variable = |name: &str| {
        Ok(environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    };
    Config::layered(Some(parse(system).unwrap()), Some(parse(user).unwrap()), &variable)
        .map(|config| config.attestation)
}

#[test]
fn nothing_said_is_off() {
    let found = with("", "", &[]).unwrap();
    assert_eq!(found, AttestationConfig::default());
    assert!(!found.enabled);
}

#[test]
fn a_mode_that_demands_attestations_makes_them() {
    assert!(with("", "[attestation]\nmode = \"log\"", &[]).unwrap().enabled);
    assert!(!with("", "[attestation]\nmode = \"log\"\nenabled = false", &[]).unwrap().enabled);
}

#[test]
fn the_environment_comes_after_the_file() {
    let found =
        with("", "[attestation]\nmode = \"log\"", &[("RECOURSE_ATTESTATION_MODE", "require")]).unwrap();
    assert_eq!(found.mode, Mode::Require);
}

#[test]
fn nothing_loosens_what_the_system_demands() {
    let system = "[attestation]\nmode = \"require\"\ntrusted_instances = [\"https://a.example\"]\ncross_check = true\nkey_cache_ttl = 60";
    let user = "[attestation]\nmode = \"ignore\"\ntrusted_instances = []\ncross_check = false\nkey_cache_ttl = 600\nallow_unfresh = true";
    let found = with(system, user, &[("RECOURSE_ATTESTATION_MODE", "log")]).unwrap();
    assert_eq!(found.mode, Mode::Require);
    assert_eq!(found.trusted_instances, ["https://a.example"]);
    assert!(found.cross_check && !found.allow_unfresh);
    assert_eq!(found.key_cache_ttl, Duration::from_secs(60));
}

#[test]
fn nobody_names_instances_where_the_system_requires_attestations_and_names_none() {
    let variables = [("RECOURSE_TRUSTED_INSTANCES", "https://evil.example")];
    let user = "[attestation]\ntrusted_instances = [\"https://evil.example\"]";
    let require = "[attestation]\nmode = \"require\"";
    assert!(with(require, user, &variables).unwrap().trusted_instances.is_empty());
    // Any instance counts there: to name some is stricter.
    let verify = "[attestation]\nmode = \"verify\"";
    assert_eq!(with(verify, "", &variables).unwrap().trusted_instances, ["https://evil.example"]);
    assert_eq!(with("", user, &[]).unwrap().trusted_instances, ["https://evil.example"]);
}

#[test]
fn nobody_takes_the_name_of_an_instance_that_the_system_trusts() {
    let system = "[attestation]\ntrusted_instances = [\"https://a.example\"]";
    let environment =
        [("RECOURSE_BASE_URL", "https://a.example"), ("RECOURSE_EVALUATOR_URL", "https://evil.example")];
    let found = with(system, "[attestation]\nbase_url = \"https://a.example\"", &environment).unwrap();
    assert_eq!(found.base_url, DEFAULT_BASE_URL);
    assert_eq!(found.evaluator_url, None);
    assert_eq!(with("", "", &environment).unwrap().base_url, "https://a.example");
}

#[test]
fn what_is_required_has_a_bound_of_age() {
    let age = |system: &str, variable: &str| {
        with(system, "", &[("RECOURSE_ATTESTATION_MAX_AGE", variable)]).map(|found| found.max_age)
    };
    let require = "[attestation]\nmode = \"require\"";
    assert_eq!(with(require, "", &[]).unwrap().max_age, Some(DEFAULT_MAX_AGE));
    assert_eq!(with("", require, &[]).unwrap().max_age, Some(DEFAULT_MAX_AGE));
    assert_eq!(with("", "", &[]).unwrap().max_age, None);
    // What binds does not get longer; what the system says itself may be.
    assert_eq!(age(require, "90000").unwrap(), Some(DEFAULT_MAX_AGE));
    assert_eq!(age(require, "60").unwrap(), Some(Duration::from_secs(60)));
    assert_eq!(
        age("[attestation]\nmode = \"require\"\nmax_age = 3600", "90000").unwrap(),
        Some(Duration::from_secs(3600))
    );
}

#[test]
fn the_system_says_whom_attestations_are_for() {
    let audience = |system: &str, variable: &str| {
        with(system, "", &[("RECOURSE_AUDIENCE", variable)]).map(|found| found.audience)
    };
    assert_eq!(audience("[attestation]\naudience = \"prod\"", "test").unwrap().as_deref(), Some("prod"));
    assert_eq!(audience("", "test").unwrap().as_deref(), Some("test"));
    // A file that binds leaves nothing of this to the environment, nor to the person's own file.
    for binds in ["mode = \"require\"", "mode = \"verify\"", "trusted_instances = [\"https://a.example\"]"] {
        let binds = format!("[attestation]\n{binds}");
        assert_eq!(audience(&binds, "test").unwrap(), None, "{binds}");
        let own = "[attestation]\naudience = \"test\"\nstore = \"s3://own/x\"\nkey_cache_ttl = 900000";
        let variables = [("RECOURSE_ATTESTATION_STORE", "s3://own/y"), ("RECOURSE_KEY_CACHE_TTL", "9000000")];
        let found = with(&binds, own, &variables).unwrap();
        assert_eq!((found.audience, found.store), (None, None), "{binds}");
        assert_eq!(found.key_cache_ttl, DEFAULT_KEY_CACHE_TTL, "{binds}");
    }
    assert!(audience("", "two words").is_err());
}

#[test]
fn wrong_values_are_errors() {
    for wrong in [
        "mode = \"strict\"",
        "base_url = \"ftp://a\"",
        "trusted_instances = [\"nonsense\"]",
        "validity = 0",
        "profile = \"tiny\"",
        "instance_id = \"a b\"",
    ] {
        assert!(with("", &format!("[attestation]\n{wrong}"), &[]).is_err(), "{wrong}");
    }
    assert!(parse("[attestation]\nmod = \"log\"").is_err());
    let broken = parse("# mine\n[record\n").unwrap_err();
    assert!(broken.starts_with("line 2: ") && !broken.contains(['\n', '|']), "{broken}");
    assert!(with("", "", &[("RECOURSE_ATTESTATION_MODE", "of")]).is_err());
    assert!(with("", "", &[("RECOURSE_CROSS_CHECK", "maybe")]).is_err());
}

#[test]
fn nobodys_bundle_takes_in_whom_the_system_does_not_trust() {
    let key_of = |name: &str, seed: u8| {
        let signer = ed25519_dalek::SigningKey::from_bytes(&[seed; 32]);
        let kind = crate::attest::tlog::Kind::Log;
        crate::attest::tlog::signer::NoteSigner::new(name, kind, signer).unwrap().vkey().to_string()
    };
    let key = key_of("mine", 1);
    let mine = format!("[trust]\nbundle = \"/tmp/mine.json\"\nkeys = [\"{key}\"]\n");
    let variables = [("RECOURSE_TRUST_BUNDLE", "/tmp/other.json"), ("RECOURSE_TRUST_KEYS", key.as_str())];
    for system in ["[attestation]\nmode = \"require\"", "[attestation]\ntrusted_instances = []"] {
        assert_eq!(with(system, &mine, &variables).unwrap().trust, None, "{system}");
    }
    let own = mine.replace("/tmp/mine.json", "/etc/own.json");
    let bound = with(&own, &mine, &variables).unwrap();
    assert_eq!(bound.trust.unwrap().bundle, "/etc/own.json");
    // No variable takes the place of what a file follows; nor do a user's keys that of the system's.
    let others = key_of("others", 2);
    let variables = [("RECOURSE_TRUST_BUNDLE", "/tmp/other.json"), ("RECOURSE_TRUST_KEYS", others.as_str())];
    let found = with("", &mine, &variables).unwrap().trust.unwrap();
    assert_eq!((found.bundle.as_str(), found.keys[0].to_string()), ("/tmp/mine.json", key.clone()));
    let found = with("", "", &variables).unwrap().trust.unwrap();
    assert_eq!((found.bundle.as_str(), found.keys[0].to_string()), ("/tmp/other.json", others.clone()));
    let keys_alone = format!("[trust]\nkeys = [\"{others}\"]\n");
    let found = with(&keys_alone, &mine, &[]).unwrap().trust.unwrap();
    assert_eq!((found.bundle.as_str(), found.keys[0].to_string()), ("/tmp/mine.json", others.clone()));
    // And nobody takes the name of an instance that it may name.
    let name = [("RECOURSE_BASE_URL", "https://a.example")];
    assert_eq!(with(&own, "", &name).unwrap().base_url, DEFAULT_BASE_URL);
    assert_eq!(with("", &mine, &[]).unwrap().trust.unwrap().bundle, "/tmp/mine.json");
    assert!(with("", &mine.replace(&key, "x"), &[]).is_err());
    assert!(with("", "[trust]\nbundle = \"http://far.example/x\"\nkeys = []", &[]).is_err());
}

#[test]
fn a_file_of_the_machine_is_its_administrators_alone() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, "").unwrap();
    for (mode, open) in [(0o666, true), (0o646, true), (0o644, false), (0o600, false)] {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(layers::open_to_others(&file.metadata().unwrap()).is_some(), open, "{mode:o}");
    }
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o664)).unwrap();
    let meta = file.metadata().unwrap();
    assert_eq!(layers::open_to_others(&meta).is_some(), meta.gid() != 0);
}
