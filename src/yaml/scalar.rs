//! Which plain scalars are strings, as Kubernetes' tools read them, and how a string is written so that all agree on it.

use std::fmt::Write as _;

/// What a value is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`, `~`, or nothing.
    Null,
    /// `true`, `false`.
    Bool,
    /// An integer or a floating-point number in any of Go's spellings.
    Number,
    /// Everything else that a scalar can hold.
    String,
    /// A list.
    Sequence,
    /// An object.
    Mapping,
    /// A scalar under a tag that Kubernetes has no meaning for, such as `!!binary`.
    Unknown,
}

impl Kind {
    /// The kind in the words of a message to the user.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Sequence => "a list",
            Self::Mapping => "a mapping",
            Self::Unknown => "a value with a tag",
        }
    }
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Quoted,
    Block,
}

/// What go-yaml, which Kubernetes' tools read YAML with, takes a plain scalar for. `yes`, `no`, `on`, `off` and dates are
/// strings, as kpt and kustomize have it.
#[must_use]
pub fn resolve(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Kind::Bool,
        _ if is_number(text) => Kind::Number,
        _ => Kind::String,
    }
}

/// The rules of go-yaml's `resolve`: integers as `strconv.ParseInt` with base 0 takes them, underscores dropped, its own
/// pattern for decimals, `.inf` and `.nan`.
fn is_number(text: &str) -> bool {
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return false;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    if text.starts_with('.') {
        return is_decimal(text);
    }
    let digits = text.replace('_', "");
    is_integer(&digits) || is_decimal(&digits)
}

/// Integers within 64 bits; larger ones in decimal notation are numbers too, by [`is_decimal`].
fn is_integer(text: &str) -> bool {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let radix = |prefix: [&str; 2], radix| {
        prefix
            .iter()
            .find_map(|prefix| unsigned.strip_prefix(prefix))
            .map(|digits| (digits, radix))
    };
    let (digits, radix) = radix(["0x", "0X"], 16)
        .or_else(|| radix(["0b", "0B"], 2))
        .or_else(|| radix(["0o", "0O"], 8))
        .or_else(|| {
            unsigned
                .strip_prefix('0')
                .filter(|d| !d.is_empty())
                .map(|digits| (digits, 8))
        })
        .unwrap_or((unsigned, 10));
    if digits.starts_with(['+', '-']) {
        return false;
    }
    u64::from_str_radix(digits, radix)
        .is_ok_and(|magnitude| !negative || magnitude <= i64::MIN.unsigned_abs())
}

/// go-yaml's `yamlStyleFloat`, less what overflows a double, which it leaves a string.
fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && all_digits(fraction),
        Some((whole, fraction)) => all_digits(whole) && all_digits(fraction),
        None => !mantissa.is_empty() && all_digits(mantissa),
    };
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && all_digits(digits)
    });
    mantissa_fits && exponent_fits && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// A string in double quotes that every YAML and JSON reader gives back as it was.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // Control characters, YAML 1.1's other line breaks, the BOM and noncharacters are not printable in YAML.
            '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A string as it is where every reader takes it for the same string, else in double quotes.
#[must_use]
pub fn plain_or_quoted(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        quote(text)
    }
}

/// Conservative: letters, digits and `-_./`, beginning with a letter or digit, that neither YAML 1.1 nor 1.2 resolves to
/// anything but a string.
fn is_plain(text: &str) -> bool {
    let plain_characters = text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte));
    let yaml_1_1_bool = matches!(
        text.to_ascii_lowercase().as_str(),
        "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null"
    );
    plain_characters && !yaml_1_1_bool && !is_number(text) && !looks_like_date(text)
}

/// YAML 1.1's `!!timestamp` begins with `YYYY-`.
fn looks_like_date(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    digits == 4 && text.as_bytes().get(4) == Some(&b'-')
}
