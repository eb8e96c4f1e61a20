//! JSON objects one after another without a marker between them, as `jq` and `kubectl -o json | jq '.items[]'` write them.
//! YAML has no such streams.

use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::Deserializer;

/// Where to cut a text so that each part is YAML: behind each JSON object that another `{` follows.
///
/// What comes behind the last such object belongs to the last part, whether it is JSON, YAML or neither; so a text that
/// is no sequence of JSON objects is one part.
#[must_use]
pub fn parts(text: &str) -> Vec<Range<usize>> {
    let json = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut objects = Deserializer::from_str(json).into_iter::<IgnoredAny>();
    let mut parts = Vec::new();
    let mut start = 0;
    let mut end = text.len() - json.len();
    while begins_object(text, end)
        && let Some(Ok(_)) = objects.next()
    {
        end = text.len() - json.len() + objects.byte_offset();
        if begins_object(text, end) {
            parts.push(start..end);
            start = end;
        }
    }
    parts.push(start..text.len());
    parts
}

fn begins_object(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    rest.trim_ascii_start().starts_with('{')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        parts(text).into_iter().map(|part| &text[part]).collect()
    }

    #[test]
    fn a_text_is_cut_between_json_objects_and_nowhere_else() {
        let cases: [&[&str]; 20] = [
            &["{\"a\": 1}\n", "{\"b\": 2}\n"],
            &["{}", "{}", "{}"],
            &["\u{feff} \r\n\t{}", "\r\n{}"],
            &["{\"a\": \"}{\"}", "{\"b\": \"\\\"}{\"}"],
            &["{\"a\\\\\": {}}", "{\"b\": [{}, {}]}"],
            &["{\"a\": \"\\ud83e\\udd80\\u007d\"}", "{\"é\": \"漢🦀\"}"],
            // What is behind the last object is no matter of JSON.
            &["{}\n", "{}\n---\nkind: A\n"],
            &["{}\n", "{} # comment\n"],
            &["{}\n", "{} ", "{}}\n"],
            &["{}\n", "{a: b}\n{c: d}\n"],
            &["{}\n", "{\"cut\": [\n"],
            &["{}\n", "{\"a\": \"\n\"}{}"],
            // One part: nothing, or something else than JSON, or no more than one object.
            &[""],
            &["kind: A\n"],
            &["{a: b}\n{c: d}\n"],
            &["{\"a\": 1}\n"],
            &["{\"a\": 1}\n---\n{\"b\": 2}\n"],
            &["# comment\n{}\n{}\n"],
            &["[{}]\n[{}]\n"],
            &["{\"a\": {}"],
        ];
        for expected in cases {
            let (text, expected) = (expected.concat(), expected.to_vec());
            let found = cut(&text);
            assert_eq!(found.concat(), text);
            // White space between two objects may go to either.
            let trimmed = |parts: &[&str]| {
                parts
                    .iter()
                    .map(|part| part.trim().to_owned())
                    .collect::<Vec<_>>()
            };
            assert_eq!(trimmed(&found), trimmed(&expected), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn objects_are_told_apart_whatever_their_strings_hold(
            strings in proptest::collection::vec(r#"[{}\\"\[\],:a\n\u{0}é🦀]{0,12}"#, 1..6),
            between in "[ \t\r\n]{0,3}",
            pretty in any::<bool>(),
        ) {
            let objects: Vec<String> = strings
                .iter()
                .map(|text| serde_json::json!({ text: [text, { "a": text }] }))
                .map(|json| if pretty { format!("{json:#}") } else { json.to_string() })
                .collect();
            let text = objects.join(&between);
            let found: Vec<&str> = cut(&text).into_iter().map(str::trim).collect();
            prop_assert_eq!(found, objects);
        }
    }
}
