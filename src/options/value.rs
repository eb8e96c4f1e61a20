//! What Flink 1.20, on which the operator is built, takes for a value of each type. Where it is not known for sure what Flink
//! refuses, nothing is refused.

/// The type of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `true` or `false`.
    Boolean,
    /// 32 bits.
    Integer,
    /// A floating-point number.
    Double,
    /// A number with a unit of time. ISO 8601, which Flink takes from 2.3 on, is let pass.
    Duration,
    /// A number with a unit of memory.
    MemorySize,
    /// One of several words, which are not known here.
    Enum,
    /// Several values.
    List,
    /// Several keys with values.
    Map,
    /// Any text.
    String,
}

/// `TimeUtils`: case does not count.
const TIME_UNITS: [&str; 31] = [
    "",
    "d",
    "day",
    "days",
    "h",
    "hour",
    "hours",
    "min",
    "m",
    "minute",
    "minutes",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "ms",
    "milli",
    "millis",
    "millisecond",
    "milliseconds",
    "µs",
    "micro",
    "micros",
    "microsecond",
    "microseconds",
    "ns",
    "nano",
    "nanos",
    "nanosecond",
    "nanoseconds",
];
/// `MemorySize`: case does not count.
const MEMORY_UNITS: [&str; 15] = [
    "",
    "b",
    "bytes",
    "k",
    "kb",
    "kibibytes",
    "m",
    "mb",
    "mebibytes",
    "g",
    "gb",
    "gibibytes",
    "t",
    "tb",
    "tebibytes",
];

impl Type {
    /// The type of that name, as Flink's documentation writes it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "Boolean" => Self::Boolean,
            "Integer" => Self::Integer,
            "Double" => Self::Double,
            "Duration" => Self::Duration,
            "MemorySize" => Self::MemorySize,
            "Enum" => Self::Enum,
            "List" => Self::List,
            "Map" => Self::Map,
            "String" => Self::String,
            _ => return None,
        })
    }

    /// Whether Flink can make a value of this type of a text.
    ///
    /// # Errors
    ///
    /// What would be right, in words that follow "expected".
    pub fn check(self, text: &str) -> Result<(), &'static str> {
        let (fits, expected) = match self {
            Self::Boolean => (is_boolean(text), "true or false"),
            Self::Integer => (is_integer(text), "a whole number of 32 bits, such as 10"),
            Self::Double => (is_double(text), "a number, such as 0.5"),
            Self::Duration => (
                is_duration(text),
                "a duration, such as `15 s`, `5 min`, or a number of milliseconds",
            ),
            Self::MemorySize => (
                is_quantity(text, &MEMORY_UNITS),
                "an amount of memory, such as `64 mb`, or a number of bytes",
            ),
            Self::Map => (
                is_map(text),
                "keys with values, such as `key1:value1,key2:value2`",
            ),
            Self::Enum | Self::List | Self::String => (true, ""),
        };
        if fits { Ok(()) } else { Err(expected) }
    }
}

fn is_boolean(text: &str) -> bool {
    text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false")
}

/// `Integer.parseInt`, or what YAML 1.2 takes for an integer, which `config.yaml` is read by.
fn is_integer(text: &str) -> bool {
    text.parse::<i32>().is_ok() || yaml_integer(text).is_some_and(|n| i32::try_from(n).is_ok())
}

/// The integers of YAML 1.2 that Flink gets as decimal numbers, whatever they are written in.
fn yaml_integer(text: &str) -> Option<i64> {
    let radix = |prefix, radix| {
        let digits = text.strip_prefix(prefix)?;
        let signed = digits.starts_with(['+', '-']);
        (!signed).then(|| i64::from_str_radix(digits, radix).ok())?
    };
    radix("0x", 16)
        .or_else(|| radix("0o", 8))
        .or_else(|| text.parse().ok())
}

/// `Double.parseDouble`, which also takes white space around, `1d`, `NaN`, `Infinity` and hexadecimal, or a number of YAML's.
fn is_double(text: &str) -> bool {
    let text = java_trim(text);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.strip_suffix(['d', 'D', 'f', 'F']);
    let is_decimal = |number: &str| {
        number.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && number.parse::<f64>().is_ok()
    };
    is_decimal(unsigned)
        || digits.is_some_and(is_decimal)
        || unsigned.starts_with("0x")
        || unsigned.starts_with("0X")
        || unsigned.starts_with("0o")
        || matches!(unsigned, "NaN" | "Infinity")
        || matches!(unsigned.to_ascii_lowercase().as_str(), ".inf" | ".nan")
}

/// `String.trim`: a no-break space stays.
fn java_trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}

fn is_duration(text: &str) -> bool {
    is_quantity(text, &TIME_UNITS) || is_iso_duration(java_trim(text))
}

/// Digits, then a unit in any case, with or without space between; or one of YAML's integers.
fn is_quantity(text: &str, units: &[&str]) -> bool {
    let text = java_trim(text);
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let unit = java_trim(unit).to_lowercase();
    number.parse::<i64>().is_ok() && units.contains(&unit.as_str())
        || yaml_integer(text).is_some_and(|number| number >= 0)
}

/// `java.time.Duration.parse`: `P2DT3H4M5.6S`, in any case and with signs.
fn is_iso_duration(text: &str) -> bool {
    let text = text.to_ascii_uppercase();
    let Some(rest) = text.trim_start_matches(['+', '-']).strip_prefix('P') else {
        return false;
    };
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    let fits = has_units(date, &['D'])
        && time.is_none_or(|time| !time.is_empty() && has_units(time, &['H', 'M', 'S']));
    fits && !rest.is_empty()
}

/// Numbers with these units, each at most once and in this order.
fn has_units(text: &str, units: &[char]) -> bool {
    let mut rest = text;
    for &unit in units {
        if let Some((number, behind)) = rest.split_once(unit)
            && !number.contains(|c: char| c.is_ascii_uppercase())
        {
            let number = number.replace(',', ".");
            let digits = number.trim_start_matches(['+', '-']);
            if !digits.starts_with(|c: char| c.is_ascii_digit()) || digits.parse::<f64>().is_err() {
                return false;
            }
            rest = behind;
        }
    }
    rest.is_empty()
}

/// Flink splits at commas, and each part at its one colon. Quoted parts, and what may be a YAML mapping, are not looked into.
fn is_map(text: &str) -> bool {
    let is_pair = |part: &str| {
        let texts = part.split(':').filter(|text| !text.trim().is_empty());
        part.contains(':') && texts.count() <= 2
    };
    text.starts_with('{')
        || text.contains(['"', '\'', '\n'])
        || text.contains(": ")
        || text
            .split(',')
            .all(|part| part.trim().is_empty() || is_pair(part))
}
