//! The logging configuration of the operator itself, which log4j and logback can be told to read anew.

/// The part of a logging file that takes effect only at start: with automatic reload switched on in it, what switches it on.
/// None where that is the whole file.
#[must_use]
pub fn start_only(file_name: &str, text: &str) -> Option<String> {
    match file_name {
        "log4j-operator.properties" => {
            let interval = log4j_monitor_interval(text)?;
            let seconds: f64 = interval.parse().ok()?;
            (seconds > 0.0).then(|| format!("monitorInterval={interval}"))
        }
        "logback-operator.xml" => scans(text).then(|| "scan=\"true\"".to_owned()),
        _ => None,
    }
}

/// The value of `monitorInterval` in a Java properties file; of several the last.
fn log4j_monitor_interval(text: &str) -> Option<String> {
    let mut continued = false;
    let mut interval = None;
    for line in text.lines() {
        let is_continuation = std::mem::replace(&mut continued, ends_with_escape(line));
        let line = line.trim_start();
        if is_continuation || line.starts_with(['#', '!']) {
            // A comment does not go on in the next line.
            continued &= is_continuation;
            continue;
        }
        let separator = |c: char| c.is_whitespace() || matches!(c, '=' | ':');
        let (key, rest) = line.split_at(line.find(separator).unwrap_or(line.len()));
        if key == "monitorInterval" {
            let value = rest.trim_start().trim_start_matches(['=', ':']).trim();
            // A value that goes on in the next line is not looked into.
            interval = (!continued).then(|| value.to_owned());
        }
    }
    interval
}

fn ends_with_escape(line: &str) -> bool {
    let backslashes = line.len() - line.trim_end_matches('\\').len();
    backslashes % 2 == 1
}

/// Whether the root element of a logback configuration has `scan="true"`.
fn scans(text: &str) -> bool {
    let text = without_comments(text);
    let Some((_, behind)) = text.split_once("<configuration") else {
        return false;
    };
    let Some((attributes, _)) = behind.split_once('>') else {
        return false;
    };
    let compact: String = attributes.split_whitespace().collect::<Vec<_>>().join(" ");
    let compact = compact
        .replace(" =", "=")
        .replace("= ", "=")
        .replace('\'', "\"");
    compact
        .split(' ')
        .any(|attribute| attribute.trim_end_matches('/') == "scan=\"true\"")
}

fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, behind)| behind);
    }
    kept + rest
}
