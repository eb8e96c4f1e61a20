//! `examples/helm`, run by Helm itself: what does a chart's user get?

#[cfg(test)]
#[path = "support/manifests.rs"]
mod manifests;

#[cfg(test)]
mod helm {
    use std::fs;
    use std::io::Write;
    use std::path::PathBuf;
    use std::process::{Command, Output, Stdio};

    use serde_yaml::Value;
    use tempfile::TempDir;

    use crate::manifests::{carried_checksum, checksum, example, only, read, search_path};

    /// Helm with the example's plugin installed and a home of its own.
    struct Helm {
        home: TempDir,
    }

    impl Helm {
        fn with_the_plugin() -> Self {
            let helm = Self {
                home: TempDir::new().unwrap(),
            };
            let plugin = example("helm/plugin");
            let installed = helm
                .command(&["plugin", "install", plugin.to_str().unwrap()])
                .output()
                .expect("helm starts");
            assert!(installed.status.success(), "{installed:?}");
            helm
        }

        fn command(&self, arguments: &[&str]) -> Command {
            let mut command = Command::new("helm");
            command
                .args(arguments)
                .current_dir(example("helm"))
                .env("PATH", search_path(&[]))
                .env("FLINK_OPERATOR_ROLLOUT_LOG", self.log())
                .env("HELM_CONFIG_HOME", self.home.path().join("config"))
                .env("HELM_CACHE_HOME", self.home.path().join("cache"))
                .env("HELM_DATA_HOME", self.home.path().join("data"));
            command
        }

        fn log(&self) -> PathBuf {
            self.home.path().join("rollout.log")
        }

        fn template(&self, arguments: &[&str]) -> Output {
            let mut all = vec!["template", "flink", "chart", "--namespace", "flink"];
            all.extend(arguments);
            self.command(&all).output().unwrap()
        }

        fn render(&self, arguments: &[&str]) -> String {
            let output = self.template(arguments);
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        }
    }

    const POST_RENDERED: [&str; 4] = [
        "--post-renderer",
        "flink-operator-rollout",
        "--post-renderer-args",
        "--config=operator-rollout.yaml",
    ];

    fn post_rendered<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
        [&POST_RENDERED, arguments].concat()
    }

    /// The manifests without the checksum, which is taken out together with the mapping made for it.
    fn without_checksum(mut manifests: Vec<Value>) -> Vec<Value> {
        for manifest in &mut manifests {
            if manifest["kind"] == "Deployment" {
                let metadata = manifest["spec"]["template"]["metadata"].as_mapping_mut();
                let annotations = metadata.unwrap().remove("annotations").unwrap();
                assert_eq!(annotations.as_mapping().unwrap().len(), 1);
            }
        }
        manifests
    }

    /// The manifests after `flink-operator-rollout stream`.
    fn stream(manifests: &str, option: &str) -> String {
        let mut stream = Command::new(env!("CARGO_BIN_EXE_flink-operator-rollout"))
            .args(["stream", option])
            .current_dir(example("helm"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = stream.stdin.take().unwrap();
        stdin.write_all(manifests.as_bytes()).unwrap();
        drop(stdin);
        let output = stream.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    #[ignore = "needs helm"]
    fn the_pod_template_carries_the_checksum_of_the_rendered_configuration() {
        let helm = Helm::with_the_plugin();
        let plain = read(&helm.render(&[]));
        let rendered = read(&helm.render(&POST_RENDERED));
        assert_eq!(
            carried_checksum(only(&rendered, "Deployment")),
            Some(checksum(only(&plain, "ConfigMap")).as_str())
        );
        assert_eq!(without_checksum(rendered), plain);
    }

    #[test]
    #[ignore = "needs helm"]
    fn a_changed_configuration_value_changes_the_checksum_and_another_value_does_not() {
        let helm = Helm::with_the_plugin();
        let checksum_with = |arguments: &[&str]| {
            let rendered = read(&helm.render(&post_rendered(arguments)));
            carried_checksum(only(&rendered, "Deployment")).map(str::to_owned)
        };
        let interval = r"config.kubernetes\.operator\.reconcile\.interval=90 s";
        let before = checksum_with(&[]);
        assert!(before.is_some());
        assert_ne!(checksum_with(&["--set", interval]), before);
        assert_eq!(checksum_with(&["--set", "image=mirror/operator:1"]), before);
    }

    #[test]
    #[ignore = "needs helm"]
    fn an_annotation_given_as_argument_is_on_the_deployment_itself() {
        let helm = Helm::with_the_plugin();
        let rendered = read(&helm.render(&post_rendered(&[
            "--post-renderer-args",
            "--deployment-annotation=reloader.stakater.com/auto=true",
        ])));
        let deployment = only(&rendered, "Deployment");
        assert_eq!(
            deployment["metadata"]["annotations"]["reloader.stakater.com/auto"],
            "true"
        );
        let template = &deployment["spec"]["template"]["metadata"]["annotations"];
        assert_eq!(template.as_mapping().unwrap().len(), 1);
    }

    #[test]
    #[ignore = "needs helm"]
    fn a_refusal_fails_helm_and_the_log_says_why() {
        let helm = Helm::with_the_plugin();
        let output = helm.template(&post_rendered(&[
            "--post-renderer-args",
            "--deployment-annotation=no spaces=x",
        ]));
        assert!(!output.status.success(), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        let log = fs::read_to_string(helm.log()).unwrap();
        assert!(log.contains("no spaces"), "{log}");
    }

    /// Helm 4 puts an annotation on each object while the post-renderer has it.
    #[test]
    #[ignore = "needs helm"]
    fn what_helm_notes_in_the_manifests_is_no_part_of_the_checksum() {
        let helm = Helm::with_the_plugin();
        let config = helm.home.path().join("whole-manifest.yaml");
        let text = fs::read_to_string(example("helm/operator-rollout.yaml")).unwrap();
        fs::write(&config, format!("{text}  checksum: {{covers: Manifest}}\n")).unwrap();
        let config = format!("--config={}", config.display());
        let rendered = read(&helm.render(&[
            "--post-renderer",
            "flink-operator-rollout",
            "--post-renderer-args",
            &config,
        ]));
        let piped = read(&stream(&helm.render(&[]), &config));
        assert_eq!(
            carried_checksum(only(&rendered, "Deployment")),
            carried_checksum(only(&piped, "Deployment"))
        );
    }

    /// There `--post-renderer` takes an executable: the function itself.
    #[test]
    #[ignore = "needs helm3"]
    fn helm_3_gives_the_checksum_of_helm_4_and_shows_why_it_refuses() {
        let helm_3 = |option: &str| {
            Command::new("helm3")
                .args(["template", "flink", "chart", "--namespace", "flink"])
                .args(["--post-renderer", "flink-operator-rollout"])
                .args(["--post-renderer-args", "stream"])
                .args(["--post-renderer-args", option])
                .current_dir(example("helm"))
                .env("PATH", search_path(&[]))
                .output()
                .expect("helm3 starts")
        };
        let output = helm_3("--config=operator-rollout.yaml");
        assert!(output.status.success(), "{output:?}");
        let by_helm_3 = read(std::str::from_utf8(&output.stdout).unwrap());
        let by_helm_4 = read(&Helm::with_the_plugin().render(&POST_RENDERED));
        assert_eq!(
            carried_checksum(only(&by_helm_3, "Deployment")),
            carried_checksum(only(&by_helm_4, "Deployment"))
        );

        let output = helm_3("--deployment-annotation=no spaces=x");
        assert!(!output.status.success(), "{output:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("no spaces"), "{message}");
    }

    #[test]
    #[ignore = "needs helm"]
    fn a_pipe_gives_the_checksum_of_the_plugin() {
        let helm = Helm::with_the_plugin();
        let plain = helm.render(&[]);
        let piped = read(&stream(&plain, "--config=operator-rollout.yaml"));
        let rendered = read(&helm.render(&POST_RENDERED));
        assert_eq!(
            carried_checksum(only(&piped, "Deployment")),
            carried_checksum(only(&rendered, "Deployment"))
        );
        assert_eq!(without_checksum(piped), read(&plain));
    }
}
