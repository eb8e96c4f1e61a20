//! kustomize, as kubectl has it, with the function's image: does each operator get the checksum of the
//! configuration that is deployed beside it?

#[cfg(test)]
#[path = "support/image.rs"]
mod image;
#[cfg(test)]
#[path = "support/kubectl.rs"]
mod kubectl;
#[cfg(test)]
#[path = "support/manifests.rs"]
mod manifests;
#[cfg(test)]
#[path = "support/package.rs"]
mod package;

#[cfg(test)]
mod kustomize {
    use std::path::{Path, PathBuf};
    use std::process::{Command, Output};

    use serde_yaml::Value;
    use snapbox::Data;

    use crate::image::IMAGE;
    use crate::kubectl::kubectls;
    use crate::manifests::{carried_checksum, checksum, example, only, read};
    use crate::package::{Package, files_below, hardened_containers};

    const OPERATOR: &str = r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: flink-kubernetes-operator
spec:
  selector:
    matchLabels:
      app.kubernetes.io/name: flink-kubernetes-operator
  template:
    metadata:
      labels:
        app.kubernetes.io/name: flink-kubernetes-operator
    spec:
      containers:
        - name: operator
          image: ghcr.io/apache/flink-kubernetes-operator:1.15.0
          command: ["/docker-entrypoint.sh", "operator"]
          volumeMounts:
            - name: config
              mountPath: /opt/flink/conf
      volumes:
        - name: config
          configMap:
            name: flink-operator-config
"#;

    const CONFIG: &str = r"apiVersion: v1
kind: ConfigMap
metadata:
  name: flink-operator-config
data:
  config.yaml: |
    kubernetes.operator.reconcile.interval: 15 s
";

    /// Generates the operator's configuration.
    const GENERATOR: &str = r#"configMapGenerator:
  - name: flink-operator-config
    literals:
      - "config.yaml=kubernetes.operator.reconcile.interval: 15 s"
"#;

    /// Lays an option over the configuration that another kustomization generates.
    const MERGING_GENERATOR: &str = r"configMapGenerator:
  - name: flink-operator-config
    behavior: merge
    literals:
      - log4j-operator.properties=rootLogger.level = DEBUG
";

    const RESOURCES: &str = "resources: [operator.yaml, config.yaml]\n";
    const TRANSFORMERS: &str = "transformers: [operator-rollout.yaml]\n";

    /// The function with options, given as the lines of its `spec`.
    fn function(spec: &str) -> String {
        format!(
            r"apiVersion: fn.flink.apache.org/v1alpha1
kind: OperatorRollout
metadata:
  name: operator-rollout
  annotations:
    config.kubernetes.io/function: |
      container:
        image: {IMAGE}
spec: {spec}
"
        )
    }

    fn restarting() -> String {
        function("{restartOnConfigChange: true}")
    }

    /// `kubectl kustomize` of a folder in the package.
    fn kustomize(kubectl: &Path, package: &Package, folder: &str) -> Output {
        Command::new(kubectl)
            .args(["kustomize", "--enable-alpha-plugins"])
            .arg(package.path().join(folder))
            .env("PATH", hardened_containers())
            .output()
            .expect("kubectl starts")
    }

    /// What every kubectl at hand prints and says, which has to be the same; the build must succeed.
    fn printed_and_said(package: &Package, folder: &str) -> (String, String) {
        let mut of_each: Vec<(String, String)> = kubectls()
            .iter()
            .map(|kubectl| {
                let output = kustomize(kubectl, package, folder);
                assert!(output.status.success(), "{}: {output:?}", kubectl.display());
                let text = |bytes| String::from_utf8(bytes).unwrap();
                (text(output.stdout), text(output.stderr))
            })
            .collect();
        of_each.dedup();
        assert_eq!(of_each.len(), 1, "{of_each:?}");
        of_each.remove(0)
    }

    fn build(package: &Package, folder: &str) -> Vec<Value> {
        read(&printed_and_said(package, folder).0)
    }

    /// The operator carries the checksum of the configuration that it mounts, and that is the one in the same namespace.
    fn assert_rolled_out(deployment: &Value, config_map: &Value) {
        assert_eq!(
            carried_checksum(deployment),
            Some(checksum(config_map).as_str())
        );
        let mounted = &deployment["spec"]["template"]["spec"]["volumes"][0]["configMap"];
        assert_eq!(mounted["name"], config_map["metadata"]["name"]);
        assert_eq!(
            deployment["metadata"].get("namespace"),
            config_map["metadata"].get("namespace")
        );
    }

    /// The same for a build with one operator; gives its Deployment and ConfigMap.
    fn assert_one_rolled_out(manifests: &[Value]) -> (&Value, &Value) {
        let (deployment, config_map) =
            (only(manifests, "Deployment"), only(manifests, "ConfigMap"));
        assert_rolled_out(deployment, config_map);
        (deployment, config_map)
    }

    fn name(manifest: &Value) -> &str {
        manifest["metadata"]["name"].as_str().unwrap()
    }

    /// The checksum taken out, together with the mapping made for it.
    fn without_checksum(mut manifests: Vec<Value>) -> Vec<Value> {
        for manifest in manifests.iter_mut().filter(|m| m["kind"] == "Deployment") {
            let metadata = manifest["spec"]["template"]["metadata"].as_mapping_mut();
            let annotations = metadata.unwrap().remove("annotations").unwrap();
            assert_eq!(annotations.as_mapping().unwrap().len(), 1);
        }
        manifests
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn adds_the_checksum_and_nothing_else() {
        let package = Package::of(&[
            ("base/operator.yaml", OPERATOR),
            ("base/config.yaml", CONFIG),
            ("base/kustomization.yaml", RESOURCES),
            ("on/operator-rollout.yaml", &restarting()),
            (
                "on/kustomization.yaml",
                &format!("resources: [../base]\n{TRANSFORMERS}"),
            ),
        ]);
        let rolled_out = build(&package, "on");
        assert_one_rolled_out(&rolled_out);
        assert_eq!(without_checksum(rolled_out), build(&package, "base"));
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn a_second_run_changes_nothing() {
        let package = Package::of(&[
            ("once/operator.yaml", OPERATOR),
            ("once/config.yaml", CONFIG),
            ("once/operator-rollout.yaml", &restarting()),
            (
                "once/kustomization.yaml",
                &format!("{RESOURCES}{TRANSFORMERS}"),
            ),
            ("twice/operator-rollout.yaml", &restarting()),
            (
                "twice/kustomization.yaml",
                &format!("resources: [../once]\n{TRANSFORMERS}"),
            ),
        ]);
        let once = build(&package, "once");
        assert_one_rolled_out(&once);
        assert_eq!(build(&package, "twice"), once);
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn the_options_at_their_defaults_change_nothing() {
        let package = Package::of(&[
            ("base/operator.yaml", OPERATOR),
            ("base/config.yaml", CONFIG),
            ("base/kustomization.yaml", RESOURCES),
            ("off/operator-rollout.yaml", &function("{}")),
            (
                "off/kustomization.yaml",
                &format!("resources: [../base]\n{TRANSFORMERS}"),
            ),
        ]);
        assert_eq!(build(&package, "off"), build(&package, "base"));
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn deployment_annotations_are_on_the_deployment_and_not_on_its_pods() {
        let annotating = function("{deploymentAnnotations: {example.com/owner: platform}}");
        let package = Package::of(&[
            ("operator.yaml", OPERATOR),
            ("config.yaml", CONFIG),
            ("operator-rollout.yaml", &annotating),
            ("kustomization.yaml", &format!("{RESOURCES}{TRANSFORMERS}")),
        ]);
        let manifests = build(&package, ".");
        let deployment = only(&manifests, "Deployment");
        assert_eq!(
            deployment["metadata"]["annotations"]["example.com/owner"],
            "platform"
        );
        assert!(
            deployment["spec"]["template"]["metadata"]
                .get("annotations")
                .is_none()
        );
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn options_may_come_in_a_config_map_with_bare_values() {
        let options = function("")
            .replace("fn.flink.apache.org/v1alpha1", "v1")
            .replace("kind: OperatorRollout", "kind: ConfigMap")
            .replace(
                "spec: ",
                "data: {restartOnConfigChange: true, checksum: {covers: Data}}",
            );
        let package = Package::of(&[
            ("operator.yaml", OPERATOR),
            ("config.yaml", CONFIG),
            ("operator-rollout.yaml", &options),
            ("kustomization.yaml", &format!("{RESOURCES}{TRANSFORMERS}")),
        ]);
        assert_one_rolled_out(&build(&package, "."));
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn a_generated_configuration_with_a_hash_suffix() {
        let package = Package::of(&[
            ("operator.yaml", OPERATOR),
            ("operator-rollout.yaml", &restarting()),
            (
                "kustomization.yaml",
                &format!("resources: [operator.yaml]\n{GENERATOR}{TRANSFORMERS}"),
            ),
        ]);
        let manifests = build(&package, ".");
        let (_, config_map) = assert_one_rolled_out(&manifests);
        let hash = name(config_map).strip_prefix("flink-operator-config-");
        assert_eq!(hash.map(str::len), Some(10), "{}", name(config_map));
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn prefix_and_namespace_in_the_same_kustomization() {
        let kustomization =
            format!("namePrefix: blue-\nnamespace: streaming\n{RESOURCES}{TRANSFORMERS}");
        let package = Package::of(&[
            ("operator.yaml", OPERATOR),
            ("config.yaml", CONFIG),
            ("operator-rollout.yaml", &restarting()),
            ("kustomization.yaml", &kustomization),
        ]);
        let manifests = build(&package, ".");
        let (deployment, config_map) = assert_one_rolled_out(&manifests);
        assert_eq!(name(config_map), "blue-flink-operator-config");
        assert_eq!(deployment["metadata"]["namespace"], "streaming");
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn prefix_and_namespace_in_overlay_over_overlay_over_a_generator() {
        let base = format!("namespace: flink\nresources: [operator.yaml]\n{GENERATOR}");
        let outermost = format!(
            "namePrefix: blue-\nnamespace: streaming\nresources: [../middle]\n{TRANSFORMERS}"
        );
        let package = Package::of(&[
            ("base/operator.yaml", OPERATOR),
            ("base/kustomization.yaml", &base),
            (
                "middle/kustomization.yaml",
                "namePrefix: eu-\nresources: [../base]\n",
            ),
            ("outermost/operator-rollout.yaml", &restarting()),
            ("outermost/kustomization.yaml", &outermost),
        ]);
        let manifests = build(&package, "outermost");
        let (deployment, config_map) = assert_one_rolled_out(&manifests);
        assert!(name(config_map).starts_with("blue-eu-flink-operator-config-"));
        assert_eq!(deployment["metadata"]["namespace"], "streaming");
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn a_component_brings_the_function() {
        let component = format!(
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n{TRANSFORMERS}"
        );
        let overlay = "namePrefix: blue-\nnamespace: streaming\nresources: [../base]\ncomponents: [../rollout]\n";
        let package = Package::of(&[
            ("base/operator.yaml", OPERATOR),
            ("base/config.yaml", CONFIG),
            ("base/kustomization.yaml", RESOURCES),
            ("rollout/operator-rollout.yaml", &restarting()),
            ("rollout/kustomization.yaml", &component),
            ("overlay/kustomization.yaml", overlay),
        ]);
        let manifests = build(&package, "overlay");
        let (_, config_map) = assert_one_rolled_out(&manifests);
        assert_eq!(name(config_map), "blue-flink-operator-config");
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn two_operators_in_two_namespaces_each_follow_their_own_configuration() {
        let team = |namespace| format!("namespace: {namespace}\n{RESOURCES}");
        let package = Package::of(&[
            ("team-a/operator.yaml", OPERATOR),
            ("team-a/config.yaml", CONFIG),
            ("team-a/kustomization.yaml", &team("team-a")),
            ("team-b/operator.yaml", OPERATOR),
            ("team-b/config.yaml", &CONFIG.replace("15 s", "60 s")),
            ("team-b/kustomization.yaml", &team("team-b")),
            ("operator-rollout.yaml", &restarting()),
            (
                "kustomization.yaml",
                &format!("resources: [team-a, team-b]\n{TRANSFORMERS}"),
            ),
        ]);
        let manifests = build(&package, ".");
        let of_team = |team: &str| -> Vec<Value> {
            let in_namespace = manifests
                .iter()
                .filter(|m| m["metadata"]["namespace"] == team);
            in_namespace.cloned().collect()
        };
        let (a, b) = (of_team("team-a"), of_team("team-b"));
        let (a, _) = assert_one_rolled_out(&a);
        let (b, _) = assert_one_rolled_out(&b);
        assert_ne!(carried_checksum(a), carried_checksum(b));
    }

    /// A base that generates the configuration, and an overlay that merges an option into it; the function is listed
    /// in the one or the other.
    fn base_and_merging_overlay(in_base: &str, in_overlay: &str) -> Package {
        Package::of(&[
            ("base/operator.yaml", OPERATOR),
            ("base/operator-rollout.yaml", &restarting()),
            (
                "base/kustomization.yaml",
                &format!("resources: [operator.yaml]\n{GENERATOR}{in_base}"),
            ),
            ("overlay/operator-rollout.yaml", &restarting()),
            (
                "overlay/kustomization.yaml",
                &format!("resources: [../base]\n{MERGING_GENERATOR}{in_overlay}"),
            ),
        ])
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn in_the_outermost_kustomization_the_function_sees_what_an_overlay_merges() {
        let package = base_and_merging_overlay("", TRANSFORMERS);
        let manifests = build(&package, "overlay");
        let (_, config_map) = assert_one_rolled_out(&manifests);
        assert_eq!(config_map["data"].as_mapping().unwrap().len(), 2);
    }

    /// Not what anybody wants, but how kustomize works, and the reason for the rule in the test above.
    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn in_a_base_the_function_misses_what_an_overlay_merges_and_the_checksum_is_stale() {
        let package = base_and_merging_overlay(TRANSFORMERS, "");
        let base = build(&package, "base");
        let (_, config_of_base) = assert_one_rolled_out(&base);

        let manifests = build(&package, "overlay");
        let carried = carried_checksum(only(&manifests, "Deployment")).unwrap();
        assert_eq!(carried, checksum(config_of_base));
        assert_ne!(carried, checksum(only(&manifests, "ConfigMap")));
    }

    /// kustomize runs components after the generators of the kustomization that lists them, and before its patches.
    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn in_a_component_the_function_sees_what_the_kustomization_merges_and_misses_what_it_patches() {
        let component = format!(
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n{TRANSFORMERS}"
        );
        let package = base_and_merging_overlay("", "components: [../rollout]\n");
        package.write("rollout/operator-rollout.yaml", &restarting());
        package.write("rollout/kustomization.yaml", &component);
        let merged = build(&package, "overlay");
        let (_, merged_config) = assert_one_rolled_out(&merged);

        let patch = r#"patches:
  - patch: |
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: flink-operator-config}
      data: {config.yaml: "kubernetes.operator.reconcile.interval: 90 s"}
"#;
        package.write(
            "overlay/kustomization.yaml",
            &format!("resources: [../base]\n{MERGING_GENERATOR}components: [../rollout]\n{patch}"),
        );
        let patched = build(&package, "overlay");
        let carried = carried_checksum(only(&patched, "Deployment")).unwrap();
        assert_eq!(carried, checksum(merged_config));
        assert_ne!(carried, checksum(only(&patched, "ConfigMap")));
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn a_configuration_brought_from_elsewhere_gets_a_warning_and_no_checksum() {
        let package = Package::of(&[
            ("operator.yaml", OPERATOR),
            ("operator-rollout.yaml", &restarting()),
            (
                "kustomization.yaml",
                &format!("resources: [operator.yaml]\n{TRANSFORMERS}"),
            ),
        ]);
        let (printed, said) = printed_and_said(&package, ".");
        let manifests = read(&printed);
        assert_eq!(carried_checksum(only(&manifests, "Deployment")), None);
        assert!(said.contains("ConfigNotManaged"), "{said}");
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn a_refusal_fails_the_build_and_says_why() {
        let package = Package::of(&[
            ("config.yaml", CONFIG),
            ("operator-rollout.yaml", restarting().as_str()),
            (
                "kustomization.yaml",
                &format!("resources: [config.yaml]\n{TRANSFORMERS}"),
            ),
        ]);
        for kubectl in kubectls() {
            let output = kustomize(&kubectl, &package, ".");
            assert!(!output.status.success(), "{output:?}");
            assert!(output.stdout.is_empty(), "{output:?}");
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains("NoOperatorDeployment"), "{said}");
        }
    }

    /// Each with the file that says what it prints.
    fn examples() -> Vec<PathBuf> {
        let expected = files_below(&example("kustomize"))
            .into_iter()
            .filter(|path| path.ends_with(".expected/manifests.yaml"));
        expected
            .map(|path| path.parent().unwrap().parent().unwrap().to_path_buf())
            .collect()
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn every_example_prints_what_it_says() {
        let package = Package::copy_of(&example("kustomize"));
        let folders = examples();
        assert!(!folders.is_empty());
        for folder in folders {
            let (printed, _) = printed_and_said(&package, folder.to_str().unwrap());
            let expected = example("kustomize")
                .join(&folder)
                .join(".expected/manifests.yaml");
            snapbox::assert_data_eq!(printed, Data::read_from(&expected, None).raw());
        }
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn the_example_restarts_the_operator_and_annotates_it() {
        let package = Package::copy_of(&example("kustomize/restart-on-config-change"));
        let manifests = build(&package, ".");
        let (deployment, _) = assert_one_rolled_out(&manifests);
        assert_eq!(
            deployment["metadata"]["annotations"]["example.com/owner"],
            "streaming-platform"
        );
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn the_example_with_overlays_rolls_only_the_operator_whose_configuration_changed() {
        let package = Package::copy_of(&example("kustomize/overlays"));
        let carried = |overlay: &str| {
            let manifests = build(&package, overlay);
            let (deployment, _) = assert_one_rolled_out(&manifests);
            carried_checksum(deployment).map(str::to_owned)
        };
        let (staging, production) = (carried("staging"), carried("production"));
        package.write(
            "staging/config.yaml",
            "kubernetes.operator.reconcile.interval: 5 s\n",
        );
        assert_ne!(carried("staging"), staging);
        assert_eq!(carried("production"), production);
    }

    #[test]
    #[ignore = "needs kubectl, podman and the image"]
    fn the_example_that_brings_its_own_configuration_has_reloader_watch_it() {
        let package = Package::copy_of(&example("kustomize/bring-your-own-config"));
        let (printed, said) = printed_and_said(&package, ".");
        assert_eq!(said, "");
        let manifests = read(&printed);
        let deployment = only(&manifests, "Deployment");
        assert_eq!(carried_checksum(deployment), None);
        assert_eq!(
            deployment["metadata"]["annotations"]["configmap.reloader.stakater.com/reload"],
            deployment["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"],
        );
    }
}
