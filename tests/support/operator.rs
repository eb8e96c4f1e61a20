//! A small installation of the operator, as text.

/// The configuration, with one option of that value.
pub(crate) fn config_map(value: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flink-operator-config\n  namespace: flink\ndata:\n  flink-conf.yaml: |\n    kubernetes.operator.reconcile.interval: {value}\n"
    )
}

/// The operator's Deployment, which mounts that.
pub(crate) const DEPLOYMENT: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: flink-kubernetes-operator
  namespace: flink
spec:
  replicas: 1
  template:
    metadata:
      labels: {app: operator}
    spec:
      containers:
      - name: operator
        command: [/docker-entrypoint.sh, operator]
        volumeMounts:
        - {name: conf, mountPath: /opt/flink/conf}
      volumes:
      - name: conf
        configMap: {name: flink-operator-config}
";

/// Both, as a stream.
pub(crate) fn stream(value: &str) -> String {
    format!("{}---\n{DEPLOYMENT}", config_map(value))
}
