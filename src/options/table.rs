//! The documented options, from the data file beside this one: their types, and which the running operator takes up by itself.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::value::Type;

const FILE: &str = include_str!("operator-options.tsv");

/// Options of Flink itself that are defaults for the Flink jobs, which get them when they are deployed next.
const JOB_DEFAULTS: [&str; 12] = [
    "jobmanager.",
    "taskmanager.",
    "parallelism.",
    "execution.",
    "pipeline.",
    "state.",
    "table.",
    "restart-strategy",
    "high-availability",
    "kubernetes.jobmanager.",
    "kubernetes.taskmanager.",
    "env.java.",
];

/// Decides itself whether changes are looked for, so it can never be one that is taken up.
const DYNAMIC_CONFIG: &str = "kubernetes.operator.dynamic.config.enabled";

/// Autoscaler options answer to their old prefix too.
const OLD_AUTOSCALER: &str = "kubernetes.operator.job.autoscaler.";

/// A line of the data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The key; with names in angle brackets, or a `*` at its end, a pattern.
    pub key: &'static str,
    /// The type, where it is documented.
    pub option_type: Option<Type>,
    /// What a change to it takes.
    pub effect: Effect,
    /// The present name of an old key.
    pub renamed: Option<&'static str>,
}

/// What a change to an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The running operator takes it up.
    Dynamic,
    /// It is read at start only.
    StartupOnly,
    /// Neither was seen for sure.
    Unclear,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| FILE.lines().filter_map(row).collect());

/// The lines whose key is no pattern, by key.
static EXACT: LazyLock<HashMap<&str, &Row>> = LazyLock::new(|| {
    let exact = ROWS.iter().filter(|row| !row.is_pattern());
    exact.map(|row| (row.key, row)).collect()
});

fn row(line: &'static str) -> Option<Row> {
    let mut columns = line.split('\t');
    let key = columns.next().filter(|key| !key.starts_with('#'))?;
    let option_type = Type::named(columns.next()?);
    let effect = match columns.next()? {
        "dynamic" => Effect::Dynamic,
        "startup-only" => Effect::StartupOnly,
        _ => Effect::Unclear,
    };
    let renamed = columns.next().filter(|renamed| !renamed.is_empty());
    Some(Row {
        key,
        option_type,
        effect,
        renamed,
    })
}

/// Every line of the data file.
#[must_use]
pub fn rows() -> &'static [Row] {
    &ROWS
}

impl Row {
    fn is_pattern(&self) -> bool {
        self.key.contains(['<', '*'])
    }

    /// How well a pattern fits a key: the number of characters that it fixes; none where it does not fit.
    fn fit(&self, key: &str) -> Option<usize> {
        if let Some(prefix) = self.key.strip_suffix('*') {
            return key.starts_with(prefix).then_some(prefix.len());
        }
        let mut segments = key.split('.');
        let mut fixed = 0;
        for pattern in self.key.split('.') {
            let segment = segments.next()?;
            if pattern.starts_with('<') {
                fixed += usize::from(!segment.is_empty());
            } else if segment == pattern {
                fixed += pattern.len() + 1;
            } else {
                return None;
            }
        }
        // The last name in angle brackets may have dots in it.
        let open_ended = self.key.ends_with('>');
        (open_ended || segments.next().is_none()).then_some(fixed)
    }
}

/// The line that fits a key best.
fn best(key: &str) -> Option<&'static Row> {
    if let Some(row) = EXACT.get(key) {
        return Some(row);
    }
    let patterns = ROWS.iter().filter(|row| row.is_pattern());
    let fitting = patterns.filter_map(|row| Some((row.fit(key)?, row)));
    fitting.max_by_key(|(fixed, _)| *fixed).map(|(_, row)| row)
}

/// Whether the running operator, or the next Flink cluster, takes a change to the option up by itself.
#[must_use]
pub fn is_live(key: &str) -> bool {
    let dynamic = best(key).is_some_and(|row| row.effect == Effect::Dynamic);
    let job_default = JOB_DEFAULTS.iter().any(|prefix| key.starts_with(prefix));
    key != DYNAMIC_CONFIG && (dynamic || job_default)
}

/// The documented type of an option.
#[must_use]
pub fn type_of(key: &str) -> Option<Type> {
    let row = best(&present_name(key))?;
    match row.renamed {
        Some(renamed) => best(renamed)?.option_type,
        None => row.option_type,
    }
}

fn present_name(key: &str) -> String {
    match key.strip_prefix(OLD_AUTOSCALER) {
        Some(rest) => format!("job.autoscaler.{rest}"),
        None => key.to_owned(),
    }
}

/// The documented option that a key of the operator's or the autoscaler's is most likely meant for, where it is none itself
/// and no more than two characters away from one.
#[must_use]
pub fn nearest(key: &str) -> Option<&'static str> {
    const EDITS: usize = 2;
    const FREE: [&str; 2] = [
        "kubernetes.operator.metrics.reporter",
        "kubernetes.operator.default-configuration",
    ];
    let own = key.starts_with("kubernetes.operator.") || key.starts_with("job.autoscaler.");
    if !own || FREE.iter().any(|prefix| key.starts_with(prefix)) || is_documented(key) {
        return None;
    }
    let name = present_name(key);
    ROWS.iter()
        .filter(|row| !row.is_pattern() && row.key.len().abs_diff(name.len()) <= EDITS)
        .filter_map(|row| {
            Some((
                edits_within(name.as_bytes(), row.key.as_bytes(), EDITS)?,
                row.key,
            ))
        })
        .min()
        .map(|(_, key)| key)
}

/// How many characters have to be put in, taken out or replaced to make one key of the other; none where more than `most`.
fn edits_within(one: &[u8], other: &[u8], most: usize) -> Option<usize> {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    match (one.split_at(same).1, other.split_at(same).1) {
        ([], rest) | (rest, []) => Some(rest.len()).filter(|rest| *rest <= most),
        (one @ [_, one_rest @ ..], other @ [_, other_rest @ ..]) => {
            let most = most.checked_sub(1)?;
            let ways = [(one_rest, other_rest), (one_rest, other), (one, other_rest)];
            let edits = ways
                .iter()
                .filter_map(|(one, other)| edits_within(one, other, most));
            edits.min().map(|edits| edits + 1)
        }
    }
}

fn is_documented(key: &str) -> bool {
    best(&present_name(key)).is_some_and(|row| !row.key.ends_with('*'))
}
