//! The table of the operator's options and Flink's types: is each option judged as the operator's source says, and is no value
//! refused that Flink would take?

#![cfg(test)]

use flink_operator_rollout::options::table::{Effect, is_live, nearest, rows, type_of};
use flink_operator_rollout::options::value::Type;

/// A key that a line of the table is about: names for what stands in angle brackets and behind a `*`.
fn example(pattern: &str) -> String {
    let named: Vec<&str> = pattern
        .split('.')
        .map(|segment| {
            if segment.starts_with('<') {
                "mine"
            } else {
                segment
            }
        })
        .collect();
    named.join(".").replace('*', "anything.else")
}

#[test]
fn each_option_restarts_or_not_as_its_line_says() {
    assert_eq!(rows().len(), 172);
    for row in rows() {
        let key = example(row.key);
        // SPEC: what is dynamic is left out; Flink's own defaults for jobs are listed apart and are in no line of the table.
        assert_eq!(is_live(&key), row.effect == Effect::Dynamic, "{key}");
    }
}

#[test]
fn the_numbers_of_each_effect_are_those_that_were_read() {
    let count = |effect| rows().iter().filter(|row| row.effect == effect).count();
    assert_eq!(
        [Effect::Dynamic, Effect::StartupOnly, Effect::Unclear].map(count),
        [112, 49, 11]
    );
}

#[test]
fn defaults_for_jobs_do_not_restart() {
    let prefixes = [
        "jobmanager.memory.process.size",
        "taskmanager.numberOfTaskSlots",
        "parallelism.default",
        "execution.checkpointing.interval",
        "pipeline.max-parallelism",
        "state.savepoints.dir",
        "table.exec.state.ttl",
        "restart-strategy",
        "restart-strategy.type",
        "high-availability",
        "high-availability.storageDir",
        "kubernetes.jobmanager.cpu",
        "kubernetes.taskmanager.cpu",
        "env.java.opts.all",
    ];
    for key in prefixes {
        assert!(is_live(key), "{key}");
    }
}

#[test]
fn whatever_is_not_known_restarts() {
    let keys = [
        "",
        "foo",
        "kubernetes.operator.brand.new.option",
        "kubernetes.operator.jobmanager.cpu",
        "kubernetes.cluster-id",
        "s3.access-key",
        "fs.default-scheme",
        "plugin.classloader.parent-first-patterns.default",
        "metrics.reporters",
        "statement",
        "tables.x",
    ];
    for key in keys {
        assert!(!is_live(key), "{key}");
    }
}

#[test]
fn the_longest_line_decides() {
    let cases = [
        (
            "kubernetes.operator.default-configuration.flink-version.v1_20.foo",
            true,
        ),
        ("kubernetes.operator.default-configuration.other", false),
        ("kubernetes.operator.job.autoscaler.enabled", true),
        ("job.autoscaler.some.new.option", true),
        ("kubernetes.operator.plugins.listeners.mine.class", false),
        ("kubernetes.operator.plugins.listeners.mine.setting", false),
        ("kubernetes.operator.metrics.reporter.prom.port", false),
        ("metrics.scope.k8soperator.system", false),
        ("kubernetes.operator.dynamic.config.enabled", false),
    ];
    for (key, live) in cases {
        assert_eq!(is_live(key), live, "{key}");
    }
}

#[test]
fn each_documented_type_takes_a_right_value_and_refuses_a_wrong_one() {
    let typed: Vec<_> = rows()
        .iter()
        .filter_map(|row| Some((row.key, row.option_type?)))
        .collect();
    assert_eq!(typed.len(), 141);
    for (key, documented) in typed {
        let key = example(key);
        assert_eq!(type_of(&key), Some(documented), "{key}");
        let (right, wrong) = match documented {
            Type::Boolean => ("true", Some("yes")),
            Type::Integer => ("5", Some("5.5")),
            Type::Double => ("0.5", Some("half")),
            Type::Duration => ("15 s", Some("15 parsecs")),
            Type::MemorySize => ("64 mb", Some("64 elephants")),
            Type::Map => ("a:b", Some("no colon")),
            Type::Enum | Type::List | Type::String => ("anything at all", None),
        };
        assert_eq!(documented.check(right), Ok(()), "{key}");
        if let Some(wrong) = wrong {
            assert!(documented.check(wrong).is_err(), "{key}");
        }
    }
}

#[test]
fn old_names_have_the_type_of_the_new_ones() {
    let cases = [
        (
            "kubernetes.operator.reconciler.reschedule.interval",
            Type::Duration,
        ),
        (
            "kubernetes.operator.reconciler.max.parallelism",
            Type::Integer,
        ),
        ("kubernetes.operator.job.autoscaler.enabled", Type::Boolean),
    ];
    for (key, expected) in cases {
        assert_eq!(type_of(key), Some(expected), "{key}");
    }
    assert_eq!(type_of("kubernetes.operator.brand.new.option"), None);
}

fn table(of: Type, right: &[&str], wrong: &[&str]) {
    for text in right {
        assert_eq!(of.check(text), Ok(()), "{of:?} {text:?}");
    }
    for text in wrong {
        assert!(of.check(text).is_err(), "{of:?} {text:?}");
    }
}

#[test]
fn durations_are_read_as_flink_reads_them() {
    let right = [
        "15 s",
        "15s",
        " 15 s ",
        "5 MINUTE",
        "5 minutes",
        "5min",
        "5 m",
        "1 d",
        "2 days",
        "3 h",
        "3 Hours",
        "7",
        "0",
        "100 ms",
        "100 millis",
        "9 µs",
        "9 micros",
        "9 ns",
        "9 nanoseconds",
        "10 secs",
        "9223372036854775807 ms",
        // Integers of YAML's, which Flink gets as decimal numbers.
        "0x10",
        "+5",
    ];
    let wrong = [
        "",
        "s",
        "15 parsecs",
        "-15 s",
        "1.5 s",
        "5 weeks",
        "10 mins",
        "3 hrs",
        "1h30m",
        "5.0",
        "1e3",
        // A no-break space, which Java does not trim, and a Greek letter in place of the micro sign.
        "15\u{a0}s",
        "9 \u{3bc}s",
        "9223372036854775808 ms",
        "five",
    ];
    table(Type::Duration, &right, &wrong);
}

/// Flink 1.20 refuses them all and 2.3 takes them without a sign, so a later operator may.
#[test]
fn iso_8601_is_let_pass() {
    let right = [
        "PT5M",
        "pt5m",
        "P1D",
        "P1DT2H3M4.5S",
        "PT0.5S",
        "-PT5M",
        "PT-5M",
    ];
    let wrong = ["P", "PT", "P5M", "PT5", "PT5M3H"];
    table(Type::Duration, &right, &wrong);
}

#[test]
fn other_types_are_read_as_flink_reads_them() {
    table(
        Type::Boolean,
        &["true", "FALSE", "True"],
        &["yes", "on", "1", "", " true"],
    );
    table(
        Type::Integer,
        &["1", "-1", "+1", "2147483647", "0x1F", "0o17"],
        &[
            "2147483648",
            "1.0",
            "1e3",
            "",
            " 1",
            "1_000",
            "ten",
            "10L",
            "0xFFFFFFFF",
        ],
    );
    table(
        Type::Double,
        &[
            "1",
            "1.5",
            "1e3",
            " 0.5 ",
            ".5",
            "5.",
            "+1",
            "1d",
            "1F",
            "NaN",
            "-Infinity",
            "-.inf",
            "0x1p3",
        ],
        &[
            "",
            "half",
            "1,5",
            "50%",
            "nan",
            "inf",
            "1dd",
            "NaNd",
            "+-1",
            "1_000.5",
            "0.5\u{a0}",
        ],
    );
    table(
        Type::MemorySize,
        &[
            "64 mb",
            "64m",
            "1",
            "1 GB",
            "2 kibibytes",
            "10 bytes",
            "9223372036854775807",
        ],
        &[
            "",
            "mb",
            "-1 m",
            "64 elephants",
            "1.5 g",
            "64 Mi",
            "64 mib",
            "1 byte",
            "64\u{a0}mb",
            "9223372036854775808",
        ],
    );
    table(
        Type::Map,
        &[
            "",
            "a:b",
            "a:b,c:d",
            "a:b, c:d,",
            "{a: b}",
            "a:'b:c'",
            "a: https://b",
        ],
        &["a", "a:b,c", "a:b:c", "a:https://b:443", "a:b;c:d"],
    );
}

#[test]
fn a_misspelt_option_gets_the_nearest_name() {
    let cases = [
        (
            "kubernetes.operator.reconcile.intervall",
            Some("kubernetes.operator.reconcile.interval"),
        ),
        (
            "kubernetes.operator.reconcil.interva",
            Some("kubernetes.operator.reconcile.interval"),
        ),
        ("kubernetes.operator.reconci.interva", None),
        ("kubernetes.operator.reconcile.interval", None),
        ("job.autoscaler.enable", Some("job.autoscaler.enabled")),
        (
            "kubernetes.operator.job.autoscaler.enable",
            Some("job.autoscaler.enabled"),
        ),
        ("kubernetes.operator.metrics.reporter.slf4j.intervall", None),
        ("kubernetes.operator.metrics.reporters", None),
        (
            "kubernetes.operator.default-configuration.namespace.a.parallelism.default",
            None,
        ),
        ("kubernetes.operator.plugins.listeners.mine.class", None),
        ("taskmanager.numberOfTaskSlot", None),
        ("kubernetes.operator.something.else.entirely", None),
    ];
    for (key, expected) in cases {
        assert_eq!(nearest(key), expected, "{key}");
    }
}
