//! What the operator could not load of its configuration, found before a restart is caused.

use super::mounted::{MountedFile, MountedFiles};
use super::table;
use crate::configuration::Configuration;
use crate::resource::field_path;
use crate::results::{Field, Outcome, Reason, Severity};

const LEADER_ELECTION: &str = "kubernetes.operator.leader-election.enabled";
const LEASE_NAME: &str = "kubernetes.operator.leader-election.lease-name";

/// Everything that would keep the operator from starting, at the severity that the function config gives it, and every option
/// that looks misspelt.
///
/// Leader election without a lease name, which the operator refuses, is a warning only where there is more than one replica
/// to elect from, and always an error.
#[must_use]
pub fn check(
    configuration: &Configuration<'_, '_>,
    mounted: &MountedFiles,
    replicas: u32,
    severity: Severity,
) -> Vec<Outcome> {
    let outcome = |file: &MountedFile, reason, severity, message: String, field: Field| {
        let source = configuration
            .sources
            .get(file.source)
            .and_then(|source| source.item.as_ref());
        let outcome = Outcome::new(reason, severity, message).with_field(field);
        match source {
            Some(item) => outcome.about(item.resource().reference(), item.resource().file()),
            None => outcome,
        }
    };
    let field = |file: &MountedFile| Field::at(field_path(&["data", &file.key]));
    let would_not_load = |file: &MountedFile, what: String, current: Option<&str>| {
        let message = format!(
            "the operator would not start with this configuration: {}: {what}",
            file.key
        );
        let field = Field {
            current_value: current.map(Into::into),
            ..field(file)
        };
        outcome(file, Reason::ConfigWouldNotLoad, severity, message, field)
    };
    let mut outcomes = Vec::new();
    for file in mounted.read() {
        if let Some(Err(error)) = &file.options {
            outcomes.push(would_not_load(file, error.to_string(), None));
        }
    }
    let effective = mounted.effective();
    let mut in_force: Vec<_> = effective.values().collect();
    in_force.sort_by_key(|(file, entry)| (file.source, &file.key, entry.line));
    for &(file, entry) in in_force {
        let (key, value, line) = (&entry.key, &entry.value, entry.line);
        if let Some(option_type) = table::type_of(key)
            && let Err(expected) = option_type.check(value)
        {
            let what = format!("line {line}: `{key}` is `{value}`, expected {expected}");
            outcomes.push(would_not_load(file, what, Some(value)));
        }
        if let Some(nearest) = table::nearest(key) {
            let message = format!(
                "{}: line {line}: no option is called `{key}`; did you mean `{nearest}`?",
                file.key
            );
            let field = Field {
                current_value: Some(key.as_str().into()),
                proposed_value: Some(nearest.into()),
                ..field(file)
            };
            outcomes.push(outcome(
                file,
                Reason::MisspelledOption,
                Severity::Warning,
                message,
                field,
            ));
        }
    }
    // A lease name may come from a ConfigMap that is not among the manifests.
    if mounted.missing.is_none()
        && (replicas > 1 || severity == Severity::Error)
        && let Some((file, entry)) = effective.get(LEADER_ELECTION)
        && entry.value.eq_ignore_ascii_case("true")
        && effective
            .get(LEASE_NAME)
            .is_none_or(|(_, entry)| entry.value.is_empty())
    {
        let line = entry.line;
        let what = format!(
            "line {line}: `{LEADER_ELECTION}` is true without `{LEASE_NAME}`, expected a name for the lease"
        );
        outcomes.push(would_not_load(file, what, Some(&entry.value)));
    }
    outcomes
}
