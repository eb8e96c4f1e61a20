//! Lists as kpt and kustomize send them: is every annotation of theirs still there?

#![cfg(test)]

#[path = "support/program.rs"]
mod program;

use std::fs;
use std::path::Path;

use program::run_in;

/// The lines that hold an annotation of the orchestrator's.
fn private_lines(text: &str) -> Vec<&str> {
    let private = ["config.kubernetes.io/", "config.k8s.io/"];
    text.lines()
        .filter(|line| private.iter().any(|domain| line.contains(domain)))
        .collect()
}

fn check(name: &str, input: &str) {
    let run = run_in(Path::new("."), &[], input.as_bytes());
    let output = String::from_utf8(run.stdout).unwrap();
    let items = output.split("\nresults:\n").next().unwrap();
    assert_eq!(private_lines(items), private_lines(input), "{name}");
    assert!(output.contains("\nresults:\n"), "{name}: {}", run.stderr);
}

/// As kpt sends a package: comments, the Kptfile as an item, path annotations, the function config last.
const KPT: &str = r#"apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: kpt.dev/v1
  kind: Kptfile
  metadata:
    name: package # about it
    annotations:
      config.kubernetes.io/local-config: "true"
      config.kubernetes.io/index: '0'
      config.kubernetes.io/path: 'Kptfile'
      internal.config.kubernetes.io/package-path: '/somewhere'
- # the operator
  apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: operator
    annotations: {config.kubernetes.io/index: '0', config.kubernetes.io/path: 'a/operator.yaml', internal.config.kubernetes.io/seqindent: 'wide'}
  spec:
    template:
      spec:
        containers:
          - {name: o, command: [/docker-entrypoint.sh, operator], volumeMounts: [{name: c, mountPath: /opt/flink/conf}]}
        volumes:
          - {name: c, configMap: {name: conf}}
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: conf
    annotations:
      config.kubernetes.io/path: 'a/conf.yaml'
      internal.config.kubernetes.io/id: '3'
  data: {a: b}
functionConfig:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: function-input, annotations: {config.kubernetes.io/path: 'fn.yaml'}}
  data: {restartOnConfigChange: "true"}
"#;

/// As kustomize sends it with a name prefix: references not rewritten yet, earlier names in annotations.
const KUSTOMIZE: &str = r"apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    annotations:
      internal.config.kubernetes.io/prefixes: p-
      internal.config.kubernetes.io/previousNames: operator,operator
      kustomize.config.k8s.io/id: |
        group: apps
        kind: Deployment
    name: p-operator
    namespace: flink
  spec:
    template:
      spec:
        containers:
        - command:
          - /docker-entrypoint.sh
          - operator
          name: o
          volumeMounts:
          - mountPath: /opt/flink/conf
            name: c
        volumes:
        - configMap:
            name: conf
          name: c
- apiVersion: v1
  data:
    a: b
  kind: ConfigMap
  metadata:
    annotations:
      internal.config.kubernetes.io/needsHashSuffix: enabled
      internal.config.kubernetes.io/previousNames: conf,conf
    name: p-conf
    namespace: flink
functionConfig:
  apiVersion: fn.flink.apache.org/v1alpha1
  kind: OperatorRollout
  metadata:
    annotations:
      config.kubernetes.io/function: |
        exec: {path: flink-operator-rollout}
    name: r
  spec:
    restartOnConfigChange: true
";

/// The vector that the specification gives for `data: {a: b}`.
const CHECKSUM: &str = "9359bae0a0de7e7b928be46d40be977f624952fd26b48f3cb7097dc5cfe5d2c4";

#[test]
fn both_tools_get_their_annotations_back_and_the_checksum() {
    for (name, input) in [("kpt", KPT), ("kustomize", KUSTOMIZE)] {
        check(name, input);
        let run = run_in(Path::new("."), &[], input.as_bytes());
        let output = String::from_utf8(run.stdout).unwrap();
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        assert!(
            output.contains(&format!("checksum/config: \"{CHECKSUM}\"")),
            "{name}: {output}"
        );
    }
}

#[test]
fn real_lists_keep_theirs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures/orchestrators");
    // These are no part of the project; where they are not, the two above stand for them.
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let input = fs::read_to_string(&path).unwrap();
        if input.contains("kind: ResourceList") {
            // Their function configs are of other kinds, so that the function refuses most and hands the items back.
            check(&path.display().to_string(), &input);
        }
    }
}
