//! What the function was made for, one test for each promise.
//!
//! The checksums here come from the shell, by the line that the documentation gives for `kubectl get configmap … -o json`:
//! `jq -cS '{binaryData:(.binaryData//{}),data:(.data//{})}' | sha256sum`; those of whole manifests from `jq -cS . | sha256sum`.

#[cfg(test)]
#[path = "support/lists.rs"]
mod lists;
#[cfg(test)]
#[path = "support/program.rs"]
mod program;

#[cfg(test)]
mod verification {
    use crate::lists::{changed, operator_list, run, with_config};

    const RESTART: &str = "{restartOnConfigChange: true}";
    const RESTART_BY_MANIFEST: &str = "{restartOnConfigChange: true, checksum: {covers: Manifest}}";

    /// Of the `ConfigMap` as the fixture has it.
    const CHECKSUM: &str = "bc27145ce8c4e3cd6e77351a9a984438a7c1581b4a1c88a8738d9649a00da6ae";
    /// With an interval of 60 s.
    const CHECKSUM_OF_60_S: &str =
        "370508da926c2a76ce4b28e393c0c7eb85c3db26612a99303a2f6bd37533d0f8";
    /// Of the whole `ConfigMap`.
    const MANIFEST: &str = "6d52d1e1be5630df8f54773195bd08bea0528cc3b512d2a29a92a2344ed924ee";
    /// Of the whole `ConfigMap` that the next chart version renders.
    const MANIFEST_OF_1_12_1: &str =
        "d556a41a671771fe6ac1a7f6e308e785ab13d08e0d5bfc804608e774c505a516";

    const NEXT_CHART: [(&str, &str); 2] = [
        ("operator-1.12.0", "operator-1.12.1"),
        ("version: \"1.12.0\"", "version: \"1.12.1\""),
    ];

    #[test]
    fn off_leaves_the_items_byte_identical() {
        let list = operator_list();
        for config in [
            "{}",
            "{restartOnConfigChange: false, deploymentAnnotations: {}}",
            "~",
        ] {
            let input = with_config(&list, config);
            let outcome = run(&input);
            assert_eq!(outcome.before_results(), input.trim_end());
            assert_eq!(outcome.reasons(), ["NothingToDo"]);
            assert_eq!(outcome.run.code, Some(0));
        }
        assert_eq!(run(&list).before_results(), list.trim_end());
    }

    #[test]
    fn on_adds_the_checksum_and_nothing_else() {
        let input = with_config(&operator_list(), RESTART);
        let outcome = run(&input);
        assert_eq!(outcome.checksum(), Some(CHECKSUM));
        assert_eq!(outcome.reasons(), ["ChecksumAdded"]);
        let added = format!("          checksum/config: \"{CHECKSUM}\"\n");
        assert_eq!(
            outcome.before_results().replace(&added, ""),
            input.trim_end()
        );
    }

    #[test]
    fn the_documented_test_vector_holds() {
        let list = operator_list();
        let (before, rest) = list.split_once("    config.yaml: |+\n").unwrap();
        let (_, after) = rest.split_once("- apiVersion: apps/v1\n").unwrap();
        let list = format!("{before}    a: b\n- apiVersion: apps/v1\n{after}");
        let outcome = run(&with_config(&list, RESTART));
        let expected = "9359bae0a0de7e7b928be46d40be977f624952fd26b48f3cb7097dc5cfe5d2c4";
        assert_eq!(outcome.checksum(), Some(expected));
    }

    #[test]
    fn a_config_change_changes_the_checksum() {
        let before = run(&with_config(&operator_list(), RESTART));
        let after = run(&changed(
            &before.text,
            &[("interval: 15 s", "interval: 60 s")],
        ));
        assert_eq!(after.checksum(), Some(CHECKSUM_OF_60_S));
        assert_eq!(after.reasons(), ["ChecksumAdded", "ChecksumUpdated"]);
        let updated = &after.list["results"][1]["field"];
        assert_eq!(updated["currentValue"], CHECKSUM);
        assert_eq!(updated["proposedValue"], CHECKSUM_OF_60_S);
    }

    #[test]
    fn identical_values_applied_again_change_nothing() {
        let first = run(&with_config(&operator_list(), RESTART));
        let again = run(&first.text);
        assert_eq!(again.before_results(), first.before_results());
        assert_eq!(again.reasons(), ["ChecksumAdded", "ChecksumUnchanged"]);
    }

    #[test]
    fn the_same_values_written_otherwise_change_nothing() {
        let otherwise = [
            (
                "    config.yaml: |+\n      # Of the platform team\n",
                "    config.yaml: \"# Of the platform team\\n\\\n",
            ),
            ("interval: 15 s\n", "interval: 15 s\\n\\\n"),
            (
                "check.interval: 5 s\n\n",
                "check.interval: 5 s\\n\\n\" # the same\n",
            ),
        ];
        let list = changed(&operator_list(), &otherwise);
        assert_eq!(run(&with_config(&list, RESTART)).checksum(), Some(CHECKSUM));
    }

    #[test]
    fn configuration_from_elsewhere_gets_no_checksum() {
        let list = changed(
            &operator_list(),
            &[(
                "name: flink-operator-config\n    namespace",
                "name: another\n    namespace",
            )],
        );
        let input = with_config(&list, RESTART);
        let outcome = run(&input);
        assert_eq!(outcome.before_results(), input.trim_end());
        assert_eq!(outcome.reasons(), ["ConfigNotManaged"]);
        assert_eq!(outcome.run.code, Some(0));
        let told = "warning: Deployment flink/flink-kubernetes-operator: no checksum: ConfigMap flink-operator-config is not among the manifests";
        assert!(
            outcome.run.stderr.starts_with(told),
            "{}",
            outcome.run.stderr
        );
    }

    #[test]
    fn annotations_go_on_the_deployment_and_not_on_the_pod_template() {
        let list = operator_list();
        let config = "{deploymentAnnotations: {reloader.stakater.com/auto: \"true\", example.com/owner: data}}";
        let outcome = run(&with_config(&list, config));
        let before: serde_yaml::Value = serde_yaml::from_str(&list).unwrap();
        let deployment = outcome.item("Deployment");
        assert_eq!(
            deployment["metadata"]["annotations"]["reloader.stakater.com/auto"],
            "true"
        );
        assert_eq!(
            deployment["metadata"]["annotations"]["example.com/owner"],
            "data"
        );
        assert_eq!(deployment["spec"], before["items"][1]["spec"]);
        assert_eq!(outcome.reasons(), ["AnnotationAdded", "AnnotationAdded"]);
    }

    #[test]
    fn a_chart_version_bump_alone_moves_manifest_but_not_data() {
        let now = operator_list();
        let next = changed(&now, &NEXT_CHART);
        let checksum = |list: &str, config: &str| {
            run(&with_config(list, config))
                .checksum()
                .map(str::to_owned)
        };
        assert_eq!(checksum(&now, RESTART).as_deref(), Some(CHECKSUM));
        assert_eq!(checksum(&next, RESTART).as_deref(), Some(CHECKSUM));
        assert_eq!(
            checksum(&now, RESTART_BY_MANIFEST).as_deref(),
            Some(MANIFEST)
        );
        assert_eq!(
            checksum(&next, RESTART_BY_MANIFEST).as_deref(),
            Some(MANIFEST_OF_1_12_1)
        );
    }
}
