//! Lists and streams put together from odd pieces.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const KEYS: [&str; 12] = [
    "kind", "metadata", "kind", "metadata", "spec", "a", "b", "kind ", "http://x", "-a b", "a#b'c",
    "\"q: #\"",
];

/// What follows a key's colon. Lines behind the first are further in than the key by what they are further in here; `^` puts
/// them to column 0.
const VALUES: [&str; 48] = [
    "",
    " Deployment",
    " A # b",
    "   B  ",
    " ~",
    " it's \"a\" [b {c # d",
    " a:b",
    " a\n  b",
    " a\n\n    - b\n c: d",
    " # a\n  b",
    "\n  a\n b",
    " 'it''s # a'",
    " 'a\n^- kind: Deployment'",
    " \"a\\\"\n^kind: b\"",
    " \"a\\\n  b\" # c",
    "\n  'a\n^b'",
    " ''",
    " \"\\\\\"",
    " |\n  a\n  kind: b",
    " >-\n  - a\n\n   \"\n",
    " |+\n  a\n\n",
    " |2\n    a\n  b",
    "    |1-\n a",
    " >+ # a\n   b\n\n # c",
    " |",
    " |\n\n# a",
    "\t>\n  a",
    "\n   |\n  a",
    " |\n  a\n\t\n",
    " |\n  # a\n # b",
    " {}",
    " [a, 'b', \"c\"]",
    " {a: b,\n^c: [d]}",
    " [a # ]\n  , b] # c",
    " {\"a\":\"}\", 'b': it's, c: [{d: }]}",
    " [a\n^\"b]",
    "\n- a",
    "\n- a: b\n  c: d\n- - e\n  - kind: f",
    "\n  - |\n   a\n  -\n    b: c",
    "\n  - # a\n    b: c",
    "\n  kind: A\n  metadata: b",
    "\n# a\n  kind: A",
    "\n\t\n  a: b",
    "\n- 'a\n^b'\n- |\n  c",
    " &a b",
    " &a [*a]",
    " !!str a",
    "\n  &a b: c",
];

/// Items that are no mapping in block style, behind a dash.
const OTHERS: [&str; 12] = [
    "",
    " a",
    " a\n  b",
    " 'a\n^- b'",
    " {kind: A}",
    " {a: b,\n^c: d}",
    " - kind: A\n  - b",
    "\n  - kind: A",
    " |\n kind: A\n a",
    " >2\n   a",
    " # a",
    " [a,\n b]",
];

/// The text further in, but for its first line and lines that begin with `^`.
fn further_in(text: &str, columns: usize) -> String {
    let mut lines = text.split('\n');
    let mut indented = lines.next().unwrap().to_owned();
    for line in lines {
        indented.push('\n');
        if !line.is_empty() && !line.starts_with('^') {
            indented.push_str(&" ".repeat(columns));
        }
        indented.push_str(line);
    }
    indented
}

/// A mapping, its first key where the text goes on and the others below at the same column.
fn mapping(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let between = select(&["\n", "\n", "\n", "\n# a\n", "\n\n", "\n   # a\n"][..]);
    vec((select(&KEYS[..]), value, between), 1..5).prop_map(|entries| {
        let entries = entries
            .iter()
            .map(|(key, value, between)| format!("{key}:{value}{between}"));
        entries
            .collect::<String>()
            .trim_end_matches('\n')
            .to_owned()
    })
}

fn object() -> impl Strategy<Value = String> {
    let plain = select(&VALUES[..]).prop_map(str::to_owned);
    let nested = mapping(select(&VALUES[..]).prop_map(str::to_owned));
    let deep = (nested, 1..3_usize).prop_map(|(nested, columns)| {
        format!("\n{}{}", " ".repeat(columns), further_in(&nested, columns))
    });
    let usual = select(&[" Deployment", " Service # a", "\n  name: a\n  kind: b"][..])
        .prop_map(str::to_owned);
    mapping(prop_oneof![4 => plain, 3 => usual, 1 => deep])
}

fn item() -> impl Strategy<Value = String> {
    let behind = (object(), 1..4_usize).prop_map(|(object, spaces)| {
        format!("-{}{}", " ".repeat(spaces), further_in(&object, spaces + 1))
    });
    let below = (
        object(),
        1..4_usize,
        select(&["-", "- # a", "-  ", "-\n", "- # a\n# b"][..]),
    )
        .prop_map(|(object, columns, dash)| {
            format!(
                "{dash}\n{}{}",
                " ".repeat(columns),
                further_in(&object, columns)
            )
        });
    let other = select(&OTHERS[..]).prop_map(|other| format!("-{other}"));
    prop_oneof![4 => behind, 2 => below, 1 => other]
}

fn finish(text: &str, is_crlf: bool, has_end: bool) -> String {
    let text = text.replace('^', "");
    let text = if has_end { text + "\n" } else { text };
    if is_crlf {
        text.replace('\n', "\r\n")
    } else {
        text
    }
}

/// A text that may be a list.
pub(crate) fn list() -> impl Strategy<Value = String> {
    let before = select(
        &[
            "",
            "",
            "---\n",
            "\u{feff}",
            "# a\n--- # b\n",
            "kind: List\n",
            "results:\n- kind: A\n",
            "a: |\n  b\n",
        ][..],
    );
    let behind = select(
        &[
            "",
            "",
            "\n...",
            "\nstatus:\n  - kind: A",
            "\n# a",
            "\nfunctionConfig:\n  kind: B\n  metadata: {}",
        ][..],
    );
    let key = select(&["items:", "items:", "items: # a", "items:\n# a\n"][..]);
    let items = vec((item(), select(&["\n", "\n", "\n\n", "\n# a\n"][..])), 1..4);
    (
        before,
        behind,
        key,
        items,
        0..3_usize,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(before, behind, key, items, columns, is_crlf, has_end)| {
            let items: String = items
                .into_iter()
                .flat_map(|(item, between)| [item, between.to_owned()])
                .collect();
            let items = further_in(&format!("\n{}", items.trim_end_matches('\n')), columns);
            finish(&format!("{before}{key}{items}{behind}"), is_crlf, has_end)
        })
}

/// A text that may be a stream of documents.
pub(crate) fn stream() -> impl Strategy<Value = String> {
    let marker = select(
        &[
            "---\n",
            "---\n",
            "---\n",
            "--- # a\n",
            "...\n",
            "...\n---\n",
            "---\n---\n",
            "# a\n---\n# b\n",
        ][..],
    );
    let mapping = (marker, object()).prop_map(|(marker, object)| format!("{marker}{object}\n"));
    let other = select(&OTHERS[..]).prop_map(|other| format!("---{other}\n"));
    let document = prop_oneof![6 => mapping, 1 => other];
    (
        vec(document, 1..5),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(documents, has_marker, is_crlf, has_end)| {
            let documents = documents.concat();
            let start = if has_marker {
                0
            } else {
                documents.find('\n').unwrap() + 1
            };
            finish(documents[start..].trim_end_matches('\n'), is_crlf, has_end)
        })
}
