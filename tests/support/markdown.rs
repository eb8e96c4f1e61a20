//! What the tests look at in a Markdown document: its fenced blocks, its tables, its links.

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The line of its opening fence, from 1.
    pub(crate) line: usize,
    /// The first word of its info string.
    pub(crate) language: String,
    /// The words behind it.
    pub(crate) words: Vec<String>,
    pub(crate) text: String,
}

const FENCE: &str = "```";

pub(crate) fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in markdown.lines().enumerate() {
        match (line.trim_start().strip_prefix(FENCE), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(info), None) => {
                let mut words = info.split_whitespace().map(str::to_owned);
                open = Some(Block {
                    line: index + 1,
                    language: words.next().unwrap_or_default(),
                    words: words.collect(),
                    text: String::new(),
                });
            }
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert_eq!(open, None, "a fence without an end");
    blocks
}

/// The cells of the table behind a comment, row by row, without its head.
pub(crate) fn table<'m>(markdown: &'m str, comment: &str) -> Vec<Vec<&'m str>> {
    let comment = format!("<!-- {comment} -->");
    let (_, behind) = markdown.split_once(&comment).unwrap();
    let rows = behind
        .lines()
        .skip_while(|line| line.is_empty())
        .take_while(|line| line.starts_with('|'))
        .skip(2);
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

/// What stands between backticks.
pub(crate) fn code(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The targets of all links to files, without the part behind `#`.
pub(crate) fn links(markdown: &str) -> Vec<&str> {
    let targets = markdown.split("](").skip(1);
    targets
        .filter_map(|rest| rest.split([')', '#']).next())
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .collect()
}
