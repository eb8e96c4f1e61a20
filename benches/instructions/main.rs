//! How many instructions the whole program executes, for each byte of its input.
//!
//! `cargo bench --bench instructions` counts them with valgrind's callgrind and writes them to `counts.md` beside this file,
//! so that a change that makes the program slower shows up in `git diff`, on whatever machine it was made and however busy
//! that was. Another compiler or processor gives other numbers; the file says which compiler gave it.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    reason = "a benchmark"
)]

#[path = "../inputs/mod.rs"]
mod inputs;

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_flink-operator-rollout");
const COUNTS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/benches/instructions/counts.md"
);
/// Large enough for the start of the process not to matter, small enough for a program under valgrind.
const BYTES: usize = 2_000_000;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = folder.path().join("input");
    let mut table = format!(
        "Instructions for each byte of input, with {}.\n\n| input | instructions |\n| --- | ---: |\n",
        compiler()
    );
    for shape in inputs::SHAPES {
        let text = (shape.make)(BYTES);
        std::fs::write(&input, &text).expect("space for the input");
        let per_byte = instructions(&input, shape.args) as f64 / text.len() as f64;
        writeln!(table, "| {} | {per_byte:.1} |", shape.name).expect("a string");
    }
    print!("{table}");
    std::fs::write(COUNTS, table).expect("the file can be written");
}

fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let version = String::from_utf8(output.expect("rustc starts").stdout).expect("UTF-8");
    let words: Vec<&str> = version.split(' ').take(2).collect();
    format!("{} on {}", words.join(" "), std::env::consts::ARCH)
}

fn instructions(input: &Path, args: &[&str]) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(PROGRAM)
        .args(args)
        .stdin(File::open(input).expect("the input"))
        .output()
        .expect("valgrind is installed");
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{report}");
    let (_, count) = report.split_once("Collected : ").expect("a count");
    let count = count.split_whitespace().next().expect("a count");
    count.parse().expect("a number")
}
