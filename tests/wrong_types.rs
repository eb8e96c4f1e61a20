//! What does an input get in which a field is of another type than Kubernetes gives it? An error that names the field.

#[cfg(test)]
mod wrong_types {
    use serde_json::{Value, json};

    use flink_operator_rollout::function;
    use flink_operator_rollout::results::Severity;

    /// What a field may be.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Type {
        Text,
        Number,
        Boolean,
        List,
        Mapping,
    }
    use Type::{Boolean, List, Mapping, Number, Text};

    const TYPES: [Type; 5] = [Text, Number, Boolean, List, Mapping];
    /// What becomes a string where one is expected, so that the API server tells of it.
    const SCALAR: &[Type] = &[Text, Number, Boolean];
    const MAPPING: &[Type] = &[Mapping];
    const LIST: &[Type] = &[List];

    fn value(r#type: Type) -> Value {
        match r#type {
            Text => json!("text"),
            Number => json!(7),
            Boolean => json!(false),
            List => json!([]),
            Mapping => json!({}),
        }
    }

    fn name(r#type: Type) -> &'static str {
        match r#type {
            Text => "a string",
            Number => "a number",
            Boolean => "a boolean",
            List => "a list",
            Mapping => "a mapping",
        }
    }

    fn list() -> Value {
        json!({
            "apiVersion": "config.kubernetes.io/v1",
            "kind": "ResourceList",
            "functionConfig": {
                "apiVersion": "fn.flink.apache.org/v1alpha1",
                "kind": "OperatorRollout",
                "spec": {
                    "restartOnConfigChange": true,
                    "deploymentAnnotations": {"team": "flink"},
                    "checksum": {"sources": "AllConfigMapsAndSecrets"},
                },
            },
            "items": [
                {
                    "apiVersion": "v1",
                    "kind": "ConfigMap",
                    "metadata": {"name": "conf"},
                    "binaryData": {"b": "aGk="},
                    "data": {"a": "b"},
                },
                {
                    "apiVersion": "v1",
                    "kind": "Secret",
                    "metadata": {"name": "secret"},
                    "stringData": {"s": "t"},
                    "data": {"a": "aGk="},
                },
                {
                    "apiVersion": "apps/v1",
                    "kind": "Deployment",
                    "metadata": {"name": "op", "annotations": {"team": "data"}},
                    "spec": {
                        "strategy": {"type": "Recreate"},
                        "template": {
                            "metadata": {"annotations": {"checksum/config": "0"}},
                            "spec": {
                                "initContainers": [{
                                    "name": "init",
                                    "envFrom": [{"configMapRef": {"name": "conf", "optional": true}}],
                                }],
                                "containers": [{
                                    "command": ["/docker-entrypoint.sh"],
                                    "args": ["operator"],
                                    "image": "flink-kubernetes-operator",
                                    "env": [
                                        {"name": "FLINK_CONF_DIR", "value": "/opt/flink/conf"},
                                        {"name": "B", "valueFrom": {"secretKeyRef": {"name": "secret", "key": "a"}}},
                                    ],
                                    "volumeMounts": [{"name": "c", "mountPath": "/opt/flink/conf", "subPath": "a"}],
                                }],
                                "volumes": [
                                    {"name": "c", "configMap": {"name": "conf", "items": [{"key": "a", "path": "a"}]}},
                                    {"name": "d", "projected": {"sources": [{"secret": {"name": "secret"}}]}},
                                ],
                            },
                        },
                    },
                },
            ],
        })
    }

    /// What comes of a list with that value at a place: the messages and fields of the errors.
    fn errors(pointer: &str, value: &Value) -> Vec<(String, String)> {
        let mut list = list();
        *list
            .pointer_mut(pointer)
            .unwrap_or_else(|| panic!("nothing at {pointer}")) = value.clone();
        let text = format!("{list:#}");
        let run = function::run(&text).unwrap();
        let outcomes = &run.rollout.outcomes;
        let errors = outcomes
            .iter()
            .filter(|outcome| outcome.severity == Severity::Error);
        errors
            .map(|error| {
                let field = error.field.as_ref().map(|field| field.path.clone());
                (error.message.clone(), field.unwrap_or_default())
            })
            .collect()
    }

    fn assert_types(item: &str, fields: &[(&str, &[Type])]) {
        for (field, allowed) in fields {
            let pointer = field.replace(['.', '['], "/").replace(']', "");
            let pointer = format!(
                "{item}/{}",
                pointer.replace("checksum/config", "checksum~1config")
            );
            for r#type in TYPES {
                let errors = errors(&pointer, &value(r#type));
                let about_the_field: Vec<_> =
                    errors.iter().filter(|(_, path)| path == field).collect();
                if allowed.contains(&r#type) {
                    assert!(
                        about_the_field.is_empty(),
                        "{field}: {}: {errors:?}",
                        name(r#type)
                    );
                    continue;
                }
                let [(message, _)] = about_the_field.as_slice() else {
                    panic!("{field} may be {}: {errors:?}", name(r#type));
                };
                let says = [
                    format!("`{field}`"),
                    format!("is {}", name(r#type)),
                    "line ".to_owned(),
                    "expected ".to_owned(),
                ];
                for word in says {
                    assert!(message.contains(&word), "{word} is not in: {message}");
                }
            }
            let errors = errors(&pointer, &Value::Null);
            let about_the_field = errors.iter().any(|(_, path)| path == field);
            assert!(!about_the_field, "{field}: null: {errors:?}");
        }
    }

    #[test]
    fn of_the_deployment() {
        assert_types(
            "/items/2",
            &[
                ("metadata", MAPPING),
                ("metadata.annotations", MAPPING),
                ("metadata.annotations.team", SCALAR),
                ("spec", MAPPING),
                ("spec.strategy", MAPPING),
                ("spec.strategy.type", SCALAR),
                ("spec.template", MAPPING),
                ("spec.template.metadata", MAPPING),
                ("spec.template.metadata.annotations", MAPPING),
                ("spec.template.metadata.annotations.checksum/config", SCALAR),
                ("spec.template.spec", MAPPING),
            ],
        );
    }

    #[test]
    fn of_its_containers() {
        assert_types(
            "/items/2",
            &[
                ("spec.template.spec.containers", LIST),
                ("spec.template.spec.containers[0]", MAPPING),
                ("spec.template.spec.containers[0].command", LIST),
                ("spec.template.spec.containers[0].command[0]", SCALAR),
                ("spec.template.spec.containers[0].args", LIST),
                ("spec.template.spec.containers[0].args[0]", SCALAR),
                ("spec.template.spec.containers[0].image", SCALAR),
                ("spec.template.spec.containers[0].env", LIST),
                ("spec.template.spec.containers[0].env[0]", MAPPING),
                ("spec.template.spec.containers[0].env[0].name", SCALAR),
                ("spec.template.spec.containers[0].env[0].value", SCALAR),
                ("spec.template.spec.containers[0].env[1].valueFrom", MAPPING),
                (
                    "spec.template.spec.containers[0].env[1].valueFrom.secretKeyRef",
                    MAPPING,
                ),
                (
                    "spec.template.spec.containers[0].env[1].valueFrom.secretKeyRef.name",
                    SCALAR,
                ),
                (
                    "spec.template.spec.containers[0].env[1].valueFrom.secretKeyRef.key",
                    SCALAR,
                ),
                ("spec.template.spec.containers[0].volumeMounts", LIST),
                ("spec.template.spec.containers[0].volumeMounts[0]", MAPPING),
                (
                    "spec.template.spec.containers[0].volumeMounts[0].name",
                    SCALAR,
                ),
                (
                    "spec.template.spec.containers[0].volumeMounts[0].mountPath",
                    SCALAR,
                ),
                (
                    "spec.template.spec.containers[0].volumeMounts[0].subPath",
                    SCALAR,
                ),
                ("spec.template.spec.initContainers", LIST),
                ("spec.template.spec.initContainers[0]", MAPPING),
                ("spec.template.spec.initContainers[0].envFrom", LIST),
                ("spec.template.spec.initContainers[0].envFrom[0]", MAPPING),
                (
                    "spec.template.spec.initContainers[0].envFrom[0].configMapRef",
                    MAPPING,
                ),
                (
                    "spec.template.spec.initContainers[0].envFrom[0].configMapRef.name",
                    SCALAR,
                ),
                (
                    "spec.template.spec.initContainers[0].envFrom[0].configMapRef.optional",
                    &[Boolean],
                ),
            ],
        );
    }

    #[test]
    fn of_its_volumes() {
        assert_types(
            "/items/2",
            &[
                ("spec.template.spec.volumes", LIST),
                ("spec.template.spec.volumes[0]", MAPPING),
                ("spec.template.spec.volumes[0].name", SCALAR),
                ("spec.template.spec.volumes[0].configMap", MAPPING),
                ("spec.template.spec.volumes[0].configMap.name", SCALAR),
                ("spec.template.spec.volumes[0].configMap.items", LIST),
                ("spec.template.spec.volumes[0].configMap.items[0]", MAPPING),
                (
                    "spec.template.spec.volumes[0].configMap.items[0].key",
                    SCALAR,
                ),
                (
                    "spec.template.spec.volumes[0].configMap.items[0].path",
                    SCALAR,
                ),
            ],
        );
    }

    #[test]
    fn of_a_config_map() {
        let strings: &[Type] = &[Text];
        assert_types(
            "/items/0",
            &[
                ("data", MAPPING),
                ("data.a", strings),
                ("binaryData", MAPPING),
            ],
        );
    }

    #[test]
    fn of_a_secret() {
        let strings: &[Type] = &[Text];
        assert_types(
            "/items/1",
            &[
                ("data", MAPPING),
                ("stringData", MAPPING),
                ("stringData.s", strings),
            ],
        );
    }

    #[test]
    fn base64_is_checked_and_never_shown() {
        for (pointer, path) in [
            ("/items/0/binaryData/b", "binaryData.b"),
            ("/items/1/data/a", "data.a"),
        ] {
            for wrong in ["hunter2", "aGk", "a-_k", "aGk=="] {
                let errors = errors(pointer, &json!(wrong));
                let [(message, field)] = errors.as_slice() else {
                    panic!("{wrong}: {errors:?}")
                };
                assert_eq!(field, path);
                assert!(message.contains("is not base64"), "{message}");
                assert!(!message.contains(wrong), "{message}");
            }
        }
    }
}
