//! An operator with files of configuration, and what the function makes of it.

use flink_operator_rollout::function_config::{Covers, OperatorRollout, Sources};
use flink_operator_rollout::results::{Outcome, Reason};
use flink_operator_rollout::stream;

/// An operator whose pod mounts ConfigMaps.
pub(crate) struct Installation {
    /// Name, lines of the manifest besides `data`, and keys with their text.
    pub(crate) config_maps: Vec<(&'static str, &'static str, Vec<(&'static str, String)>)>,
    /// The operator container's `env`, `envFrom` and `volumeMounts`, and the pod's `volumes`, in flow style.
    pub(crate) container: &'static str,
    pub(crate) volumes: &'static str,
    pub(crate) replicas: u32,
}

impl Installation {
    /// One ConfigMap, `conf`, mounted as a directory.
    pub(crate) fn of(files: &[(&'static str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|&(key, text)| (key, text.to_owned()))
            .collect();
        Self {
            config_maps: vec![("conf", "", files)],
            container: "volumeMounts: [{name: conf, mountPath: /opt/flink/conf}]",
            volumes: "[{name: conf, configMap: {name: conf}}]",
            replicas: 2,
        }
    }

    fn manifests(&self) -> String {
        let mut text = String::new();
        for (name, lines, files) in &self.config_maps {
            let data: serde_json::Map<_, _> = files
                .iter()
                .map(|(key, text)| ((*key).to_owned(), text.clone().into()))
                .collect();
            let data = serde_json::Value::Object(data);
            text.push_str(&format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n{lines}data: {data}\n---\n"
            ));
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

    /// The checksum, and the reasons of the other outcomes.
    pub(crate) fn checksum(&self, covers: Covers, sources: Sources) -> (String, Vec<Reason>) {
        let mut config = OperatorRollout {
            restart_on_config_change: true,
            ..Default::default()
        };
        config.checksum.covers = covers;
        config.checksum.sources = sources;
        let (outcomes, text) = self.run(&config);
        let sum = text
            .split("checksum/config: \"")
            .nth(1)
            .and_then(|rest| rest.get(..64));
        let sum = sum.unwrap_or_else(|| panic!("no checksum: {outcomes:?}"));
        let reasons = outcomes.iter().map(|outcome| outcome.tags.reason);
        (
            sum.to_owned(),
            reasons
                .filter(|reason| *reason != Reason::ChecksumAdded)
                .collect(),
        )
    }
}
