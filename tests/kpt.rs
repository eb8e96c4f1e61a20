//! kpt with the function, as image and as executable: what is on disk afterwards, and what does kpt say?

#[cfg(test)]
#[path = "support/image.rs"]
mod image;
#[cfg(test)]
#[path = "support/manifests.rs"]
mod manifests;
#[cfg(test)]
#[path = "support/package.rs"]
mod package;

#[cfg(test)]
mod kpt {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Output};

    use serde::Deserialize;
    use serde_yaml::Value;
    use snapbox::Data;
    use tempfile::TempDir;

    use crate::image::IMAGE;
    use crate::manifests::{carried_checksum, checksum, example, only, read};
    use crate::package::{Package, files_below, hardened_containers};

    /// Comments, quotes, flow style and a document without anything to do: all of it has to stay.
    const OPERATOR: &str = r#"# The operator and what it may do.
apiVersion: apps/v1
kind: Deployment
metadata: # the Deployment's own
  name: flink-kubernetes-operator
  namespace: 'flink'
  annotations:
    example.com/contact: "streaming" # a person reads this
spec:
  replicas: 1
  strategy: {type: Recreate}
  selector:
    matchLabels:
      app.kubernetes.io/name: flink-kubernetes-operator
  template:
    metadata:
      labels:
        app.kubernetes.io/name: flink-kubernetes-operator
      annotations:
        # What `kubectl logs` shows.
        kubectl.kubernetes.io/default-container: operator # not the webhook
    spec:
      containers:
        - name: operator
          image: "ghcr.io/apache/flink-kubernetes-operator:1.15.0"
          command: ["/docker-entrypoint.sh", "operator"]
          volumeMounts:
            - name: config
              mountPath: /opt/flink/conf
        - name: webhook
          image: "ghcr.io/apache/flink-kubernetes-operator:1.15.0"
          command: ["/docker-entrypoint.sh", "webhook"]
          volumeMounts:
            - name: config
              mountPath: /opt/flink/conf
      volumes:
        - name: config
          configMap:
            name: flink-operator-config
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: "flink-operator" # no checksum/config here
  namespace: flink
  labels: {"on": 'off'}
"#;

    const CONFIG: &str = r"apiVersion: v1
kind: ConfigMap
metadata:
  name: flink-operator-config
  namespace: flink
data:
  # Read when the operator starts.
  config.yaml: |+
    kubernetes.operator.reconcile.interval: 15 s # not too often

  log4j-operator.properties: 'rootLogger.level = INFO'
";

    const OPTIONS: &str = r#"apiVersion: fn.flink.apache.org/v1alpha1
kind: OperatorRollout
metadata:
  name: operator-rollout
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  restartOnConfigChange: true
  deploymentAnnotations:
    example.com/owner: platform
"#;

    /// The lines that `OPTIONS` add to `OPERATOR`, with the checksum of `CONFIG`.
    fn rolled_out() -> Vec<String> {
        vec![
            "    example.com/owner: \"platform\"".to_owned(),
            format!("        checksum/config: \"{}\"", checksum_of(CONFIG)),
        ]
    }

    fn checksum_of(config_map: &str) -> String {
        checksum(only(&read(config_map), "ConfigMap"))
    }

    fn kptfile(mutator: &str) -> String {
        format!(
            "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: flink-operator\npipeline:\n  mutators:\n    - {mutator}\n"
        )
    }

    fn operator_package(mutator: &str) -> Package {
        Package::of(&[
            ("Kptfile", kptfile(mutator).as_str()),
            ("operator.yaml", OPERATOR),
            ("config.yaml", CONFIG),
            ("operator-rollout.yaml", OPTIONS),
        ])
    }

    fn by_image() -> Package {
        operator_package(&format!(
            "{{image: '{IMAGE}', configPath: operator-rollout.yaml}}"
        ))
    }

    fn by_exec() -> Package {
        operator_package("{exec: flink-operator-rollout, configPath: operator-rollout.yaml}")
    }

    /// kpt in a folder.
    fn kpt(folder: &Path, arguments: &[&str]) -> Output {
        Command::new("kpt")
            .args(arguments)
            .current_dir(folder)
            .env("PATH", hardened_containers())
            // Its name before and since 2026.
            .env("KPT_FN_RUNTIME", "podman")
            .env("KRM_FN_RUNTIME", "podman")
            .output()
            .expect("kpt starts")
    }

    /// `kpt fn render` of a package, which must succeed.
    fn render(package: &Package) {
        let output = kpt(
            package.path(),
            &["fn", "render", "--allow-exec", "--image-pull-policy=never"],
        );
        assert!(output.status.success(), "{output:?}");
    }

    fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
        files_below(folder)
            .into_iter()
            .map(|path| {
                let text = fs::read_to_string(folder.join(&path)).unwrap();
                (path, text)
            })
            .collect()
    }

    /// The lines of `after` that are not in `before`, of which none may be missing or moved.
    fn added_lines(before: &str, after: &str) -> Vec<String> {
        let mut added = Vec::new();
        let mut kept = before.lines().peekable();
        for line in after.lines() {
            if kept.next_if_eq(&line).is_none() {
                added.push(line.to_owned());
            }
        }
        assert_eq!(kept.next(), None, "is missing or moved in {after}");
        added
    }

    /// The files have the checksum and the annotation of `OPTIONS`, in their right places, and differ in nothing else.
    fn assert_rolled_out(before: &BTreeMap<PathBuf, String>, after: &BTreeMap<PathBuf, String>) {
        assert!(before.keys().eq(after.keys()), "{:?}", after.keys());
        for (path, text) in after {
            let added = added_lines(&before[path], text);
            if path == Path::new("operator.yaml") {
                assert_eq!(added, rolled_out());
                let manifests = read(text);
                let deployment = only(&manifests, "Deployment");
                assert_eq!(
                    carried_checksum(deployment),
                    Some(checksum_of(CONFIG).as_str())
                );
                assert_eq!(
                    deployment["metadata"]["annotations"]["example.com/owner"],
                    "platform"
                );
            } else {
                assert_eq!(added, [""; 0], "{}", path.display());
            }
        }
    }

    /// Runs a command that must succeed twice: the first run rolls out, the second changes nothing.
    fn assert_rolls_out_once(package: &Package, arguments: &[&str]) {
        let before = files(package.path());
        let first = kpt(package.path(), arguments);
        assert!(first.status.success(), "{first:?}");
        let after = files(package.path());
        assert_rolled_out(&before, &after);

        let second = kpt(package.path(), arguments);
        assert!(second.status.success(), "{second:?}");
        assert_eq!(files(package.path()), after);
    }

    #[test]
    #[ignore = "needs kpt, podman and the image"]
    fn render_with_the_image_adds_the_annotations_and_nothing_else() {
        assert_rolls_out_once(&by_image(), &["fn", "render", "--image-pull-policy=never"]);
    }

    #[test]
    #[ignore = "needs kpt"]
    fn render_with_the_executable_adds_the_annotations_and_nothing_else() {
        assert_rolls_out_once(&by_exec(), &["fn", "render", "--allow-exec"]);
    }

    #[test]
    #[ignore = "needs kpt, podman and the image"]
    fn eval_with_the_image_adds_the_annotations_and_nothing_else() {
        assert_rolls_out_once(
            &by_image(),
            &[
                "fn",
                "eval",
                "--image",
                IMAGE,
                "--image-pull-policy=never",
                "--",
                "restartOnConfigChange=true",
                "deploymentAnnotations={example.com/owner: platform}",
            ],
        );
    }

    #[test]
    #[ignore = "needs kpt"]
    fn eval_with_the_executable_adds_the_annotations_and_nothing_else() {
        assert_rolls_out_once(
            &by_exec(),
            &[
                "fn",
                "eval",
                "--exec",
                "flink-operator-rollout",
                "--fn-config",
                "operator-rollout.yaml",
            ],
        );
    }

    #[test]
    #[ignore = "needs kpt"]
    fn the_function_works_between_source_and_sink() {
        let package = by_exec();
        let sink = TempDir::new().unwrap();
        let output = Command::new("bash")
            .arg("-c")
            .arg(
                "set -o pipefail; kpt fn source . --fn-config operator-rollout.yaml \
                 | flink-operator-rollout | kpt fn sink \"$0\"",
            )
            .arg(sink.path().join("sunk"))
            .current_dir(package.path())
            .env("PATH", hardened_containers())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_rolled_out(&files(package.path()), &files(&sink.path().join("sunk")));
    }

    #[test]
    #[ignore = "needs kpt, podman and the image"]
    fn the_options_at_their_defaults_leave_every_file_as_it_is() {
        let package = operator_package(&format!("image: '{IMAGE}'"));
        let before = files(package.path());
        render(&package);
        assert_eq!(files(package.path()), before);
    }

    #[test]
    #[ignore = "needs kpt, podman and the image"]
    fn a_changed_configuration_changes_the_checksum_and_other_changes_do_not() {
        let package = by_image();
        let checksum_on_disk = || {
            let text = fs::read_to_string(package.path().join("operator.yaml")).unwrap();
            let manifests = read(&text);
            carried_checksum(only(&manifests, "Deployment"))
                .unwrap()
                .to_owned()
        };
        render(&package);
        let before = checksum_on_disk();

        let relabelled =
            CONFIG.replace("\ndata:", "\n  labels: {helm.sh/chart: a-newer-one}\ndata:");
        package.write(
            "config.yaml",
            &relabelled.replace("  # Read when the operator starts.\n", ""),
        );
        render(&package);
        assert_eq!(checksum_on_disk(), before);

        let changed = CONFIG.replace("15 s", "90 s");
        package.write("config.yaml", &changed);
        render(&package);
        assert_ne!(checksum_on_disk(), before);
        assert_eq!(checksum_on_disk(), checksum_of(&changed));
    }

    #[test]
    #[ignore = "needs kpt, podman and the image"]
    fn variants_in_subdirectories_have_a_checksum_each_of_their_own_configuration() {
        let production = CONFIG.replace("15 s", "60 s");
        let mutator = format!("{{image: '{IMAGE}', configMap: {{restartOnConfigChange: 'true'}}}}");
        let package = Package::of(&[
            ("Kptfile", kptfile(&mutator).as_str()),
            ("staging/operator.yaml", OPERATOR),
            ("staging/config.yaml", CONFIG),
            ("production/operator.yaml", OPERATOR),
            ("production/config.yaml", &production),
        ]);
        render(&package);
        for (variant, config) in [("staging", CONFIG), ("production", &production)] {
            let path = package.path().join(variant).join("operator.yaml");
            let manifests = read(&fs::read_to_string(path).unwrap());
            let deployment = only(&manifests, "Deployment");
            assert_eq!(
                carried_checksum(deployment),
                Some(checksum_of(config).as_str())
            );
        }
    }

    /// What `--results-dir` saved: the exit code, and of each result the reason and severity.
    fn saved_results(folder: &Path) -> (Value, Vec<(String, String)>) {
        let text = fs::read_to_string(folder.join("results.yaml")).unwrap();
        let saved: Value = serde_yaml::from_str(&text).unwrap();
        let run = &saved["items"][0];
        let results = run["results"].as_sequence().unwrap();
        let text_of = |value: &Value| value.as_str().unwrap().to_owned();
        let results = results
            .iter()
            .map(|result| {
                assert!(!text_of(&result["message"]).is_empty());
                assert_eq!(result["resourceRef"]["kind"], "Deployment");
                assert_eq!(result["file"]["path"], "operator.yaml");
                (
                    text_of(&result["tags"]["reason"]),
                    text_of(&result["severity"]),
                )
            })
            .collect();
        (run["exitCode"].clone(), results)
    }

    fn reasons(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned =
            |(reason, severity): &(&str, &str)| ((*reason).to_owned(), (*severity).to_owned());
        expected.iter().map(owned).collect()
    }

    #[test]
    #[ignore = "needs kpt, podman and the image"]
    fn kpt_saves_what_was_done_and_where() {
        let package = by_image();
        let saved = TempDir::new().unwrap();
        let render = || {
            let to = saved.path().to_str().unwrap();
            let output = kpt(
                package.path(),
                &[
                    "fn",
                    "render",
                    "--image-pull-policy=never",
                    "--results-dir",
                    to,
                ],
            );
            assert!(output.status.success(), "{output:?}");
            saved_results(saved.path())
        };
        let (exit_code, results) = render();
        assert_eq!(exit_code, 0);
        assert_eq!(
            results,
            reasons(&[
                ("AnnotationAdded", "info"),
                ("ChecksumAdded", "info"),
                ("RestartCausesOutage", "warning"),
            ])
        );
        let (exit_code, results) = render();
        assert_eq!(exit_code, 0);
        assert_eq!(
            results,
            reasons(&[
                ("AnnotationUnchanged", "info"),
                ("ChecksumUnchanged", "info")
            ])
        );
    }

    #[test]
    #[ignore = "needs kpt, podman and the image"]
    fn a_refusal_fails_kpt_says_why_and_leaves_every_file_as_it_is() {
        let package = by_image();
        package.write(
            "config.yaml",
            &CONFIG.replace("'rootLogger.level = INFO'", "1"),
        );
        let before = files(package.path());
        let saved = TempDir::new().unwrap();
        let to = saved.path().to_str().unwrap();
        let output = kpt(
            package.path(),
            &[
                "fn",
                "render",
                "--image-pull-policy=never",
                "--results-dir",
                to,
            ],
        );
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(files(package.path()), before);

        let shown = String::from_utf8(output.stderr).unwrap();
        assert!(
            shown.contains("[error] v1/ConfigMap/flink/flink-operator-config"),
            "{shown}"
        );
        let text = fs::read_to_string(saved.path().join("results.yaml")).unwrap();
        let results: Value = serde_yaml::from_str(&text).unwrap();
        assert_eq!(results["exitCode"], 1);
        let run = &results["items"][0];
        assert_eq!(run["exitCode"], 1);
        assert_eq!(run["results"].as_sequence().unwrap().len(), 1);
        let result = &run["results"][0];
        assert_eq!(result["severity"], "error");
        assert_eq!(result["tags"]["reason"], "InvalidConfigMap");
        assert_eq!(result["file"]["path"], "config.yaml");
        assert_eq!(
            result["field"]["path"],
            "data[\"log4j-operator.properties\"]"
        );
    }

    #[test]
    #[ignore = "needs kpt, podman and the image"]
    fn a_misspelt_option_fails_kpt_and_names_the_right_one() {
        let package = by_image();
        let output = kpt(
            package.path(),
            &[
                "fn",
                "eval",
                "--image",
                IMAGE,
                "--image-pull-policy=never",
                "--",
                "restartOnConfigChanges=true",
            ],
        );
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let shown = String::from_utf8(output.stderr).unwrap();
        assert!(shown.contains("restartOnConfigChange"), "{shown}");
    }

    #[test]
    #[ignore = "needs kpt, podman and the image"]
    fn a_selector_that_hides_the_configuration_gets_a_warning_and_no_checksum() {
        let mutator = format!(
            "{{image: '{IMAGE}', configPath: operator-rollout.yaml, selectors: [{{kind: Deployment}}]}}"
        );
        let package = operator_package(&mutator);
        let saved = TempDir::new().unwrap();
        let to = saved.path().to_str().unwrap();
        let output = kpt(
            package.path(),
            &[
                "fn",
                "render",
                "--image-pull-policy=never",
                "--results-dir",
                to,
            ],
        );
        assert!(output.status.success(), "{output:?}");
        let (_, results) = saved_results(saved.path());
        assert_eq!(
            results,
            reasons(&[("AnnotationAdded", "info"), ("ConfigNotManaged", "warning")])
        );
        let text = fs::read_to_string(package.path().join("operator.yaml")).unwrap();
        assert_eq!(added_lines(OPERATOR, &text), rolled_out()[..1]);
    }

    #[test]
    #[ignore = "needs kpt, podman and the image"]
    fn kpt_shows_the_documentation() {
        let output = kpt(Path::new("."), &["fn", "doc", "--image", IMAGE]);
        assert!(output.status.success(), "{output:?}");
        let page = String::from_utf8(output.stdout).unwrap();
        assert!(page.contains("restartOnConfigChange"), "{page}");
    }

    /// An example's `.expected/config.yaml`: the part of kpt's test format that the examples use.
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Expected {
        test_type: String,
        image_pull_policy: String,
        image: Option<String>,
        #[serde(default)]
        args: BTreeMap<String, String>,
        #[serde(default)]
        exit_code: i32,
    }

    impl Expected {
        fn of(package: &Package) -> Self {
            let text = fs::read_to_string(package.path().join(".expected/config.yaml")).unwrap();
            serde_yaml::from_str(&text).unwrap()
        }

        /// As kpt's own test runner calls it.
        fn arguments(&self, results: &Path) -> Vec<String> {
            let mut arguments = vec![
                "fn".to_owned(),
                self.test_type.clone(),
                format!("--results-dir={}", results.display()),
                format!("--image-pull-policy={}", self.image_pull_policy),
            ];
            arguments.extend(self.image.iter().map(|image| format!("--image={image}")));
            arguments.push("--".to_owned());
            arguments.extend(
                self.args
                    .iter()
                    .map(|(key, value)| format!("{key}={value}")),
            );
            arguments
        }
    }

    /// git in a package, independent of the settings of whoever runs it.
    fn git(package: &Package, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=test", "-c", "user.email=test@example.com"])
            .args(["-c", "core.abbrev=7", "-c", "core.autocrlf=false"])
            .args(arguments)
            .current_dir(package.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("git starts");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs an example twice, as kpt's own test runner does, and holds it against its `.expected/` folder. Gives the
    /// package as it is afterwards.
    fn run_twice(name: &str) -> Package {
        let folder = example("kpt").join(name);
        let package = Package::copy_of(&folder);
        git(&package, &["init", "--quiet"]);
        git(&package, &["add", "--all"]);
        git(&package, &["commit", "--quiet", "--message", "before"]);

        let expected = Expected::of(&package);
        let results = TempDir::new().unwrap();
        let arguments = expected.arguments(results.path());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        for run in ["first", "second"] {
            let output = kpt(package.path(), &arguments);
            assert_eq!(
                output.status.code(),
                Some(expected.exit_code),
                "{run} run: {output:?}"
            );
            if run == "first" {
                let saved = fs::read_to_string(results.path().join("results.yaml")).unwrap();
                let expected = Data::read_from(&folder.join(".expected/results.yaml"), None);
                snapbox::assert_data_eq!(saved, expected.raw());
            }
            let expected = Data::read_from(&folder.join(".expected/diff.patch"), None);
            snapbox::assert_data_eq!(git(&package, &["diff"]), expected.raw());
        }
        package
    }

    fn manifests_of(package: &Package, file: &str) -> Vec<Value> {
        read(&fs::read_to_string(package.path().join(file)).unwrap())
    }

    #[test]
    #[ignore = "needs kpt, podman, the image and git"]
    fn the_example_restarts_the_operator_and_annotates_it() {
        let package = run_twice("restart-on-config-change");
        let operator = manifests_of(&package, "operator.yaml");
        let deployment = only(&operator, "Deployment");
        let config = manifests_of(&package, "config.yaml");
        let expected = checksum(only(&config, "ConfigMap"));
        assert_eq!(carried_checksum(deployment), Some(expected.as_str()));
        assert_eq!(
            deployment["metadata"]["annotations"]["example.com/owner"],
            "streaming-platform"
        );
    }

    #[test]
    #[ignore = "needs kpt, podman, the image and git"]
    fn the_example_without_a_pipeline_puts_the_checksum_in_once() {
        let package = run_twice("one-off");
        let operator = manifests_of(&package, "operator.yaml");
        let config = manifests_of(&package, "config.yaml");
        let expected = checksum(only(&config, "ConfigMap"));
        assert_eq!(
            carried_checksum(only(&operator, "Deployment")),
            Some(expected.as_str())
        );
    }

    #[test]
    #[ignore = "needs kpt, podman, the image and git"]
    fn the_example_that_brings_its_own_configuration_has_reloader_watch_it() {
        let package = run_twice("bring-your-own-config");
        let operator = manifests_of(&package, "operator.yaml");
        let deployment = only(&operator, "Deployment");
        assert_eq!(carried_checksum(deployment), None);
        assert_eq!(
            deployment["metadata"]["annotations"]["configmap.reloader.stakater.com/reload"],
            deployment["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"],
        );
    }
}
