//! The command by which anyone can check a checksum against a cluster, with `kubectl`, `jq` and `sha256sum` alone.

use crate::checksum::Line;
use crate::configuration::Source;
use crate::function_config::Covers;
use crate::references::SourceKind;

/// The command; none for what a cluster does not hold in the same form, and for names that a shell would not take as they are.
pub(super) fn command(
    lines: &[(&Source<'_, '_>, Line)],
    namespace: Option<&str>,
    covers: Covers,
) -> Option<String> {
    let commands = lines
        .iter()
        .map(|(source, _)| source_command(source, namespace, covers))
        .collect::<Option<Vec<_>>>()?;
    Some(match commands.as_slice() {
        [one] => format!("{one} | sha256sum"),
        several => format!("{{ {}; }} | sha256sum", several.join("; ")),
    })
}

fn source_command(
    source: &Source<'_, '_>,
    namespace: Option<&str>,
    covers: Covers,
) -> Option<String> {
    let selection = match covers {
        Covers::Data => None,
        Covers::Mounted => source.reference.keys(),
        Covers::Manifest | Covers::RestartRequired => return None,
    };
    let select = match selection {
        None => String::new(),
        Some(keys) => {
            let quoted = |key: &&str| Some(format!("\"{}\"", word(key)?));
            let keys = keys.iter().map(quoted).collect::<Option<Vec<_>>>()?;
            format!("|with_entries(select(.key|IN({})))", keys.join(","))
        }
    };
    let (resource, filter) = match source.reference.kind {
        SourceKind::ConfigMap => (
            "configmap",
            format!("{{binaryData:(.binaryData//{{}}{select}),data:(.data//{{}}{select})}}"),
        ),
        SourceKind::Secret => ("secret", format!("{{data:(.data//{{}}{select})}}")),
    };
    let name = word(source.item.as_ref()?.resource().name()?)?;
    let namespace = match namespace {
        None => String::new(),
        Some(namespace) => format!(" -n {}", word(namespace)?),
    };
    Some(format!(
        "kubectl get {resource} {name}{namespace} -o json | jq -cS '{filter}'"
    ))
}

/// A name as Kubernetes allows it, which means nothing else to a shell or to jq.
fn word(name: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    (!name.starts_with('-') && name.chars().all(is_plain)).then_some(name)
}
