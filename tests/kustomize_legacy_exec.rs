//! `examples/kustomize-legacy-exec`, built by kubectl: what does one get who has nothing but that?

#[cfg(test)]
#[path = "support/kubectl.rs"]
mod kubectl;
#[cfg(test)]
#[path = "support/manifests.rs"]
mod manifests;

#[cfg(test)]
mod kustomize_legacy_exec {
    use std::fs::{self, File};
    use std::path::Path;
    use std::process::{Command, Output};

    use serde_yaml::Value;
    use tempfile::TempDir;

    use crate::kubectl::kubectls;
    use crate::manifests::{carried_checksum, checksum, example, only, read, search_path};

    /// A copy of the example's kustomization, to be changed.
    struct Kustomization(TempDir);

    impl Kustomization {
        fn example() -> Self {
            let copy = TempDir::new().unwrap();
            for entry in fs::read_dir(example("kustomize-legacy-exec")).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
                }
            }
            Self(copy)
        }

        fn change(&self, file: &str, from: &str, to: &str) {
            let file = self.0.path().join(file);
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.contains(from), "{from} is not in {text}");
            fs::write(file, text.replace(from, to)).unwrap();
        }

        fn run(&self, kubectl: &Path) -> Output {
            Command::new(kubectl)
                .args(["kustomize", "--enable-alpha-plugins"])
                .arg(self.0.path())
                .env("PATH", search_path(&[]))
                .env(
                    "KUSTOMIZE_PLUGIN_HOME",
                    example("kustomize-legacy-exec/plugins"),
                )
                .output()
                .unwrap()
        }

        fn build(&self, kubectl: &Path) -> Vec<Value> {
            let output = self.run(kubectl);
            assert!(output.status.success(), "{output:?}");
            read(std::str::from_utf8(&output.stdout).unwrap())
        }
    }

    fn configuration(deployment: &Value) -> &Value {
        &deployment["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"]
    }

    /// The plugin sees the `ConfigMap` with its prefix, and the reference to it still without.
    #[test]
    #[ignore = "needs kubectl"]
    fn a_generated_configuration_with_a_prefix_is_found_and_hashed() {
        for kubectl in kubectls() {
            let manifests = Kustomization::example().build(&kubectl);
            let (deployment, config_map) = (
                only(&manifests, "Deployment"),
                only(&manifests, "ConfigMap"),
            );
            assert_eq!(
                config_map["metadata"]["name"],
                "team-a-flink-operator-config"
            );
            assert_eq!(*configuration(deployment), config_map["metadata"]["name"]);
            assert_eq!(
                carried_checksum(deployment),
                Some(checksum(config_map).as_str()),
                "{}",
                kubectl.display()
            );
        }
    }

    #[test]
    #[ignore = "needs kubectl"]
    fn kustomize_still_finds_its_own_notes_and_adds_the_name_suffix() {
        for kubectl in kubectls() {
            let kustomization = Kustomization::example();
            kustomization.change(
                "kustomization.yaml",
                "disableNameSuffixHash: true",
                "disableNameSuffixHash: false",
            );
            let manifests = kustomization.build(&kubectl);
            let (deployment, config_map) = (
                only(&manifests, "Deployment"),
                only(&manifests, "ConfigMap"),
            );
            let name = config_map["metadata"]["name"].as_str().unwrap();
            assert!(name.starts_with("team-a-flink-operator-config-"), "{name}");
            assert_eq!(*configuration(deployment), name);
            assert!(carried_checksum(deployment).is_some());
            assert!(
                config_map["metadata"]["annotations"].is_null(),
                "{config_map:?}"
            );
        }
    }

    #[test]
    #[ignore = "needs kubectl"]
    fn a_changed_configuration_changes_the_checksum() {
        for kubectl in kubectls() {
            let kustomization = Kustomization::example();
            let before = kustomization.build(&kubectl);
            kustomization.change("config.yaml", "60 s", "90 s");
            let after = kustomization.build(&kubectl);
            let (before, after) = (only(&before, "Deployment"), only(&after, "Deployment"));
            assert!(carried_checksum(before).is_some());
            assert_ne!(carried_checksum(before), carried_checksum(after));
        }
    }

    /// With all names in place, so by another way to the same sources.
    #[test]
    #[ignore = "needs kubectl"]
    fn what_was_built_passes_the_check() {
        for kubectl in kubectls() {
            let kustomization = Kustomization::example();
            let built = kustomization.0.path().join("built.yaml");
            fs::write(&built, kustomization.run(&kubectl).stdout).unwrap();
            let checked = Command::new(env!("CARGO_BIN_EXE_flink-operator-rollout"))
                .args(["stream", "--check", "--config", "operator-rollout.yaml"])
                .current_dir(kustomization.0.path())
                .stdin(File::open(&built).unwrap())
                .output()
                .unwrap();
            assert!(checked.status.success(), "{checked:?}");
        }
    }

    #[test]
    #[ignore = "needs kubectl"]
    fn a_misspelt_option_fails_kubectl_and_is_named() {
        for kubectl in kubectls() {
            let kustomization = Kustomization::example();
            kustomization.change(
                "operator-rollout.yaml",
                "restartOnConfigChange",
                "restartOnConfigChanges",
            );
            let output = kustomization.run(&kubectl);
            assert!(!output.status.success(), "{output:?}");
            assert!(output.stdout.is_empty(), "{output:?}");
            let message = String::from_utf8(output.stderr).unwrap();
            assert!(message.contains("restartOnConfigChanges"), "{message}");
        }
    }
}
