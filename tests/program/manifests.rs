//! What `kubectl` deletes by a manifest or a kustomization is judged by what stands in it.

use crate::support::{Scratch, json};

const PLACE: &str = "apiVersion: v1\nkind: Namespace\nmetadata: {name: prod}\n";
const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n";

fn verdict(scratch: &Scratch, line: &str) -> (String, String) {
    let output = scratch.run(&["evaluate", "shell", "--fail-on", "never", "--format", "json", line]);
    let report = json(&output);
    (report["riskAssessment"].as_str().unwrap().to_owned(), report.to_string())
}

#[test]
fn what_stands_in_a_manifest_decides() {
    let scratch = Scratch::new();
    scratch.file("place.yaml", PLACE);
    scratch.file("web.yaml", WEB);
    scratch.file("both/a.yaml", format!("{WEB}---\n{PLACE}"));
    scratch.file("built/kustomization.yaml", "resources: [../place.yaml, ../web.yaml]\n");
    scratch.file("outer/kustomization.yml", "resources:\n- ../built\n");
    for line in [
        "kubectl delete -f place.yaml",
        "kubectl delete -f web.yaml -f place.yaml",
        "kubectl delete --filename=both/a.yaml",
        "kubectl delete -R -f both",
        "kubectl delete -k built",
        "kubectl delete -k outer",
        "kubectl replace --force -f place.yaml",
        "kubectl delete Namespace prod",
        "kubectl delete Namespace/prod",
    ] {
        let (verdict, said) = verdict(&scratch, line);
        assert_eq!(verdict, "block", "{line}");
        assert!(said.contains("everything in prod"), "{line}: {said}");
    }
    for line in ["kubectl apply -f place.yaml", "kubectl delete -f place.yaml --dry-run=client"] {
        assert_eq!(verdict(&scratch, line).0, "allow", "{line}");
    }
    assert_ne!(verdict(&scratch, "kubectl delete -f web.yaml").0, "block");
    // What cannot be read is judged by its options.
    scratch.file("torn.yaml", "kind: {{ .Values.kind }}\n");
    assert_eq!(verdict(&scratch, "kubectl delete -f torn.yaml").0, "escalate");
}
