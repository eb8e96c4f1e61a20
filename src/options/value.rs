//! What Flink 1.20 takes for a value of each type. Where it is not known for sure what Flink refuses, nothing is refused.

/// The type of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `true` or `false`.
    Boolean,
    /// 32 bits.
    Integer,
    /// A floating-point number.
    Double,
    /// A number with a unit of time, or ISO 8601.
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
const TIME_UNITS: [&str; 32] = [
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
    "μs",
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
                "a duration, such as `15 s`, `5 MINUTE`, `PT5M`, or a number of milliseconds",
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
    let radix = |prefix, radix| {
        text.strip_prefix(prefix)
            .is_some_and(|digits| i32::from_str_radix(digits, radix).is_ok())
    };
    text.parse::<i32>().is_ok() || radix("0x", 16) || radix("0o", 8)
}

/// `Double.parseDouble`, which also takes white space around, `1d`, `NaN`, `Infinity` and hexadecimal, and YAML's `.inf`.
fn is_double(text: &str) -> bool {
    let text = text.trim();
    let number = text.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(text);
    let unsigned = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    number.parse::<f64>().is_ok()
        || text.parse::<f64>().is_ok()
        || unsigned.starts_with("0x")
        || unsigned.starts_with("0o")
        || matches!(unsigned.as_str(), ".inf" | ".nan")
}

fn is_duration(text: &str) -> bool {
    is_quantity(text, &TIME_UNITS) || is_iso_duration(text.trim())
}

/// Digits, then a unit in any case, with or without space between.
fn is_quantity(text: &str, units: &[&str]) -> bool {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().to_lowercase();
    !number.is_empty() && units.contains(&unit.as_str())
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

/// Flink splits at commas, and each part at its first colon; quoted parts and YAML mappings are not looked into.
fn is_map(text: &str) -> bool {
    text.starts_with('{')
        || text.contains(['"', '\''])
        || text
            .split(',')
            .all(|part| part.trim().is_empty() || part.contains(':'))
}
