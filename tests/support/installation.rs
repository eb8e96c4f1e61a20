//! An operator with files of configuration, and what the function makes of it.

use std::fmt::Write as _;

use flink_operator_rollout::function_config::OperatorRollout;
use flink_operator_rollout::results::Outcome;
use flink_operator_rollout::stream;

/// An operator whose pod mounts ConfigMaps.
pub(crate) struct Installation {
    pub(crate) config_maps: Vec<ConfigMap>,
    /// The operator container's `env`, `envFrom` and `volumeMounts`, and the pod's `volumes`, in flow style.
    pub(crate) container: &'static str,
    pub(crate) volumes: &'static str,
    pub(crate) replicas: u32,
}

/// A ConfigMap with its files.
pub(crate) struct ConfigMap {
    pub(crate) name: &'static str,
    /// Lines of the manifest besides `data`.
    pub(crate) lines: &'static str,
    pub(crate) files: Vec<(&'static str, String)>,
}

impl ConfigMap {
    pub(crate) fn of(name: &'static str, files: &[(&'static str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|&(key, text)| (key, text.to_owned()))
            .collect();
        Self {
            name,
            lines: "",
            files,
        }
    }
}

impl Installation {
    /// One ConfigMap, `conf`, mounted as a directory.
    pub(crate) fn of(files: &[(&'static str, &str)]) -> Self {
        Self {
            config_maps: vec![ConfigMap::of("conf", files)],
            container: "volumeMounts: [{name: conf, mountPath: /opt/flink/conf}]",
            volumes: "[{name: conf, configMap: {name: conf}}]",
            replicas: 2,
        }
    }

    fn manifests(&self) -> String {
        let mut text = String::new();
        for ConfigMap { name, lines, files } in &self.config_maps {
            let data: serde_json::Map<_, _> = files
                .iter()
                .map(|(key, text)| ((*key).to_owned(), text.clone().into()))
                .collect();
            let data = serde_json::Value::Object(data);
            let _ = write!(
                text,
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n{lines}data: {data}\n---\n"
            );
        }
        text + &format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: op}}\nspec:\n  replicas: {}\n  template:\n    spec:\n      containers:\n      - {{name: o, command: [/docker-entrypoint.sh, operator], {}}}\n      volumes: {}\n",
            self.replicas, self.container, self.volumes
        )
    }

    /// What the function says and writes.
    pub(crate) fn run(&self, config: &OperatorRollout) -> (Vec<Outcome>, String) {
        let manifests = self.manifests();
        let run = stream::run(&manifests, config).unwrap();
        let mut out = Vec::new();
        run.write(&mut out).unwrap();
        (run.rollout.outcomes, String::from_utf8(out).unwrap())
    }
}
