//! Options as Argo CD hands them to a config management plugin: `ARGOCD_APP_PARAMETERS`, the
//! parameters of the Application as JSON, and `ARGOCD_ENV_*`, the entries of its `plugin.env`.
//!
//! Both are read into the text form of a function config, field name to YAML text, as in the `data`
//! of a `ConfigMap`. What the texts hold is for the function config to judge.

use std::collections::BTreeMap;
use std::ffi::OsString;

use serde_json::{Map, Value};

const PARAMETERS: &str = "ARGOCD_APP_PARAMETERS";

/// The fields that a parameter or a variable can set.
const FIELDS: [&str; 5] = [
    "restartOnConfigChange",
    "deploymentAnnotations",
    "target",
    "checksum",
    "configCheck",
];

/// Why the options in the environment can't be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgocdError {
    /// A variable holds bytes that are no text.
    #[error("{variable}: not valid UTF-8; YAML text is expected")]
    NotText {
        /// The variable's name.
        variable: String,
    },
    /// `ARGOCD_APP_PARAMETERS` is not JSON.
    #[error(
        "{PARAMETERS}: not JSON: {reason}; expected is a JSON array of parameters, such as {EXAMPLE}"
    )]
    NotJson {
        /// What the JSON reader says, with line and column.
        reason: String,
    },
    /// `ARGOCD_APP_PARAMETERS` is JSON, but no list of parameters.
    #[error(
        "{PARAMETERS}: found {found}; expected is a JSON array of parameters, such as {EXAMPLE}"
    )]
    NotAnArray {
        /// The kind of the JSON value.
        found: &'static str,
    },
    /// An entry of `ARGOCD_APP_PARAMETERS` is no object with a `name`.
    #[error(
        "{PARAMETERS}: entry {number} is {found}; expected is an object with a \"name\", such as {EXAMPLE}"
    )]
    NotAParameter {
        /// The place in the array, from 1.
        number: usize,
        /// What the entry is.
        found: &'static str,
    },
    /// A parameter that sets no field of the function config.
    #[error("{PARAMETERS}: unknown parameter {name:?}; {}", suggestion(.name))]
    UnknownParameter {
        /// The parameter's name as found.
        name: String,
    },
    /// A parameter that is there more than once.
    #[error("{PARAMETERS}: parameter {name:?} is given twice; once would be right")]
    ParameterTwice {
        /// The parameter's name.
        name: String,
    },
    /// A parameter whose value can't be that of its field.
    #[error(
        "{PARAMETERS}: parameter {name:?} has {found}; expected is either \"string\" with YAML text or \"map\" with strings"
    )]
    WrongValue {
        /// The parameter's name.
        name: String,
        /// What is there instead.
        found: String,
    },
}

const EXAMPLE: &str = r#"[{"name": "restartOnConfigChange", "string": "true"}]"#;

/// Reads the options from the environment, of which `variable` gives a variable's value.
///
/// A parameter wins over the variable of the same field. What is not given is left out: Argo CD never
/// sends the defaults that a plugin announces.
///
/// # Errors
///
/// Everything that is wrong, not only the first.
pub fn fields(
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<BTreeMap<String, String>, Vec<ArgocdError>> {
    let mut fields = BTreeMap::new();
    let mut errors = Vec::new();
    let mut text = |name: &str| match variable(name).map(OsString::into_string) {
        // Some versions of Argo CD drop an empty variable and some pass it on, so both mean the same.
        Some(Ok(text)) if !text.is_empty() => Some(text),
        Some(Err(_)) => {
            errors.push(ArgocdError::NotText {
                variable: name.to_owned(),
            });
            None
        }
        _ => None,
    };

    for field in FIELDS {
        if let Some(text) = text(&variable_name(field)) {
            fields.insert(field.to_owned(), text);
        }
    }
    let parameters = text(PARAMETERS).map_or_else(|| Ok(Vec::new()), |json| parameters(&json));
    match parameters {
        Ok(parameters) => read_parameters(parameters, &mut fields, &mut errors),
        Err(error) => errors.push(error),
    }

    if errors.is_empty() {
        Ok(fields)
    } else {
        Err(errors)
    }
}

/// The variable of a field: `configCheck` comes as `ARGOCD_ENV_CONFIG_CHECK`.
fn variable_name(field: &str) -> String {
    let mut name = String::from("ARGOCD_ENV_");
    for character in field.chars() {
        if character.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(character.to_ascii_uppercase());
    }
    name
}

fn parameters(json: &str) -> Result<Vec<Value>, ArgocdError> {
    match serde_json::from_str(json) {
        Ok(Value::Array(parameters)) => Ok(parameters),
        // An Application that names the plugin and gives no parameters.
        Ok(Value::Null) => Ok(Vec::new()),
        Ok(other) => Err(ArgocdError::NotAnArray {
            found: kind(&other),
        }),
        Err(error) => Err(ArgocdError::NotJson {
            reason: error.to_string(),
        }),
    }
}

fn read_parameters(
    parameters: Vec<Value>,
    fields: &mut BTreeMap<String, String>,
    errors: &mut Vec<ArgocdError>,
) {
    let mut seen = Vec::new();
    for (index, parameter) in parameters.into_iter().enumerate() {
        let number = index + 1;
        let mut parameter = match parameter {
            Value::Object(parameter) => parameter,
            other => {
                let found = kind(&other);
                errors.push(ArgocdError::NotAParameter { number, found });
                continue;
            }
        };
        let Some(Value::String(name)) = parameter.remove("name") else {
            let found = "an object without a \"name\"";
            errors.push(ArgocdError::NotAParameter { number, found });
            continue;
        };
        if !FIELDS.contains(&name.as_str()) {
            errors.push(ArgocdError::UnknownParameter { name });
        } else if seen.contains(&name) {
            errors.push(ArgocdError::ParameterTwice { name });
        } else {
            seen.push(name.clone());
            match value(&parameter) {
                Ok(text) => {
                    fields.insert(name, text);
                }
                Err(found) => errors.push(ArgocdError::WrongValue { name, found }),
            }
        }
    }
}

/// The YAML text of a parameter's value, or what is wrong with it.
fn value(parameter: &Map<String, Value>) -> Result<String, String> {
    let given: Vec<(&str, &Value)> = ["string", "array", "map"]
        .into_iter()
        .filter_map(|key| Some((key, parameter.get(key)?)))
        .filter(|(_, value)| !value.is_null())
        .collect();
    match given.as_slice() {
        [("string", Value::String(text))] => Ok(text.clone()),
        [("map", Value::Object(map))] => match map.iter().find(|(_, value)| !value.is_string()) {
            None => Ok(Value::Object(map.clone()).to_string()),
            Some((key, value)) => Err(format!("{} at {key:?} in its \"map\"", kind(value))),
        },
        [("array", _)] => Err("an \"array\"".to_owned()),
        [(key, value)] => Err(format!("{} as its {key:?}", kind(value))),
        [] => Err("no value".to_owned()),
        several => {
            let keys: Vec<String> = several.iter().map(|(key, _)| format!("{key:?}")).collect();
            Err(keys.join(" and "))
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn suggestion(name: &str) -> String {
    let nearest = FIELDS
        .into_iter()
        .map(|field| (strsim::damerau_levenshtein(name, field), field))
        .min()
        .filter(|(distance, field)| *distance * 3 <= field.len());
    match nearest {
        Some((_, field)) => format!("did you mean {field:?}?"),
        None => format!("known are {}", FIELDS.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs = [(&'static str, &'static str)];

    fn read(environment: &[(&str, &str)]) -> Result<Vec<(&'static str, String)>, Vec<String>> {
        let variable = |name: &str| {
            let (_, value) = environment.iter().find(|(known, _)| *known == name)?;
            Some(OsString::from(value))
        };
        let fields = fields(variable)
            .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        let in_order = FIELDS.into_iter();
        Ok(in_order
            .filter_map(|field| Some((field, fields.get(field)?.clone())))
            .collect())
    }

    #[test]
    fn options_come_from_parameters_and_from_the_environment() {
        let cases: &[(&str, &Pairs, &Pairs)] = &[
            ("neither is there", &[], &[]),
            (
                "a plugin block without parameters",
                &[("ARGOCD_APP_PARAMETERS", "null")],
                &[],
            ),
            ("none", &[("ARGOCD_APP_PARAMETERS", "[]")], &[]),
            ("empty", &[("ARGOCD_APP_PARAMETERS", "")], &[]),
            (
                "a string is YAML text",
                &[(
                    "ARGOCD_APP_PARAMETERS",
                    r#"[{"name":"restartOnConfigChange","string":"true"},{"name":"checksum","string":"{covers: Mounted}"}]"#,
                )],
                &[
                    ("restartOnConfigChange", "true"),
                    ("checksum", "{covers: Mounted}"),
                ],
            ),
            (
                "the values of a map stay strings, and keys with a slash whole",
                &[(
                    "ARGOCD_APP_PARAMETERS",
                    r#"[{"name":"deploymentAnnotations","map":{"reloader.stakater.com/auto":"true"}}]"#,
                )],
                &[(
                    "deploymentAnnotations",
                    r#"{"reloader.stakater.com/auto":"true"}"#,
                )],
            ),
            (
                "an emptied map",
                &[(
                    "ARGOCD_APP_PARAMETERS",
                    r#"[{"name":"deploymentAnnotations","map":{}}]"#,
                )],
                &[("deploymentAnnotations", "{}")],
            ),
            (
                "every field has its variable",
                &[
                    ("ARGOCD_ENV_RESTART_ON_CONFIG_CHANGE", "true"),
                    ("ARGOCD_ENV_DEPLOYMENT_ANNOTATIONS", "a/b: c"),
                    ("ARGOCD_ENV_TARGET", "name: operator"),
                    ("ARGOCD_ENV_CHECKSUM", "covers: Mounted"),
                    ("ARGOCD_ENV_CONFIG_CHECK", "Refuse"),
                ],
                &[
                    ("restartOnConfigChange", "true"),
                    ("deploymentAnnotations", "a/b: c"),
                    ("target", "name: operator"),
                    ("checksum", "covers: Mounted"),
                    ("configCheck", "Refuse"),
                ],
            ),
            (
                "an empty variable is one that is not there",
                &[("ARGOCD_ENV_RESTART_ON_CONFIG_CHANGE", "")],
                &[],
            ),
            (
                "variables of the renderer are none of ours",
                &[("ARGOCD_ENV_VALUES", "values-prod.yaml")],
                &[],
            ),
            (
                "a parameter wins over the variable",
                &[
                    ("ARGOCD_ENV_RESTART_ON_CONFIG_CHANGE", "true"),
                    ("ARGOCD_ENV_CONFIG_CHECK", "Refuse"),
                    (
                        "ARGOCD_APP_PARAMETERS",
                        r#"[{"name":"restartOnConfigChange","string":"false"}]"#,
                    ),
                ],
                &[
                    ("restartOnConfigChange", "false"),
                    ("configCheck", "Refuse"),
                ],
            ),
        ];
        for (what, environment, expected) in cases {
            let expected: Vec<_> = expected
                .iter()
                .map(|(field, text)| (*field, (*text).to_owned()))
                .collect();
            assert_eq!(read(environment), Ok(expected), "{what}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_what_would_be_right() {
        let cases: &[(&str, &[&str])] = &[
            (
                r#"[{"name":"restartOnConfigChanges","string":"true"}]"#,
                &[
                    r#"unknown parameter "restartOnConfigChanges"; did you mean "restartOnConfigChange"?"#,
                ],
            ),
            (
                r#"[{"name":"values","string":"x"}]"#,
                &[
                    r#"unknown parameter "values"; known are restartOnConfigChange, deploymentAnnotations, target, checksum, configCheck"#,
                ],
            ),
            (
                r#"[{"name":"target","string":"{}"},{"name":"target","string":"{}"}]"#,
                &[r#"parameter "target" is given twice; once would be right"#],
            ),
            (
                r#"[{"name":"deploymentAnnotations","array":["a=b"]},{"name":"configCheck"},
                    {"name":"restartOnConfigChange","string":true},{"name":"target","string":"","map":{}},
                    {"name":"checksum","map":{"covers":1}}]"#,
                &[
                    r#"parameter "deploymentAnnotations" has an "array"; expected is either "string" with YAML text or "map" with strings"#,
                    r#"parameter "configCheck" has no value; expected is either "string" with YAML text or "map" with strings"#,
                    r#"parameter "restartOnConfigChange" has a boolean as its "string"; expected is either "string" with YAML text or "map" with strings"#,
                    r#"parameter "target" has "string" and "map"; expected is either "string" with YAML text or "map" with strings"#,
                    r#"parameter "checksum" has a number at "covers" in its "map"; expected is either "string" with YAML text or "map" with strings"#,
                ],
            ),
            (
                r#"["restartOnConfigChange",{"string":"true"}]"#,
                &[
                    r#"entry 1 is a string; expected is an object with a "name", such as [{"name": "restartOnConfigChange", "string": "true"}]"#,
                    r#"entry 2 is an object without a "name"; expected is an object with a "name", such as [{"name": "restartOnConfigChange", "string": "true"}]"#,
                ],
            ),
            (
                r#"{"restartOnConfigChange":"true"}"#,
                &[
                    r#"found an object; expected is a JSON array of parameters, such as [{"name": "restartOnConfigChange", "string": "true"}]"#,
                ],
            ),
        ];
        for (json, expected) in cases {
            let expected: Vec<_> = expected
                .iter()
                .map(|error| format!("ARGOCD_APP_PARAMETERS: {error}"))
                .collect();
            assert_eq!(
                read(&[("ARGOCD_APP_PARAMETERS", json)]),
                Err(expected),
                "{json}"
            );
        }
    }

    #[test]
    fn json_that_breaks_off_is_named_with_its_place() {
        let Err(errors) = read(&[("ARGOCD_APP_PARAMETERS", "[{")]) else {
            panic!("half a list was read");
        };
        assert!(
            errors.iter().all(
                |error| error.starts_with("ARGOCD_APP_PARAMETERS: not JSON: ")
                    && error.contains("line 1 column 2")
            ),
            "{errors:?}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_are_refused_by_the_variables_name() {
        use std::os::unix::ffi::OsStringExt;

        let errors =
            fields(|name| (name == "ARGOCD_ENV_TARGET").then(|| OsString::from_vec(vec![0xff])));
        assert_eq!(
            errors,
            Err(vec![ArgocdError::NotText {
                variable: "ARGOCD_ENV_TARGET".to_owned()
            }])
        );
    }
}
