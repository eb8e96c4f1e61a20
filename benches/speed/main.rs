//! How long the whole program takes, as ratios to what users would use instead and to the floor.
//!
//! `cargo bench` prints the table. The measure is the time of the whole process, from its start to its end, as the median of
//! several runs that take turns with those of the baseline; memory is its peak resident set. The baseline reads the same
//! list with `yaml_serde` and writes it again, which is what a function does that was written in the usual way. The floor is
//! `cat`, and `wc -l`, on the same bytes.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a benchmark"
)]

#[path = "../inputs/mod.rs"]
mod inputs;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use inputs::Shape;
use nix::sys::resource::{UsageWho, getrusage};

const PROGRAM: &str = env!("CARGO_BIN_EXE_flink-operator-rollout");
const RUNS: usize = 7;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("--baseline") => baseline(),
        Some("--measure") => measure(&args[1..]),
        _ => print_table(
            args.iter()
                .find(|arg| !arg.starts_with("--"))
                .map(String::as_str),
        ),
    }
}

/// What a function does that reads the list into a tree and writes that.
fn baseline() {
    let list: serde_yaml::Value = serde_yaml::from_reader(std::io::stdin().lock()).expect("YAML");
    serde_yaml::to_writer(std::io::stdout().lock(), &list).expect("an open stdout");
}

/// Runs one command between pipes, as orchestrators do, in a process that does nothing else, so that the peak memory of its
/// children is the command's.
fn measure(command: &[String]) {
    let mut feeder = Command::new("cat")
        .arg(&command[0])
        .stdout(Stdio::piped())
        .spawn()
        .expect("cat starts");
    let start = Instant::now();
    let mut child = Command::new(&command[1])
        .args(&command[2..])
        .stdin(feeder.stdout.take().expect("a pipe"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a command that starts");
    let mut output = child.stdout.take().expect("a pipe");
    let mut buffer = vec![0; 64 * 1024];
    while output.read(&mut buffer).expect("output") > 0 {}
    let status = child.wait().expect("an end");
    let elapsed = start.elapsed();
    assert!(status.success(), "{command:?} failed");
    feeder.wait().expect("an end");
    let memory = getrusage(UsageWho::RUSAGE_CHILDREN)
        .expect("usage")
        .max_rss();
    println!("{} {memory}", elapsed.as_nanos());
}

#[derive(Clone, Copy)]
struct Cost {
    time: Duration,
    /// In KiB.
    memory: u64,
}

fn cost(input: &Path, command: &[&str]) -> Cost {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .arg("--measure")
        .arg(input)
        .args(command)
        .output()
        .expect("this program starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("numbers");
    let (time, memory) = text.trim().split_once(' ').expect("two numbers");
    Cost {
        time: Duration::from_nanos(time.parse().expect("a number")),
        memory: memory.parse().expect("a number"),
    }
}

/// Each command in turn, several times over; the median of each.
fn costs(input: &Path, commands: &[Vec<&str>]) -> Vec<Cost> {
    let mut runs = vec![Vec::new(); commands.len()];
    for _ in 0..RUNS {
        for (runs, command) in runs.iter_mut().zip(commands) {
            runs.push(cost(input, command));
        }
    }
    runs.into_iter()
        .map(|mut runs| {
            runs.sort_by_key(|cost| cost.time);
            runs[runs.len() / 2]
        })
        .collect()
}

const KB: usize = 1000;
const MB: usize = 1_000_000;

/// The shapes with their sizes: those that people deploy grow from what is usual to what is possible.
fn cases() -> impl Iterator<Item = (&'static Shape, usize)> {
    inputs::SHAPES.iter().flat_map(|shape| {
        let sizes: &[usize] = match shape.name {
            "chart copies" | "mixed, one operator" => &[30 * KB, MB, 20 * MB, 100 * MB],
            _ => &[20 * MB],
        };
        sizes.iter().map(move |&size| (shape, size))
    })
}

/// The table, of the cases whose name and size hold the filter.
fn print_table(filter: Option<&str>) {
    println!(
        "| input | size | time | baseline | times as fast | `cat` takes | `wc -l` takes | peak memory | of the input |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let this = std::env::current_exe().expect("this program");
    let this = this.to_str().expect("a path in UTF-8");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (case, bytes) in cases() {
        let label = format!("{} {bytes}", case.name);
        if filter.is_some_and(|filter| !label.contains(filter)) {
            continue;
        }
        let input: PathBuf = folder.path().join("input");
        std::fs::write(&input, (case.make)(bytes)).expect("space for the input");
        let size = std::fs::metadata(&input).expect("the input").len();
        let program = [&[PROGRAM], case.args].concat();
        // One document stands for a stream in the baseline, which reads one.
        let is_stream = !case.args.is_empty();
        let mut commands = vec![program, vec!["cat"], vec!["wc", "-l"]];
        if !is_stream {
            commands.push(vec![this, "--baseline"]);
        }
        let costs = costs(&input, &commands);
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let baseline = costs.get(3).map(|cost| ms(cost.time));
        println!(
            "| {} | {:.2} MB | {:.1} ms | {} | {} | {:.2} of it | {:.2} of it | {:.1} MB | {:.2} |",
            case.name,
            size as f64 / 1e6,
            ms(costs[0].time),
            baseline.map_or("–".to_owned(), |baseline| format!("{baseline:.0} ms")),
            baseline.map_or("–".to_owned(), |baseline| format!(
                "{:.1}",
                baseline / ms(costs[0].time)
            )),
            ms(costs[1].time) / ms(costs[0].time),
            ms(costs[2].time) / ms(costs[0].time),
            costs[0].memory as f64 * 1024.0 / 1e6,
            costs[0].memory as f64 * 1024.0 / size as f64,
        );
    }
}
