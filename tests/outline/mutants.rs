//! Texts with something wrong in them.

/// A sequence of numbers that looks like chance, the same for the same seed (xorshift64*).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        usize::try_from(number).unwrap() % limit
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// What a mutation puts into a text.
const PIECES: [&str; 74] = [
    "\"",
    "'",
    "''",
    "\\",
    "\\\"",
    "#",
    " #",
    " # c",
    "\n#",
    ":",
    ": ",
    ":\n",
    " :",
    "\t:",
    ":\t",
    "-",
    "- ",
    "-\n",
    "-\t",
    "- - ",
    "?",
    "? ",
    ": x",
    "|",
    "|\n",
    "|2",
    "|-",
    "|+\n",
    ">",
    ">1-",
    "&a",
    "&a ",
    "*a",
    "!",
    "!!str ",
    "!t ",
    "%",
    "@",
    "`",
    "{",
    "}",
    "[",
    "]",
    "{}",
    "[]",
    ",",
    ", ",
    "---",
    "\n---\n",
    "\n--- ",
    "...",
    "\n...\n",
    "\t",
    "\n\t",
    "\t#",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "  ",
    "\n ",
    "\n  ",
    "\n    ",
    "x",
    "kind: X",
    "\nkind: X\n",
    "metadata:",
    "\n  metadata:\n",
    "items:\n",
    "<<: ",
    "~",
    "\u{feff}",
    "\u{2028}",
];

/// A text with a few changes.
pub(crate) fn mutate(text: &str, chance: &mut Chance) -> String {
    let mut text = text.to_owned();
    for _ in 0..=chance.below(3) {
        text = if chance.below(2) == 0 {
            change_piece(&text, chance)
        } else {
            change_lines(&text, chance)
        };
    }
    text
}

/// A character boundary of the text.
fn boundary(text: &str, chance: &mut Chance) -> usize {
    let mut at = chance.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn change_piece(text: &str, chance: &mut Chance) -> String {
    let at = boundary(text, chance);
    let rest = &text[at..];
    let cut = rest
        .chars()
        .take(chance.below(3))
        .map(char::len_utf8)
        .sum::<usize>();
    let (piece, cut) = match chance.below(4) {
        0 => ("", cut),
        1 => (chance.pick(&PIECES), cut),
        _ => (chance.pick(&PIECES), 0),
    };
    format!("{}{piece}{}", &text[..at], &rest[cut..])
}

fn change_lines(text: &str, chance: &mut Chance) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if lines.is_empty() {
        return String::new();
    }
    let (a, b) = (chance.below(lines.len()), chance.below(lines.len()));
    match chance.below(6) {
        0 => drop(lines.remove(a)),
        1 => lines.swap(a, b),
        2 => lines.insert(b, lines[a].clone()),
        3 => lines[a].insert_str(0, chance.pick(&[" ", "  ", "    ", "\t", "- ", "# "])),
        4 => {
            let line = &lines[a];
            let indented = line.len() - line.trim_start_matches(' ').len();
            let less = chance.below(indented + 1);
            lines[a].drain(..less);
        }
        // A block of lines, further in or out.
        _ => {
            let (from, to) = (a.min(b), a.max(b));
            let further = chance.below(2) == 0;
            for line in &mut lines[from..=to] {
                if further {
                    line.insert_str(0, "  ");
                } else if line.starts_with("  ") {
                    line.drain(..2);
                }
            }
        }
    }
    lines.concat()
}
