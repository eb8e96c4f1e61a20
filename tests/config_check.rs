//! `configCheck`: is a configuration that the operator could not load found before it causes a restart, and nothing else?

#![cfg(test)]

#[path = "support/installation.rs"]
mod installation;

use flink_operator_rollout::function_config::{ConfigCheck, OperatorRollout};
use flink_operator_rollout::results::{Outcome, Reason, Severity};
use installation::{ConfigMap, Installation};

fn outcomes(installation: &Installation, config_check: ConfigCheck) -> Vec<Outcome> {
    let config = OperatorRollout {
        restart_on_config_change: true,
        config_check,
        ..Default::default()
    };
    installation.run(&config).0
}

/// What the check says of a file: each reason with its message.
fn found(file: &'static str, text: &str) -> Vec<(Reason, String)> {
    let outcomes = outcomes(&Installation::of(&[(file, text)]), ConfigCheck::Warn);
    outcomes
        .into_iter()
        .filter(|outcome| {
            matches!(
                outcome.tags.reason,
                Reason::ConfigWouldNotLoad | Reason::MisspelledOption
            )
        })
        .map(|outcome| (outcome.tags.reason, outcome.message))
        .collect()
}

#[test]
fn what_the_operator_could_not_load_is_named_with_its_line_and_what_would_be_right() {
    let cases: [(&str, &str, &[&str]); 13] = [
        (
            "config.yaml",
            "a: 1\nkubernetes.operator.reconcile.interval: 15 parsecs\n",
            &[
                "line 2",
                "`kubernetes.operator.reconcile.interval`",
                "`15 parsecs`",
                "a duration",
            ],
        ),
        (
            "config.yaml",
            "kubernetes:\n  operator:\n    reconcile:\n      parallelism: many\n",
            &[
                "line 4",
                "`kubernetes.operator.reconcile.parallelism`",
                "`many`",
                "a whole number",
            ],
        ),
        (
            "flink-conf.yaml",
            "kubernetes.operator.health.probe.enabled: yes\n",
            &["line 1", "`yes`", "true or false"],
        ),
        (
            "flink-conf.yaml",
            "kubernetes.operator.user.artifacts.http.header: no colon\n",
            &["line 1", "keys with values"],
        ),
        (
            "config.yaml",
            "a: 1\nb: 2\na: 3\n",
            &["line 3", "`a`", "twice"],
        ),
        (
            "config.yaml",
            "a:\n  b: 1\n  b: 1\n",
            &["line 3", "`b`", "twice"],
        ),
        (
            "config.yaml",
            "- a\n",
            &["a list", "one mapping of options"],
        ),
        (
            "config.yaml",
            "only text\n",
            &["a string", "one mapping of options"],
        ),
        ("config.yaml", "a: [\n", &["not YAML"]),
        // Flink's loader takes no null, not even for an option that nobody reads.
        (
            "config.yaml",
            "a: 1\nb:\n  c:\n",
            &["line 3", "`b.c`", "no value"],
        ),
        ("config.yaml", "a: ~\n", &["line 1", "`a`", "no value"]),
        (
            "config.yaml",
            "kubernetes.operator.reconcile.interval: \"\"\n",
            &["line 1", "``", "a duration"],
        ),
        (
            "config.yaml",
            "kubernetes.operator.leader-election.enabled: true\n",
            &["line 1", "lease-name"],
        ),
    ];
    for (file, text, parts) in cases {
        let found = found(file, text);
        let [(reason, message)] = found.as_slice() else {
            panic!("{text:?}: {found:?}")
        };
        assert_eq!(*reason, Reason::ConfigWouldNotLoad, "{text:?}");
        for part in [&[file], parts].concat() {
            assert!(message.contains(part), "{part:?} in {message:?}");
        }
    }
}

#[test]
fn what_it_would_load_is_let_pass() {
    let cases = [
        ("config.yaml", ""),
        ("config.yaml", "# only a comment\n"),
        (
            "config.yaml",
            "kubernetes.operator:\n  reconcile.interval: 15 s\n  reconcile.parallelism: 5\n",
        ),
        (
            "config.yaml",
            "kubernetes.operator.reconcile.interval: \"PT5M\"\nunknown: {a: [1]}\n",
        ),
        (
            "config.yaml",
            "kubernetes.operator.watched.namespaces: \"\"\nlist: [null]\nnone: {}\n",
        ),
        (
            "config.yaml",
            "kubernetes.operator.leader-election.enabled: true\nkubernetes.operator.leader-election.lease-name: lease\n",
        ),
        (
            "config.yaml",
            "kubernetes.operator.leader-election.enabled: false\n",
        ),
        (
            "flink-conf.yaml",
            "kubernetes.operator.reconcile.interval: 15 parsecs\nkubernetes.operator.reconcile.interval: 15 s\n",
        ),
        (
            "flink-conf.yaml",
            "no option\na: [\nb:\tc\nkubernetes.operator.reconcile.interval: 5 MINUTE # often\n",
        ),
        (
            "other.yaml",
            "kubernetes.operator.reconcile.interval: 15 parsecs\n",
        ),
    ];
    for (file, text) in cases {
        assert_eq!(found(file, text), [], "{text:?}");
    }
}

#[test]
fn only_what_is_in_force_is_looked_at() {
    let both = Installation::of(&[
        ("config.yaml", "a: 1\na: 2\n"),
        ("flink-conf.yaml", "a: 1\n"),
    ]);
    assert!(
        outcomes(&both, ConfigCheck::Refuse)
            .iter()
            .all(|outcome| outcome.severity < Severity::Error)
    );
    let mut overridden = Installation::of(&[(
        "config.yaml",
        "kubernetes.operator.reconcile.interval: soon\n",
    )]);
    overridden.config_maps.push(ConfigMap::of(
        "over",
        &[(
            "config.yaml",
            "kubernetes.operator.reconcile.interval: 1 s\n",
        )],
    ));
    overridden.container = "env: [{name: CONF_OVERRIDE_DIR, value: /over}], volumeMounts: [{name: conf, mountPath: /opt/flink/conf}, {name: over, mountPath: /over}]";
    overridden.volumes =
        "[{name: conf, configMap: {name: conf}}, {name: over, configMap: {name: over}}]";
    assert!(
        outcomes(&overridden, ConfigCheck::Refuse)
            .iter()
            .all(|outcome| outcome.severity < Severity::Error)
    );
}

#[test]
fn a_lease_name_may_come_from_what_is_not_among_the_manifests() {
    let mut installation = Installation::of(&[(
        "config.yaml",
        "kubernetes.operator.leader-election.enabled: true\n",
    )]);
    installation.container = "env: [{name: CONF_OVERRIDE_DIR, value: /over}], volumeMounts: [{name: conf, mountPath: /opt/flink/conf}, {name: over, mountPath: /over}]";
    installation.volumes =
        "[{name: conf, configMap: {name: conf}}, {name: over, configMap: {name: elsewhere}}]";
    assert!(
        outcomes(&installation, ConfigCheck::Refuse)
            .iter()
            .all(|outcome| outcome.severity < Severity::Error)
    );
}

#[test]
fn leader_election_of_one_replica_is_refused_but_not_warned_of() {
    let mut installation = Installation::of(&[(
        "config.yaml",
        "kubernetes.operator.leader-election.enabled: true\n",
    )]);
    installation.replicas = 1;
    let reasons = |config_check| -> Vec<Reason> {
        outcomes(&installation, config_check)
            .iter()
            .map(|outcome| outcome.tags.reason)
            .collect()
    };
    assert_eq!(reasons(ConfigCheck::Warn), [Reason::ChecksumAdded]);
    assert_eq!(reasons(ConfigCheck::Refuse), [Reason::ConfigWouldNotLoad]);
}

#[test]
fn each_level_does_what_its_name_says() {
    let installation = Installation::of(&[(
        "config.yaml",
        "kubernetes.operator.reconcile.interval: soon\n",
    )]);
    let said = |config_check| -> Vec<(Reason, Severity)> {
        let outcomes = outcomes(&installation, config_check);
        outcomes
            .iter()
            .map(|outcome| (outcome.tags.reason, outcome.severity))
            .collect()
    };
    assert_eq!(
        said(ConfigCheck::Skip),
        [(Reason::ChecksumAdded, Severity::Info)]
    );
    assert_eq!(
        said(ConfigCheck::Warn),
        [
            (Reason::ConfigWouldNotLoad, Severity::Warning),
            (Reason::ChecksumAdded, Severity::Info)
        ]
    );
    assert_eq!(
        said(ConfigCheck::Refuse),
        [(Reason::ConfigWouldNotLoad, Severity::Error)]
    );
    let config = OperatorRollout {
        restart_on_config_change: true,
        config_check: ConfigCheck::Refuse,
        ..Default::default()
    };
    assert!(!installation.run(&config).1.contains("checksum/config"));
}

#[test]
fn nothing_is_looked_at_without_restarts() {
    let installation = Installation::of(&[("config.yaml", "a: [\n")]);
    let mut config = OperatorRollout {
        config_check: ConfigCheck::Refuse,
        ..Default::default()
    };
    config
        .deployment_annotations
        .insert("a".to_owned(), "b".to_owned());
    let reasons: Vec<Reason> = installation
        .run(&config)
        .0
        .iter()
        .map(|outcome| outcome.tags.reason)
        .collect();
    assert_eq!(reasons, [Reason::AnnotationAdded]);
}

#[test]
fn a_misspelt_option_is_a_warning_with_the_nearest_name() {
    let installation = Installation::of(&[(
        "config.yaml",
        "kubernetes.operator.reconcile.intervall: 15 s\n",
    )]);
    for config_check in [ConfigCheck::Warn, ConfigCheck::Refuse] {
        let outcomes = outcomes(&installation, config_check);
        let outcome = outcomes
            .iter()
            .find(|outcome| outcome.tags.reason == Reason::MisspelledOption)
            .unwrap();
        assert_eq!(outcome.severity, Severity::Warning);
        let json = outcome.to_json();
        assert_eq!(
            json["resourceRef"],
            serde_json::json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "conf"})
        );
        assert_eq!(
            json["field"],
            serde_json::json!({
                "path": "data[\"config.yaml\"]",
                "currentValue": "kubernetes.operator.reconcile.intervall",
                "proposedValue": "kubernetes.operator.reconcile.interval",
            })
        );
        assert!(outcome.message.contains("line 1"), "{}", outcome.message);
    }
}
