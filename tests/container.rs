//! The image: what is in it, and does it run where little is allowed?

#[cfg(test)]
#[path = "support/image.rs"]
mod image;

#[cfg(test)]
mod container {
    use std::io::Write;
    use std::path::Path;
    use std::process::{Command, Output, Stdio};
    use std::time::{Duration, Instant};

    use serde_json::Value;
    use tempfile::TempDir;

    use crate::image::IMAGE;

    const LIST: &str = r#"apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: flink-operator-config, namespace: flink}
  data: {a: b}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: flink-kubernetes-operator, namespace: flink}
  spec:
    template:
      metadata:
        annotations:
          kubectl.kubernetes.io/default-container: operator
      spec:
        containers:
        - name: operator
          command: ["/docker-entrypoint.sh", "operator"]
          volumeMounts: [{name: config, mountPath: /opt/flink/conf}]
        volumes: [{name: config, configMap: {name: flink-operator-config}}]
functionConfig:
  apiVersion: fn.flink.apache.org/v1alpha1
  kind: OperatorRollout
  metadata: {name: operator-rollout}
  spec: {restartOnConfigChange: true}
"#;

    /// `printf '{"binaryData":{},"data":{"a":"b"}}\n' | sha256sum`
    const CHECKSUM: &str = "9359bae0a0de7e7b928be46d40be977f624952fd26b48f3cb7097dc5cfe5d2c4";

    /// How kpt and kustomize start an image, on a machine that takes away the rest too.
    const LOCKED_DOWN: [&str; 10] = [
        "--rm",
        "-i",
        "--network",
        "none",
        "--read-only",
        "--cap-drop",
        "all",
        "--security-opt=no-new-privileges",
        "--user",
        "nobody",
    ];

    fn run(command: &mut Command, stdin: &str) -> Output {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(stdin.as_bytes())
            .unwrap();
        child.wait_with_output().unwrap()
    }

    fn podman(arguments: &[&str]) -> Command {
        let mut command = Command::new("podman");
        command.args(arguments);
        command
    }

    fn stdout(mut command: Command) -> String {
        let output = command.output().expect("podman starts");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn inspected() -> Value {
        let images: Value =
            serde_json::from_str(&stdout(podman(&["image", "inspect", IMAGE]))).unwrap();
        images[0].clone()
    }

    /// The files of the image, in a folder.
    fn unpacked() -> TempDir {
        let folder = TempDir::new().unwrap();
        let container = stdout(podman(&["create", IMAGE]));
        let container = container.trim();
        let archive = folder.path().join("image.tar");
        stdout(podman(&[
            "export",
            "--output",
            archive.to_str().unwrap(),
            container,
        ]));
        stdout(podman(&["rm", container]));
        let mut tar = Command::new("tar");
        tar.arg("-xf").arg(&archive).arg("-C").arg(folder.path());
        stdout(tar);
        std::fs::remove_file(archive).unwrap();
        folder
    }

    #[test]
    #[ignore = "needs podman and the image"]
    fn is_smaller_than_6_mb() {
        let size = inspected()["Size"].as_u64().unwrap();
        assert!(size < 6_000_000, "{size} bytes");
    }

    #[test]
    #[ignore = "needs podman and the image"]
    fn holds_the_binary_the_licence_and_the_user_nobody_and_no_shell() {
        let folder = unpacked();
        let listed = stdout({
            let mut find = Command::new("find");
            find.arg(".")
                .args(["-type", "f"])
                .current_dir(folder.path());
            find
        });
        let mut files: Vec<&str> = listed.lines().collect();
        files.sort_unstable();
        assert_eq!(
            files,
            [
                "./LICENSE",
                "./etc/group",
                "./etc/passwd",
                "./flink-operator-rollout"
            ]
        );
    }

    #[test]
    #[ignore = "needs podman and the image"]
    fn does_not_run_as_root_by_default_and_takes_no_default_arguments() {
        let config = &inspected()["Config"];
        let user = config["User"].as_str().unwrap();
        let (user, group) = user.split_once(':').unwrap();
        assert_ne!(user.parse::<u32>().unwrap(), 0);
        assert_ne!(group.parse::<u32>().unwrap(), 0);
        assert_eq!(
            config["Entrypoint"],
            serde_json::json!(["/flink-operator-rollout"])
        );
        assert!(config["Cmd"].is_null(), "{config}");
    }

    #[test]
    #[ignore = "needs podman and the image"]
    fn says_what_it_is_in_the_labels_of_oci() {
        let labels = &inspected()["Labels"];
        for (label, value) in [
            ("title", env!("CARGO_PKG_NAME")),
            ("description", env!("CARGO_PKG_DESCRIPTION")),
            ("licenses", env!("CARGO_PKG_LICENSE")),
            ("source", env!("CARGO_PKG_REPOSITORY")),
        ] {
            assert_eq!(labels[format!("org.opencontainers.image.{label}")], value);
        }
    }

    #[test]
    #[ignore = "needs podman and the image"]
    fn is_a_function_without_arguments_even_where_next_to_nothing_is_allowed() {
        let mut command = podman(&["run"]);
        let output = run(command.args(LOCKED_DOWN).arg(IMAGE), LIST);
        assert!(output.status.success(), "{output:?}");
        let answer = String::from_utf8(output.stdout).unwrap();
        let (items, results) = answer.split_once("results:\n").unwrap();
        let annotation = format!("          checksum/config: \"{CHECKSUM}\"\n");
        assert_eq!(items.replacen(&annotation, "", 1), LIST);
        assert!(results.contains("ChecksumAdded"), "{results}");
    }

    #[test]
    #[ignore = "needs podman and the image"]
    fn refuses_with_exit_code_1_and_the_items_as_they_came() {
        let list = LIST.replace("{a: b}", "{a: 1}");
        let mut command = podman(&["run"]);
        let output = run(command.args(LOCKED_DOWN).arg(IMAGE), &list);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let answer = String::from_utf8(output.stdout).unwrap();
        assert!(answer.starts_with(&list), "{answer}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains("InvalidConfigMap"), "{stderr}");
    }

    #[test]
    #[ignore = "needs podman and the image"]
    fn prints_its_documentation_with_help() {
        let mut command = podman(&["run"]);
        let output = run(command.args(LOCKED_DOWN).args([IMAGE, "--help"]), "");
        assert!(output.status.success(), "{output:?}");
        let help = String::from_utf8(output.stdout).unwrap();
        for word in ["restartOnConfigChange", "deploymentAnnotations", "stream"] {
            assert!(help.contains(word), "{word} in {help}");
        }
    }

    #[test]
    #[ignore = "needs podman and the image"]
    fn its_binary_is_done_with_a_small_list_within_20_ms() {
        let folder = unpacked();
        let binary = folder.path().join("flink-operator-rollout");
        let quickest = (0..20).map(|_| time_of_one_run(&binary)).min().unwrap();
        assert!(quickest < Duration::from_millis(20), "{quickest:?}");
    }

    /// From the start of the process to its end.
    fn time_of_one_run(binary: &Path) -> Duration {
        let start = Instant::now();
        let output = run(&mut Command::new(binary), LIST);
        let time = start.elapsed();
        assert!(output.status.success(), "{output:?}");
        time
    }
}
