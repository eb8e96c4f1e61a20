//! Golden cases: does the program write, byte for byte, what `tests/cases` says?
//!
//! A case is a folder: `input.yaml` on stdin, `args` for the command line (none: the KRM function), `expected.yaml` for all of
//! stdout and `errors.txt` for all of stderr. A missing file is an empty one. The exit code is 1 where `errors.txt` has an
//! error, else 0. Each case runs a second time on what came out of the first, and then nothing may be left to edit.

#[cfg(test)]
#[path = "support/program.rs"]
mod program;

#[cfg(test)]
mod cases {
    use std::fs;
    use std::path::{Path, PathBuf};

    use similar::TextDiff;

    use crate::program::{Run, run_in};

    #[test]
    fn the_output_is_what_the_case_says() {
        check_all(first_run);
    }

    #[test]
    fn a_second_run_leaves_what_the_first_wrote() {
        check_all(second_run);
    }

    /// A case, and the name of its folder.
    struct Case {
        name: String,
        folder: PathBuf,
    }

    impl Case {
        fn read(&self, file: &str) -> Vec<u8> {
            fs::read(self.folder.join(file)).unwrap_or_default()
        }

        fn text(&self, file: &str) -> String {
            String::from_utf8(self.read(file)).unwrap()
        }

        fn run(&self, input: &[u8]) -> Run {
            let args = self.text("args");
            let args: Vec<&str> = args.split_whitespace().collect();
            run_in(&self.folder, &args, input)
        }
    }

    fn check_all(check: impl Fn(&Case) -> Vec<String>) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
        let mut cases: Vec<Case> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| Case {
                name: entry.file_name().into_string().unwrap(),
                folder: entry.path(),
            })
            .collect();
        assert!(!cases.is_empty());
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        let failures: Vec<String> = cases.iter().flat_map(check).collect();
        assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    }

    fn first_run(case: &Case) -> Vec<String> {
        let input = fs::read(case.folder.join("input.yaml")).unwrap();
        let run = case.run(&input);
        let errors = case.text("errors.txt");
        let code = i32::from(errors.lines().any(|line| line.starts_with("error")));
        let says_something = case.folder.join("expected.yaml").exists() || !errors.is_empty();
        assert!(says_something, "{} expects nothing", case.name);
        let stdout = difference(case, "stdout", &case.read("expected.yaml"), &run.stdout);
        let stderr = difference(case, "stderr", errors.as_bytes(), run.stderr.as_bytes());
        let exit = (run.code != Some(code))
            .then(|| format!("{}: exit {:?}, expected {code}", case.name, run.code));
        stdout.into_iter().chain(stderr).chain(exit).collect()
    }

    fn second_run(case: &Case) -> Vec<String> {
        let first = case.read("expected.yaml");
        if first.is_empty() {
            return Vec::new();
        }
        let second = case.run(&first).stdout;
        let only_new_results =
            results_in(&first).is_some_and(|results| grew_behind(results, &first, &second));
        if first == second || only_new_results {
            return Vec::new();
        }
        difference(case, "stdout of a second run", &first, &second)
            .into_iter()
            .collect()
    }

    /// Where the results of a `ResourceList` begin.
    fn results_in(list: &[u8]) -> Option<usize> {
        let text = std::str::from_utf8(list).unwrap();
        text.contains("ResourceList")
            .then(|| text.rfind("results").unwrap())
    }

    /// Whether the second text is the first with something inserted behind `from`.
    fn grew_behind(from: usize, first: &[u8], second: &[u8]) -> bool {
        let same = first.iter().zip(second).take_while(|(a, b)| a == b).count();
        same > from && second.ends_with(&first[same..])
    }

    fn difference(case: &Case, what: &str, expected: &[u8], actual: &[u8]) -> Option<String> {
        if expected == actual {
            return None;
        }
        let (expected, actual) = (visible(expected), visible(actual));
        let diff = TextDiff::from_lines(expected.as_str(), actual.as_str())
            .unified_diff()
            .header("expected", "actual")
            .to_string();
        Some(format!("{}: {what} differs\n{diff}", case.name))
    }

    /// Lines in which every byte can be seen.
    fn visible(bytes: &[u8]) -> String {
        let line = |line: &[u8]| format!("{}\n", line.escape_ascii());
        bytes
            .split_inclusive(|&byte| byte == b'\n')
            .map(line)
            .collect()
    }
}
