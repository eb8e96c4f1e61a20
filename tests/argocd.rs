//! `examples/argocd`: what does an Application get whose plugin runs the function?
//!
//! The test plays Argo CD's plugin server: it runs `generate` as `plugin.yaml` has it, in a copy of
//! the application's folder, with the environment that the server sets, and reads what is printed.

#[cfg(test)]
#[path = "support/manifests.rs"]
mod manifests;

#[cfg(test)]
mod argocd {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::{Command, Stdio};

    use serde_yaml::Value;
    use tempfile::TempDir;

    use crate::manifests::{carried_checksum, checksum, example, only, read, search_path};

    const MANIFESTS: &str = "\
# Source: chart/templates/config.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: flink-operator-config, namespace: flink}
data:
  config.yaml: |
    kubernetes.operator.reconcile.interval: 60 s
---
# Switched off by a value.
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: flink-kubernetes-operator, namespace: flink}
spec:
  template:
    spec:
      containers:
        - name: operator
          command: [/docker-entrypoint.sh, operator]
          volumeMounts: [{name: config, mountPath: /opt/flink/conf}]
      volumes: [{name: config, configMap: {name: flink-operator-config}}]
";

    /// An Application, its folder, and the renderers that the sidecar's image brings.
    struct Application {
        name: &'static str,
        folder: TempDir,
        renderers: TempDir,
        /// `spec.source.plugin`, which may be missing.
        plugin: Option<Value>,
    }

    impl Application {
        fn with(files: &[(&str, &str)]) -> Self {
            let folder = TempDir::new().unwrap();
            for (name, text) in files {
                fs::write(folder.path().join(name), text).unwrap();
            }
            Self {
                name: "flink-kubernetes-operator",
                folder,
                renderers: TempDir::new().unwrap(),
                plugin: None,
            }
        }

        /// A chart whose rendering is `manifests`.
        fn rendering(manifests: &str) -> Self {
            Self::with(&[("Chart.yaml", ""), ("rendering.yaml", manifests)])
                .renderer("helm", "cat rendering.yaml")
        }

        /// Puts a script in the place of a renderer.
        fn renderer(self, name: &str, script: &str) -> Self {
            let file = self.renderers.path().join(name);
            fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            self
        }

        fn plugin(mut self, yaml: &str) -> Self {
            self.plugin = Some(serde_yaml::from_str(yaml).unwrap());
            self
        }

        /// The variables that come with every call, and those of the plugin block.
        fn environment(&self) -> Vec<(String, String)> {
            let mut environment: Vec<(String, String)> = [
                ("ARGOCD_APP_NAME", self.name),
                ("ARGOCD_APP_NAMESPACE", "flink"),
                ("ARGOCD_APP_PROJECT_NAME", "default"),
                (
                    "ARGOCD_APP_REVISION",
                    "0123456789abcdef0123456789abcdef01234567",
                ),
                ("ARGOCD_APP_REVISION_SHORT", "0123456"),
                ("ARGOCD_APP_REVISION_SHORT_8", "01234567"),
                ("ARGOCD_APP_SOURCE_PATH", "chart"),
                (
                    "ARGOCD_APP_SOURCE_REPO_URL",
                    "https://git.example.com/operator.git",
                ),
                ("ARGOCD_APP_SOURCE_TARGET_REVISION", "main"),
                ("KUBE_VERSION", "1.33.1"),
                ("KUBE_API_VERSIONS", "v1,apps/v1,apps/v1/Deployment"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
            if let Some(plugin) = &self.plugin {
                for entry in plugin["env"].as_sequence().into_iter().flatten() {
                    let name = entry["name"].as_str().unwrap();
                    let value = entry["value"].as_str().unwrap();
                    environment.push((format!("ARGOCD_ENV_{name}"), value.to_owned()));
                }
                let parameters = serde_json::to_string(&plugin["parameters"]).unwrap();
                environment.push(("ARGOCD_APP_PARAMETERS".to_owned(), parameters));
            }
            environment
        }

        /// What the server hands on to Argo CD, or the message that it shows.
        fn generate(&self) -> Result<Vec<Value>, String> {
            let generate = &plugin_file()["spec"]["generate"];
            let words = ["command", "args"].map(|part| generate[part].as_sequence());
            let words: Vec<&str> = words
                .into_iter()
                .flatten()
                .flatten()
                .map(|word| word.as_str().unwrap())
                .collect();
            let copy = TempDir::new().unwrap();
            copy_files(self.folder.path(), copy.path());
            let home = TempDir::new().unwrap();
            let output = Command::new(words[0])
                .args(&words[1..])
                .current_dir(copy.path())
                .env_clear()
                .env("HOME", home.path())
                .env("TMPDIR", home.path())
                .env("PATH", search_path(&[self.renderers.path()]))
                .envs(self.environment())
                .output()
                .unwrap();
            let leftovers = fs::read_dir(home.path())
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.is_file());
            assert_eq!(leftovers.count(), 0, "a temporary file stays behind");
            if output.status.success() {
                Ok(read(std::str::from_utf8(&output.stdout).unwrap()))
            } else {
                Err(String::from_utf8(output.stderr).unwrap())
            }
        }
    }

    fn plugin_file() -> Value {
        let text = fs::read_to_string(example("argocd/plugin/plugin.yaml")).unwrap();
        serde_yaml::from_str(&text).unwrap()
    }

    /// Copies a folder as the server receives it: without the modes of its files.
    fn copy_files(from: &Path, to: &Path) {
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let target = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                fs::create_dir(&target).unwrap();
                copy_files(&entry.path(), &target);
            } else {
                fs::write(target, fs::read(entry.path()).unwrap()).unwrap();
            }
        }
    }

    #[test]
    fn the_parameters_of_the_example_application_reach_the_function() {
        let text = fs::read_to_string(example("argocd/application.yaml")).unwrap();
        let application: Value = serde_yaml::from_str(&text).unwrap();
        let plugin = &application["spec"]["source"]["plugin"];
        assert_eq!(plugin["name"], plugin_file()["metadata"]["name"]);

        let plugin = serde_yaml::to_string(plugin).unwrap();
        let manifests = Application::rendering(MANIFESTS)
            .plugin(&plugin)
            .generate()
            .unwrap();
        let deployment = only(&manifests, "Deployment");
        assert_eq!(
            carried_checksum(deployment),
            Some(checksum(only(&manifests, "ConfigMap")).as_str())
        );
        assert_eq!(
            deployment["metadata"]["annotations"]["example.com/owner"],
            "streaming-platform"
        );
    }

    #[test]
    fn without_parameters_the_manifests_stay_as_rendered() {
        let rendered = read(MANIFESTS);
        let application = Application::rendering(MANIFESTS);
        assert_eq!(
            application.generate().as_ref(),
            Ok(&rendered),
            "no plugin block"
        );
        let application = application.plugin("{name: flink-operator-rollout}");
        assert_eq!(
            application.generate().as_ref(),
            Ok(&rendered),
            "no parameters"
        );
    }

    /// Argo CD shows the defaults that a plugin announces and never sends them.
    #[test]
    fn the_announced_defaults_are_what_happens_without_parameters() {
        let announced = plugin_file()["spec"]["parameters"]["static"].clone();
        let mut parameters = Vec::new();
        for announcement in announced.as_sequence().unwrap() {
            let kind = announcement["collectionType"].as_str().unwrap_or("string");
            let name = announcement["name"].as_str().unwrap();
            assert!(!announcement[kind].is_null(), "no default for {name}");
            let default = serde_json::to_string(&announcement[kind]).unwrap();
            parameters.push(format!("{{name: {name}, {kind}: {default}}}"));
        }
        assert_eq!(parameters.len(), 2);
        let plugin = format!("{{parameters: [{}]}}", parameters.join(", "));
        let application = Application::rendering(MANIFESTS).plugin(&plugin);
        assert_eq!(application.generate(), Ok(read(MANIFESTS)));
    }

    #[test]
    fn entries_of_the_plugin_environment_are_options_that_parameters_override() {
        let environment = r#"
            env:
              - {name: RESTART_ON_CONFIG_CHANGE, value: "true"}
              - {name: DEPLOYMENT_ANNOTATIONS, value: "example.com/owner: streaming-platform"}"#;
        let application = Application::rendering(MANIFESTS).plugin(environment);
        let manifests = application.generate().unwrap();
        let deployment = only(&manifests, "Deployment");
        assert!(carried_checksum(deployment).is_some());
        assert_eq!(
            deployment["metadata"]["annotations"]["example.com/owner"],
            "streaming-platform"
        );

        let parameters = r#"
            parameters:
              - {name: restartOnConfigChange, string: "false"}
              - {name: deploymentAnnotations, map: {example.com/owner: operations}}"#;
        let application = application.plugin(&format!("{environment}{parameters}"));
        let manifests = application.generate().unwrap();
        let deployment = only(&manifests, "Deployment");
        assert_eq!(carried_checksum(deployment), None);
        assert_eq!(
            deployment["metadata"]["annotations"]["example.com/owner"],
            "operations"
        );
    }

    #[test]
    fn items_of_a_list_are_seen() {
        let items: Vec<String> = read(MANIFESTS)
            .iter()
            .map(|manifest| serde_json::to_string(manifest).unwrap())
            .collect();
        let list = format!(
            r#"{{"apiVersion":"v1","kind":"List","items":[{}]}}"#,
            items.join(",")
        );
        let manifests = Application::rendering(&list)
            .plugin(r#"{parameters: [{name: restartOnConfigChange, string: "true"}]}"#)
            .generate()
            .unwrap();
        assert_eq!(
            carried_checksum(only(&manifests, "Deployment")),
            Some(checksum(only(&manifests, "ConfigMap")).as_str())
        );
    }

    /// What was printed until then would be deployed, and the rest pruned.
    #[test]
    fn a_renderer_that_fails_after_printing_manifests_fails_generate() {
        let message = Application::rendering(MANIFESTS)
            .renderer(
                "helm",
                "cat rendering.yaml; echo 'Error: no such value' >&2; exit 1",
            )
            .generate()
            .expect_err("half a render passes for a whole one");
        assert!(message.contains("Error: no such value"), "{message}");

        let message = Application::with(&[("kustomization.yaml", "")])
            .renderer("kustomize", "echo 'Error: no such file' >&2; exit 1")
            .generate()
            .expect_err("no render passes for an empty one");
        assert!(message.contains("Error: no such file"), "{message}");
    }

    #[test]
    fn an_empty_render_fails_generate() {
        let message = Application::rendering("# nothing is switched on\n")
            .generate()
            .expect_err("with pruning on, this deletes everything");
        assert!(message.contains("EmptyInput"), "{message}");
    }

    #[test]
    fn a_misspelt_parameter_fails_generate_and_is_named() {
        let message = Application::rendering(MANIFESTS)
            .plugin(r#"{parameters: [{name: restartOnConfigChanged, string: "true"}]}"#)
            .generate()
            .expect_err("the operator would never restart");
        assert!(message.contains("restartOnConfigChanged"), "{message}");
        assert!(message.contains("did you mean"), "{message}");
    }

    #[test]
    #[ignore = "needs helm"]
    fn a_chart_is_rendered_by_helm() {
        let mut application = Application::with(&[])
            .plugin(r#"{parameters: [{name: restartOnConfigChange, string: "true"}]}"#);
        copy_files(&example("helm/chart"), application.folder.path());
        let manifests = application.generate().unwrap();
        let deployment = only(&manifests, "Deployment");
        assert_eq!(deployment["metadata"]["namespace"], "flink");
        assert_eq!(
            carried_checksum(deployment),
            Some(checksum(only(&manifests, "ConfigMap")).as_str())
        );

        // Helm would refuse the underscore as part of a release's name.
        application.name = "team-a_flink-kubernetes-operator";
        assert_eq!(application.generate(), Ok(manifests));
    }

    /// `kubectl kustomize` stands in for `kustomize build`, which has the same reader and writer.
    #[test]
    #[ignore = "needs kubectl"]
    fn a_kustomization_is_rendered_by_kustomize() {
        let kustomization = "{namePrefix: team-a-, resources: [manifests.yaml]}";
        let manifests = Application::with(&[
            ("kustomization.yaml", kustomization),
            ("manifests.yaml", MANIFESTS),
        ])
        .renderer(
            "kustomize",
            r#"[ "$1" = build ] && exec kubectl kustomize "$2""#,
        )
        .plugin(r#"{parameters: [{name: restartOnConfigChange, string: "true"}]}"#)
        .generate()
        .unwrap();
        let deployment = only(&manifests, "Deployment");
        assert_eq!(
            deployment["metadata"]["name"],
            "team-a-flink-kubernetes-operator"
        );
        assert_eq!(
            carried_checksum(deployment),
            Some(checksum(only(&manifests, "ConfigMap")).as_str())
        );
    }

    /// What matters here of the repo server that Argo CD installs.
    const REPO_SERVER: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: argocd-repo-server}
spec:
  template:
    spec:
      containers:
        - name: argocd-repo-server
          volumeMounts: [{name: tmp, mountPath: /tmp}]
      volumes:
        - {name: var-files, emptyDir: {}}
        - {name: plugins, emptyDir: {}}
        - {name: tmp, emptyDir: {}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm}
";

    /// Argo CD's installation with a component of the example.
    fn installation_with(component: &str) -> Vec<Value> {
        let folder = TempDir::new().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("argocd.yaml", REPO_SERVER);
        write(
            "kustomization.yaml",
            "{namespace: argocd, resources: [argocd.yaml], components: [component]}",
        );
        fs::create_dir(folder.path().join("component")).unwrap();
        copy_files(
            &example("argocd").join(component),
            &folder.path().join("component"),
        );
        let output = Command::new("kubectl")
            .arg("kustomize")
            .arg(folder.path())
            .env("PATH", search_path(&[]))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        read(std::str::from_utf8(&output.stdout).unwrap())
    }

    fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
        let mut entries = list.as_sequence().into_iter().flatten();
        entries
            .find(|entry| entry["name"] == name)
            .unwrap_or_else(|| panic!("no {name} in {list:?}"))
    }

    /// The volume behind a container's mount.
    fn mounted<'a>(pod: &'a Value, container: &'a Value, path: &str) -> &'a Value {
        let mounts = container["volumeMounts"].as_sequence().unwrap();
        let mount = mounts.iter().find(|mount| mount["mountPath"] == path);
        let mount = mount.unwrap_or_else(|| panic!("nothing at {path}"));
        named(&pod["volumes"], mount["name"].as_str().unwrap())
    }

    #[test]
    #[ignore = "needs kubectl"]
    fn the_sidecar_is_as_argo_cd_asks_for_it() {
        let manifests = installation_with("plugin");
        let pod = &only(&manifests, "Deployment")["spec"]["template"]["spec"];
        let sidecar = named(&pod["containers"], "flink-operator-rollout");
        assert_eq!(sidecar["command"][0], "/var/run/argocd/argocd-cmp-server");
        assert_eq!(sidecar["securityContext"]["runAsUser"], 999);
        assert_eq!(sidecar["securityContext"]["readOnlyRootFilesystem"], true);
        assert_eq!(
            mounted(pod, sidecar, "/var/run/argocd")["name"],
            "var-files"
        );
        assert_eq!(
            mounted(pod, sidecar, "/home/argocd/cmp-server/plugins")["name"],
            "plugins"
        );
        assert_ne!(
            mounted(pod, sidecar, "/tmp")["name"],
            "tmp",
            "shared with the repo server"
        );

        let plugin = mounted(pod, sidecar, "/home/argocd/cmp-server/config/plugin.yaml");
        let config_map = manifests
            .iter()
            .find(|manifest| manifest["metadata"]["name"] == plugin["configMap"]["name"])
            .expect("the plugin's file is in a ConfigMap");
        let text = config_map["data"]["plugin.yaml"].as_str().unwrap();
        assert_eq!(serde_yaml::from_str::<Value>(text).unwrap(), plugin_file());

        let installer = named(&pod["initContainers"], "install-flink-operator-rollout");
        assert_eq!(
            mounted(pod, installer, "/tools"),
            mounted(pod, sidecar, "/usr/local/bin/flink-operator-rollout")
        );
    }

    #[test]
    #[ignore = "needs kubectl"]
    fn the_built_in_kustomize_finds_the_binary_where_the_function_config_says() {
        let manifests = installation_with("built-in-kustomize");
        let options = &only(&manifests, "ConfigMap")["data"]["kustomize.buildOptions"];
        assert_eq!(*options, "--enable-alpha-plugins --enable-exec");
        let pod = &only(&manifests, "Deployment")["spec"]["template"]["spec"];
        let repo_server = named(&pod["containers"], "argocd-repo-server");
        let installer = named(&pod["initContainers"], "install-flink-operator-rollout");
        let function =
            &function_config()["metadata"]["annotations"]["config.kubernetes.io/function"];
        let function: Value = serde_yaml::from_str(function.as_str().unwrap()).unwrap();
        let path = function["exec"]["path"].as_str().unwrap();
        assert_eq!(
            mounted(pod, installer, "/tools"),
            mounted(pod, repo_server, path)
        );
    }

    fn function_config() -> Value {
        let file = example("argocd/built-in-kustomize/operator-rollout.yaml");
        serde_yaml::from_str(&fs::read_to_string(file).unwrap()).unwrap()
    }

    #[test]
    fn the_function_config_for_the_built_in_kustomize_is_valid() {
        let mut list = serde_yaml::Mapping::new();
        list.insert("apiVersion".into(), "config.kubernetes.io/v1".into());
        list.insert("kind".into(), "ResourceList".into());
        list.insert("items".into(), read(MANIFESTS).into());
        list.insert("functionConfig".into(), function_config());
        let mut function = Command::new(env!("CARGO_BIN_EXE_flink-operator-rollout"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = serde_yaml::to_string(&list).unwrap();
        let mut stdin = function.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        let output = function.wait_with_output().unwrap();
        assert!(output.status.success());
        let items = read(std::str::from_utf8(&output.stdout).unwrap());
        assert_eq!(
            carried_checksum(only(&items, "Deployment")),
            Some(checksum(only(&items, "ConfigMap")).as_str())
        );
    }
}
