//! The checksum: SHA-256 over one line of canonical JSON for each source.
//!
//! The lines are made so that anyone can check the sum, with `kubectl`, `jq -cS` and `sha256sum`. JSON is canonical by
//! RFC 8785: keys sorted, no spaces, numbers as ECMAScript writes them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use sha2::{Digest, Sha256};

use crate::function_config::Covers;
use crate::resource::{Resource, field_path, is_orchestrator_annotation};
use crate::yaml::tree::Position;
use crate::yaml::{Kind, Value};

/// A source that Kubernetes would not take, so that what the pod would see is not certain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` ({position}) {fault}")]
pub struct InvalidSource {
    /// The path of the field.
    pub path: String,
    /// What is wrong with it, and what would be right. Never the value.
    pub fault: String,
    /// Where it stands.
    pub position: Position,
}

/// The most nodes that one source may have once its aliases are followed.
const NODE_LIMIT: usize = 1_000_000;
/// How much text aliases may add to a source, in bytes, on top of the input's size.
const EXPANSION_ALLOWANCE: usize = 1024 * 1024;
/// What is said of a source whose aliases stand for more.
const EXPANDS_TOO_MUCH: &str = "expands to too much through aliases; write it out instead";

/// What stands for a source in the checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Canonical JSON, without the line feed that ends it.
    pub json: String,
    /// The keys of the source that it covers, in order, with the size of each value in bytes: text as it is, bytes as base64.
    pub keys: Vec<(String, usize)>,
}

/// The SHA-256 of the lines, each ended by a line feed, in lower-case hexadecimal.
#[must_use]
pub fn digest<'l>(lines: impl IntoIterator<Item = &'l Line>) -> String {
    let mut hasher = Sha256::new();
    for line in lines {
        hasher.update(&line.json);
        hasher.update("\n");
    }
    hex::encode(hasher.finalize())
}

/// The line that stands for a source.
///
/// `keys` are those that the pod template selects; none where it takes them all. `restart_value` gives what stands for a key's
/// text under [`Covers::RestartRequired`]; none where that is the text itself.
///
/// # Errors
///
/// The source is not what Kubernetes would take for a ConfigMap or a Secret.
pub fn line(
    source: Resource<'_>,
    covers: Covers,
    keys: Option<&BTreeSet<&str>>,
    restart_value: impl Fn(&str) -> Option<String>,
) -> Result<Line, InvalidSource> {
    if let Some(duplicate) = source.root.duplicate_key() {
        return Err(InvalidSource {
            path: field_path(&duplicate.path),
            fault: "is given twice, expected once".to_owned(),
            position: duplicate.key.position(),
        });
    }
    let mut data = match covers {
        Covers::Manifest | Covers::Data => data(source)?,
        Covers::Mounted | Covers::RestartRequired => data(source)?.select(keys),
    };
    if covers == Covers::RestartRequired {
        for (key, text) in &mut data.text {
            if let Some(value) = restart_value(key) {
                *text = value;
            }
        }
    }
    let json = match covers {
        Covers::Manifest => manifest(source)?,
        _ => data.to_json(),
    };
    Ok(Line {
        json,
        keys: data.sizes(),
    })
}

/// What a source holds, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// Bytes in standard base64; none for a Secret, which holds nothing else.
    pub binary: Option<BTreeMap<String, String>>,
    /// Text; for a Secret bytes in standard base64.
    pub text: BTreeMap<String, String>,
}

impl Data {
    /// The same with only some of the keys; with all of them where there is no selection.
    #[must_use]
    pub fn select(mut self, keys: Option<&BTreeSet<&str>>) -> Self {
        if let Some(keys) = keys {
            let selected = |key: &String, _: &mut String| keys.contains(key.as_str());
            self.text.retain(selected);
            self.binary
                .iter_mut()
                .for_each(|binary| binary.retain(selected));
        }
        self
    }

    /// The keys, with the size of each value in bytes: text as it is, bytes as base64.
    #[must_use]
    pub fn sizes(&self) -> Vec<(String, usize)> {
        let binary = self.binary.iter().flatten();
        binary
            .chain(&self.text)
            .map(|(key, value)| (key.clone(), value.len()))
            .collect()
    }

    /// The canonical JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = String::from("{");
        if let Some(binary) = &self.binary {
            json.push_str("\"binaryData\":");
            push_strings(&mut json, binary);
            json.push(',');
        }
        json.push_str("\"data\":");
        push_strings(&mut json, &self.text);
        json.push('}');
        json
    }
}

/// What a ConfigMap or Secret holds.
///
/// # Errors
///
/// A value is of a type that Kubernetes refuses.
pub fn data(source: Resource<'_>) -> Result<Data, InvalidSource> {
    check_expansion(source)?;
    let mut data = Data::default();
    if source.kind() == "Secret" {
        for (key, value) in entries(source, "data")? {
            data.text
                .insert(key.to_owned(), base64_value("data", key, value)?);
        }
        for (key, value) in entries(source, "stringData")? {
            data.text.insert(
                key.to_owned(),
                STANDARD.encode(string("stringData", key, value)?),
            );
        }
        return Ok(data);
    }
    let binary = data.binary.insert(BTreeMap::new());
    for (key, value) in entries(source, "binaryData")? {
        binary.insert(key.to_owned(), base64_value("binaryData", key, value)?);
    }
    for (key, value) in entries(source, "data")? {
        data.text
            .insert(key.to_owned(), string("data", key, value)?.to_owned());
    }
    Ok(data)
}

/// Values stay linear in the input, although any number of aliases may stand for a long one.
fn check_expansion(source: Resource<'_>) -> Result<(), InvalidSource> {
    let mut left = source.root.input_size() + EXPANSION_ALLOWANCE;
    for field in ["data", "stringData", "binaryData"] {
        for (key, value) in entries(source, field)? {
            let size = key.len() + value.text().unwrap_or_default().len();
            left = left.checked_sub(size).ok_or_else(|| InvalidSource {
                path: field.to_owned(),
                fault: EXPANDS_TOO_MUCH.to_owned(),
                position: value.position(),
            })?;
        }
    }
    Ok(())
}

fn entries<'t>(
    source: Resource<'t>,
    field: &str,
) -> Result<Vec<(&'t str, Value<'t>)>, InvalidSource> {
    let Some(mapping) = source.root.at(&[field]) else {
        return Ok(Vec::new());
    };
    if mapping.kind() != Kind::Mapping {
        return Err(InvalidSource {
            path: field.to_owned(),
            fault: format!("is {}, expected a mapping", mapping.kind().noun()),
            position: mapping.position(),
        });
    }
    Ok(mapping
        .entries()
        .into_iter()
        .map(|(key, value)| (key.text().unwrap_or_default(), value))
        .collect())
}

/// The text of a value that Kubernetes reads as a string; null is the empty string.
fn string<'t>(field: &str, key: &str, value: Value<'t>) -> Result<&'t str, InvalidSource> {
    match value.kind() {
        Kind::String => Ok(value.text().unwrap_or_default()),
        Kind::Null => Ok(""),
        kind => {
            let advice = match kind {
                Kind::Mapping | Kind::Sequence => "write it as text, behind `|`",
                _ => "put it in quotes",
            };
            Err(InvalidSource {
                path: field_path(&[field, key]),
                fault: format!("is {}, expected a string; {advice}", kind.noun()),
                position: value.position(),
            })
        }
    }
}

/// As the API server reads it, which does not mind bits behind the last byte.
const STANDARD: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

fn base64_value(field: &str, key: &str, value: Value<'_>) -> Result<String, InvalidSource> {
    let text: String = string(field, key, value)?
        .split_ascii_whitespace()
        .collect();
    match STANDARD.decode(text) {
        Ok(bytes) => Ok(STANDARD.encode(bytes)),
        Err(_) => Err(InvalidSource {
            path: field_path(&[field, key]),
            fault: "is not base64, expected the standard alphabet with padding".to_owned(),
            position: value.position(),
        }),
    }
}

/// The whole resource, less what the cluster and the orchestrator put into it.
fn manifest(source: Resource<'_>) -> Result<String, InvalidSource> {
    let mut writer = Manifest {
        json: String::new(),
        nodes: 0,
        // An escape sequence of JSON is at most three times as long as one of YAML.
        limit: 3 * source.root.input_size() + EXPANSION_ALLOWANCE,
    };
    writer.value(source.root, &[])?;
    Ok(writer.json)
}

struct Manifest {
    json: String,
    nodes: usize,
    /// The most bytes that the JSON may take.
    limit: usize,
}

impl Manifest {
    fn value(&mut self, value: Value<'_>, path: &[&str]) -> Result<(), InvalidSource> {
        self.nodes += 1;
        let fault = |path: &[&str], fault: &str| InvalidSource {
            path: field_path(path),
            fault: fault.to_owned(),
            position: value.position(),
        };
        let too_much = self.nodes > NODE_LIMIT || self.json.len() > self.limit;
        if too_much || path.len() > NODE_DEPTH {
            let top = path.get(..1).unwrap_or_default();
            return Err(fault(top, EXPANDS_TOO_MUCH));
        }
        match (value.kind(), value.text().unwrap_or_default()) {
            (Kind::Mapping, _) => self.mapping(value, path)?,
            (Kind::Sequence, _) => {
                self.json.push('[');
                for (i, member) in value.members().enumerate() {
                    self.json.push_str(if i > 0 { "," } else { "" });
                    self.value(member, &[path, &[&format!("[{i}]")]].concat())?;
                }
                self.json.push(']');
            }
            (Kind::Null, _) => self.json.push_str("null"),
            (Kind::Bool, text) => self.json.push_str(&text.to_ascii_lowercase()),
            (Kind::Number, text) => {
                let number = number(text).ok_or_else(|| {
                    fault(
                        path,
                        "is a number that JSON does not have; put it in quotes",
                    )
                })?;
                self.json.push_str(&number);
            }
            (Kind::String, text) => push_string(&mut self.json, text),
            (Kind::Unknown, _) => {
                return Err(fault(path, "has a tag that Kubernetes does not know"));
            }
        }
        Ok(())
    }

    fn mapping(&mut self, mapping: Value<'_>, path: &[&str]) -> Result<(), InvalidSource> {
        let mut entries: Vec<(&str, Value<'_>)> = mapping
            .entries()
            .into_iter()
            .map(|(key, value)| (key.text().unwrap_or_default(), value))
            .filter(|(key, value)| !is_left_out(path, key, *value))
            .collect();
        entries.sort_by(|(a, _), (b, _)| by_utf16(a, b));
        self.json.push('{');
        for (i, (key, value)) in entries.into_iter().enumerate() {
            self.json.push_str(if i > 0 { "," } else { "" });
            push_string(&mut self.json, key);
            self.json.push(':');
            self.value(value, &[path, &[key]].concat())?;
        }
        self.json.push('}');
        Ok(())
    }
}

/// Deeper than any tree: what gets there goes in a circle.
const NODE_DEPTH: usize = 600;

fn is_left_out(path: &[&str], key: &str, value: Value<'_>) -> bool {
    match (path, key) {
        ([], "status") | (["metadata"], "managedFields" | "creationTimestamp") => true,
        (["metadata"], "annotations") => {
            value.kind() == Kind::Mapping
                && value
                    .entries()
                    .iter()
                    .all(|(key, _)| is_orchestrator_annotation(key.text().unwrap_or_default()))
        }
        (["metadata", "annotations"], key) => is_orchestrator_annotation(key),
        _ => false,
    }
}

/// RFC 8785, 3.2.3: by UTF-16 code units.
fn by_utf16(a: &str, b: &str) -> std::cmp::Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// The canonical JSON of an object of strings.
#[must_use]
pub fn canonical_strings(strings: &BTreeMap<String, String>) -> String {
    let mut json = String::new();
    push_strings(&mut json, strings);
    json
}

fn push_strings(json: &mut String, strings: &BTreeMap<String, String>) {
    let mut entries: Vec<_> = strings.iter().collect();
    entries.sort_by(|(a, _), (b, _)| by_utf16(a, b));
    json.push('{');
    for (i, (key, value)) in entries.into_iter().enumerate() {
        json.push_str(if i > 0 { "," } else { "" });
        push_string(json, key);
        json.push(':');
        push_string(json, value);
    }
    json.push('}');
}

/// RFC 8785, 3.2.2.2: only what JSON cannot hold is escaped.
fn push_string(json: &mut String, text: &str) {
    json.push('"');
    let mut rest = text;
    let must_escape = |byte: u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
    while let Some(at) = rest.bytes().position(must_escape) {
        let (plain, escaped) = rest.split_at(at);
        json.push_str(plain);
        let mut characters = escaped.chars();
        match characters.next().unwrap_or_default() {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\u{8}' => json.push_str("\\b"),
            '\t' => json.push_str("\\t"),
            '\n' => json.push_str("\\n"),
            '\u{c}' => json.push_str("\\f"),
            '\r' => json.push_str("\\r"),
            control => {
                let _ = write!(json, "\\u{:04x}", u32::from(control));
            }
        }
        rest = characters.as_str();
    }
    json.push_str(rest);
    json.push('"');
}

/// RFC 8785, 3.2.2.3: a number as ECMAScript writes it; none for infinity and what is no number.
fn number(text: &str) -> Option<String> {
    let digits = text.replace('_', "");
    let (sign, unsigned) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits.strip_prefix('+').unwrap_or(&digits)),
    };
    let lower = unsigned.to_ascii_lowercase();
    let radix = |prefix, radix| {
        let digits: &str = lower.strip_prefix(prefix)?;
        u64::from_str_radix(digits, radix).ok()
    };
    let integer = radix("0x", 16)
        .or_else(|| radix("0b", 2))
        .or_else(|| radix("0o", 8))
        .or_else(|| radix("0", 8));
    #[expect(
        clippy::cast_precision_loss,
        reason = "RFC 8785 has every number as a double"
    )]
    let value = match integer {
        Some(integer) => integer as f64,
        None => unsigned
            .parse::<f64>()
            .ok()
            .filter(|value| value.is_finite())?,
    };
    let sign = if value == 0.0 { "" } else { sign };
    Some(format!("{sign}{}", ecmascript(value)))
}

/// ECMAScript's `Number::toString` for a finite number that is not negative.
fn ecmascript(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-6..21).contains(&exponent) {
        return format!("{value}");
    }
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{first}{point}{rest}e{sign}{}", exponent.abs())
}
