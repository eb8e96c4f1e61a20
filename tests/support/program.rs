//! The program as it is built, run as a process: what it writes, how it ends, and that it ends in time.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than any run may take, also unoptimised and on a busy machine.
const DEADLINE: Duration = Duration::from_secs(20);

/// What one run came to.
pub(crate) struct Run {
    /// The exit code; none for a run that a signal ended.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

/// Runs the program in a folder.
pub(crate) fn run_in(folder: &Path, args: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_flink-operator-rollout"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    thread::scope(|scope| {
        // A program that has seen enough may close its end.
        scope.spawn(move || stdin.write_all(input));
        let out = scope.spawn(move || read_all(&mut stdout));
        let err = scope.spawn(move || read_all(&mut stderr));
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if begun.elapsed() > DEADLINE {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            thread::sleep(Duration::from_millis(1));
        };
        let (stdout, stderr) = (out.join().unwrap(), err.join().unwrap());
        let stderr = String::from_utf8(stderr).unwrap();
        let status = status.unwrap_or_else(|| panic!("no end within {DEADLINE:?}: {stderr}"));
        Run {
            code: status.code(),
            stdout,
            stderr,
        }
    })
}

fn read_all(from: &mut impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).unwrap();
    bytes
}
