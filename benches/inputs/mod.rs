//! The lists that the benchmarks run on, made up in the shape of what people deploy.

use std::fmt::Write as _;

/// A list or stream of some shape, for any size.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    /// The text, of about that many bytes.
    pub(crate) make: fn(usize) -> String,
    /// The program's arguments.
    pub(crate) args: &'static [&'static str],
}

const fn shape(name: &'static str, make: fn(usize) -> String) -> Shape {
    Shape {
        name,
        make,
        args: &[],
    }
}

const fn stream_shape(name: &'static str, make: fn(usize) -> String) -> Shape {
    Shape {
        name,
        make,
        args: &["stream", "--restart-on-config-change"],
    }
}

pub(crate) const SHAPES: &[Shape] = &[
    shape("chart copies", |bytes| list(&fill(bytes, installation))),
    shape("mixed, one operator", |bytes| list(&fill(bytes, mixed))),
    shape("many Deployments", |bytes| list(&fill(bytes, deployments))),
    shape("JSON in one line", |bytes| json(&list(&fill(bytes, mixed)))),
    shape("items in flow style", |bytes| {
        flow(&list(&fill(bytes, mixed)))
    }),
    stream_shape("stream, chart copies", |bytes| {
        stream(&fill(bytes, installation))
    }),
    stream_shape("stream, mixed", |bytes| stream(&fill(bytes, mixed))),
];

/// Options of the operator that take a duration.
const OPTIONS: [&str; 4] = [
    "reconcile.interval",
    "resource.cleanup.timeout",
    "flink.client.timeout",
    "savepoint.trigger.grace-period",
];

/// The head of a `ResourceList` and, behind the items, a function config that asks for both options.
fn list(items: &str) -> String {
    format!(
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}functionConfig:\n  apiVersion: fn.flink.apache.org/v1alpha1\n  kind: OperatorRollout\n  metadata:\n    name: rollout\n  spec:\n    restartOnConfigChange: true\n    deploymentAnnotations:\n      example.com/owner: platform\n"
    )
}

/// Items from `make`, one number after another, until they take that many bytes.
fn fill(bytes: usize, make: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(bytes + bytes / 8);
    let mut number = 0;
    while text.len() < bytes {
        text.push_str(&make(number));
        number += 1;
    }
    text
}

/// One installation of the operator as its chart renders it: configuration, roles, webhook, Deployment.
fn installation(number: usize) -> String {
    [
        config_map(number),
        roles(number),
        service(number),
        webhook(number),
        operator(number),
    ]
    .concat()
}

/// A mixed list around one operator: CRDs, roles, Services, custom resources.
fn mixed(number: usize) -> String {
    match number {
        0 => [config_map(0), operator(0)].concat(),
        _ => match number % 8 {
            0 => crd(number),
            1..=2 => roles(number),
            3..=5 => service(number),
            _ => custom_resource(number),
        },
    }
}

/// Deployments that are not the operator's, around one that is.
fn deployments(number: usize) -> String {
    match number {
        0 => [config_map(0), operator(0)].concat(),
        _ => operator(number)
            .replace("docker-entrypoint.sh", "entry.sh")
            .replace("flink-kubernetes-operator", "web-application"),
    }
}

fn config_map(number: usize) -> String {
    let mut text = format!(
        "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: flink-operator-config\n    namespace: team-{number}\n    labels:\n      app.kubernetes.io/name: flink-kubernetes-operator\n      helm.sh/chart: flink-kubernetes-operator-1.15.0\n  data:\n"
    );
    for file in [
        "config.yaml",
        "flink-conf.yaml",
        "log4j-operator.properties",
        "log4j-console.properties",
    ] {
        let _ = writeln!(text, "    {file}: |+");
        for line in 0..60 {
            let _ = match line % 4 {
                0 => writeln!(
                    text,
                    "      # Option {line} of {file}, with a comment that explains it in one sentence."
                ),
                3 => writeln!(text),
                _ => writeln!(
                    text,
                    "      kubernetes.operator.{}: {} s",
                    OPTIONS[line % OPTIONS.len()],
                    line * 7 + number
                ),
            };
        }
        text.push('\n');
    }
    text
}

fn operator(number: usize) -> String {
    format!(
        r#"- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: flink-kubernetes-operator
    namespace: team-{number}
    labels:
      app.kubernetes.io/name: flink-kubernetes-operator
      app.kubernetes.io/version: "1.15.0"
  spec:
    replicas: 1
    strategy:
      type: Recreate
    selector:
      matchLabels:
        app.kubernetes.io/name: flink-kubernetes-operator
    template:
      metadata:
        labels:
          app.kubernetes.io/name: flink-kubernetes-operator
        annotations:
          kubectl.kubernetes.io/default-container: flink-kubernetes-operator
      spec:
        securityContext:
          runAsGroup: 9999
          runAsUser: 9999
        serviceAccountName: flink-operator
        containers:
        - name: flink-kubernetes-operator
          image: "ghcr.io/apache/flink-kubernetes-operator:1.15.0"
          imagePullPolicy: IfNotPresent
          command: ["/docker-entrypoint.sh", "operator"]
          ports:
          - containerPort: 8085
            name: health-port
          env:
          - name: OPERATOR_NAMESPACE
            value: team-{number}
          - name: FLINK_CONF_DIR
            value: /opt/flink/conf
          - name: LOG_CONFIG
            value: -Dlog4j.configurationFile=/opt/flink/conf/log4j-operator.properties
          livenessProbe:
            httpGet:
              path: /
              port: health-port
          volumeMounts:
          - name: flink-operator-config-volume
            mountPath: /opt/flink/conf
        volumes:
        - name: flink-operator-config-volume
          configMap:
            name: flink-operator-config
            items:
            - key: flink-conf.yaml
              path: flink-conf.yaml
            - key: log4j-operator.properties
              path: log4j-operator.properties
            - key: log4j-console.properties
              path: log4j-console.properties
"#
    )
}

fn roles(number: usize) -> String {
    let mut text = format!(
        "- apiVersion: rbac.authorization.k8s.io/v1\n  kind: ClusterRole\n  metadata:\n    name: role-{number}\n    labels:\n      app.kubernetes.io/name: flink-kubernetes-operator\n  rules:\n"
    );
    for group in [
        "",
        "apps",
        "batch",
        "extensions",
        "flink.apache.org",
        "networking.k8s.io",
    ] {
        let _ = write!(
            text,
            "  - apiGroups:\n    - \"{group}\"\n    resources:\n    - deployments\n    - deployments/finalizers\n    - replicasets\n    verbs:\n    - get\n    - list\n    - watch\n    - create\n    - update\n    - patch\n    - delete\n"
        );
    }
    text
}

fn service(number: usize) -> String {
    format!(
        "- apiVersion: v1\n  kind: Service\n  metadata:\n    name: service-{number}\n    namespace: team-{number}\n  spec:\n    type: ClusterIP\n    ports:\n    - name: http\n      port: 443\n      targetPort: 9443\n      protocol: TCP\n    selector:\n      app.kubernetes.io/name: service-{number}\n"
    )
}

fn webhook(number: usize) -> String {
    format!(
        "- apiVersion: admissionregistration.k8s.io/v1\n  kind: ValidatingWebhookConfiguration\n  metadata:\n    name: webhook-{number}\n  webhooks:\n  - name: validationwebhook.flink.apache.org\n    clientConfig:\n      service:\n        name: flink-operator-webhook-service\n        namespace: team-{number}\n        path: /validate\n    failurePolicy: Fail\n    rules:\n    - apiGroups: [\"flink.apache.org\"]\n      apiVersions: [\"*\"]\n      operations: [CREATE, UPDATE]\n      resources: [flinkdeployments, flinksessionjobs]\n    sideEffects: None\n"
    )
}

fn custom_resource(number: usize) -> String {
    format!(
        "- apiVersion: flink.apache.org/v1beta1\n  kind: FlinkDeployment\n  metadata:\n    name: job-{number}\n    namespace: team-{number}\n  spec:\n    image: flink:1.20\n    flinkVersion: v1_20\n    flinkConfiguration:\n      taskmanager.numberOfTaskSlots: \"2\"\n      state.savepoints.dir: s3://bucket/savepoints/{number}\n    jobManager:\n      resource: {{memory: 2048m, cpu: 1}}\n    taskManager:\n      resource: {{memory: 2048m, cpu: 1}}\n    job:\n      jarURI: local:///opt/flink/examples/streaming/StateMachineExample.jar\n      parallelism: {}\n      upgradeMode: stateless\n",
        number % 32 + 1
    )
}

fn crd(number: usize) -> String {
    let mut text = format!(
        "- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  metadata:\n    name: things{number}.example.com\n  spec:\n    group: example.com\n    names: {{kind: Thing, plural: things}}\n    scope: Namespaced\n    versions:\n    - name: v1\n      served: true\n      storage: true\n      schema:\n        openAPIV3Schema:\n          type: object\n          properties:\n            spec:\n              type: object\n              properties:\n"
    );
    for field in 0..120 {
        let _ = write!(
            text,
            "                field{field}:\n                  description: The field number {field}, which says how often\n                    the thing is done, and why it's done \"often\".\n                  type: object\n                  properties:\n                    value:\n                      type: string\n                      enum: [a, b, c]\n                    amount:\n                      type: integer\n                      minimum: 0\n"
        );
    }
    text
}

/// The same list as JSON in one line.
fn json(list: &str) -> String {
    let value: serde_json::Value = serde_yaml::from_str(list).expect("the lists are valid");
    value.to_string()
}

/// The same list with each item in flow style on a line of its own.
fn flow(list: &str) -> String {
    let value: serde_json::Value = serde_yaml::from_str(list).expect("the lists are valid");
    let items = value["items"].as_array().expect("the lists have items");
    let mut lines = String::new();
    for item in items {
        let _ = writeln!(lines, "- {item}");
    }
    self::list(&lines)
}

/// The items of a list as a stream of documents.
fn stream(items: &str) -> String {
    let value: Vec<serde_json::Value> = serde_yaml::from_str(items).expect("the items are valid");
    let mut text = String::new();
    for item in value {
        let document = serde_yaml::to_string(&item).expect("JSON is YAML");
        let _ = write!(text, "---\n{document}");
    }
    text
}
