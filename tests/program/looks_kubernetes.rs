//! Looks into a cluster: the real kubectl, and an API server of the test's own that has one claim, its volume and two
//! namespaces.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Output;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::Scratch;

/// The resources of the API: name, kind, short name, in a namespace, among `all`.
const RESOURCES: [(&str, &str, &str, bool, bool); 7] = [
    ("pods", "Pod", "po", true, true),
    ("services", "Service", "svc", true, true),
    ("persistentvolumeclaims", "PersistentVolumeClaim", "pvc", true, false),
    ("persistentvolumes", "PersistentVolume", "pv", false, false),
    ("secrets", "Secret", "", true, false),
    ("configmaps", "ConfigMap", "cm", true, false),
    ("namespaces", "Namespace", "ns", false, false),
];

/// A cluster whose volume has this reclaim policy.
struct Cluster {
    address: String,
    /// What was asked: method and path.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Cluster {
    fn new(phase: &'static str, reclaim: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || serve(stream, phase, reclaim, &kept));
            }
        });
        Self { address, asked }
    }

    fn deleted(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter_map(|line| line.strip_prefix("DELETE ").map(str::to_owned)).collect()
    }

    fn looked(&self) -> bool {
        let asked = self.asked.lock().unwrap();
        asked.iter().any(|line| line.starts_with("GET /api/v1/"))
    }
}

fn serve(mut stream: TcpStream, phase: &str, reclaim: &str, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    reader.read_line(&mut first).unwrap_or_default();
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap_or_default();
    let mut words = first.split_whitespace();
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return };
    let path = target.split('?').next().unwrap_or_default();
    asked.lock().unwrap().push(format!("{method} {path}"));
    let (status, answer) = match method {
        "DELETE" => (200, json!({"kind": "Status", "apiVersion": "v1", "status": "Success"})),
        _ => answer(path, phase, reclaim),
    };
    let answer = answer.to_string();
    let head = format!(
        "HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        answer.len()
    );
    let _ = stream.write_all((head + &answer).as_bytes());
}

fn answer(path: &str, phase: &str, reclaim: &str) -> (u16, Value) {
    let list = |kind: &str, items: Value| {
        (200, json!({"kind": kind, "apiVersion": "v1", "metadata": {}, "items": items}))
    };
    match path {
        "/version" => (200, json!({"major": "1", "minor": "32", "gitVersion": "v1.32.0"})),
        "/api" => (200, json!({"kind": "APIVersions", "versions": ["v1"]})),
        "/apis" => (200, json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": []})),
        "/api/v1" => {
            let all = RESOURCES.map(|(name, kind, short, namespaced, all)| {
                json!({"name": name, "singularName": "", "namespaced": namespaced, "kind": kind,
                    "verbs": ["get", "list", "delete"], "shortNames": [short],
                    "categories": if all { json!(["all"]) } else { json!([]) }})
            });
            (200, json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": all}))
        }
        "/api/v1/namespaces/prod/persistentvolumeclaims/data" => (
            200,
            json!({"kind": "PersistentVolumeClaim", "apiVersion": "v1",
                "metadata": {"name": "data", "namespace": "prod", "uid": "u"}, "status": {"phase": phase}}),
        ),
        "/api/v1/persistentvolumes" => list(
            "PersistentVolumeList",
            json!([{"metadata": {"name": "v"}, "spec": {"claimRef": {"namespace": "prod", "name": "data"},
                "persistentVolumeReclaimPolicy": reclaim}}]),
        ),
        "/api/v1/namespaces/prod/configmaps" => list(
            "ConfigMapList",
            json!([{"kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "prod"}}]),
        ),
        _ => match RESOURCES.iter().find(|(name, ..)| path.ends_with(&format!("/{name}"))) {
            Some((_, kind, ..)) => list(&format!("{kind}List"), json!([])),
            None => (
                404,
                json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}),
            ),
        },
    }
}

fn is_there() -> bool {
    let found = ["/usr/bin/kubectl", "/usr/local/bin/kubectl"].iter().any(|path| Path::new(path).exists());
    if !found {
        println!("SKIPPED: kubectl is not installed");
    }
    found
}

fn run(scratch: &Scratch, cluster: &Cluster, options: &[&str], words: &[&str]) -> Output {
    let settings = scratch.file(
        "kubeconfig",
        format!(
            "apiVersion: v1\nkind: Config\nclusters: [{{name: c, cluster: {{server: \"{}\"}}}}]\n\
             contexts: [{{name: c, context: {{cluster: c, user: u}}}}]\nusers: [{{name: u, user: {{}}}}]\ncurrent-context: c\n",
            cluster.address
        ),
    );
    let all: Vec<&str> = ["exec", "--profile", "human"]
        .iter()
        .chain(options)
        .chain(&["--", "kubectl", "delete"])
        .chain(words)
        .copied()
        .collect();
    scratch.recourse(&all).env("KUBECONFIG", settings).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const CLAIM: [&str; 5] = ["persistentvolumeclaim", "data", "-n", "prod", "--wait=false"];

#[test]
fn the_real_kubectl_looks_at_a_stub_api_before_a_claim_goes() {
    if !is_there() {
        return;
    }
    for (phase, reclaim, runs) in
        [("Bound", "Retain", true), ("Bound", "Delete", false), ("Pending", "Delete", true)]
    {
        let scratch = Scratch::lasting();
        let cluster = Cluster::new(phase, reclaim);
        let refused = run(&scratch, &cluster, &[], &CLAIM);
        assert_eq!(refused.status.code(), Some(126), "{}", said(&refused));
        assert!(!cluster.looked(), "nothing is asked without --look");
        let done = run(&scratch, &cluster, &["--look"], &CLAIM);
        assert!(cluster.looked(), "{}", said(&done));
        assert_eq!(done.status.success(), runs, "{phase} {reclaim}: {}", said(&done));
        let gone = if runs { vec!["/api/v1/namespaces/prod/persistentvolumeclaims/data"] } else { vec![] };
        assert_eq!(cluster.deleted(), gone, "{phase} {reclaim}");
    }
}

#[test]
fn the_real_kubectl_looks_at_a_stub_api_before_a_namespace_goes() {
    if !is_there() {
        return;
    }
    for (name, runs) in [("empty", true), ("prod", false)] {
        let scratch = Scratch::lasting();
        let cluster = Cluster::new("Bound", "Retain");
        let words = ["namespace", name, "--wait=false"];
        assert_eq!(run(&scratch, &cluster, &[], &words).status.code(), Some(126), "{name}");
        let done = run(&scratch, &cluster, &["--look"], &words);
        assert_eq!(done.status.success(), runs, "{name}: {}", said(&done));
        assert_eq!(cluster.deleted().len(), usize::from(runs), "{name}");
    }
}

#[test]
fn a_cluster_that_does_not_answer_the_real_kubectl_helps_nothing() {
    if !is_there() {
        return;
    }
    let scratch = Scratch::lasting();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let cluster = Cluster { address: format!("http://{nobody}"), asked: Arc::default() };
    let done = run(&scratch, &cluster, &["--look"], &CLAIM);
    assert_eq!(done.status.code(), Some(126), "{}", said(&done));
}
