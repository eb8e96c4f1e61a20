//! `covers: RestartRequired`: does the checksum follow what needs a restart, and never less?

#![cfg(test)]

#[path = "support/installation.rs"]
mod installation;

use flink_operator_rollout::function_config::{Covers, OperatorRollout, Sources};
use flink_operator_rollout::results::Reason;
use installation::{ConfigMap, Installation};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

/// An option that the running operator takes up, and one that it reads at start.
const LIVE: &str = "kubernetes.operator.reconcile.interval";
const AT_START: &str = "kubernetes.operator.reconcile.parallelism";

/// The checksum, and the reasons of the other outcomes.
fn checksum(
    installation: &Installation,
    covers: Covers,
    sources: Sources,
) -> (String, Vec<Reason>) {
    let mut config = OperatorRollout {
        restart_on_config_change: true,
        ..Default::default()
    };
    config.checksum.covers = covers;
    config.checksum.sources = sources;
    let (outcomes, text) = installation.run(&config);
    let sum = text
        .split("checksum/config: \"")
        .nth(1)
        .and_then(|rest| rest.get(..64));
    let sum = sum.unwrap_or_else(|| panic!("no checksum: {outcomes:?}"));
    let reasons = outcomes.iter().map(|outcome| outcome.tags.reason);
    (
        sum.to_owned(),
        reasons
            .filter(|reason| *reason != Reason::ChecksumAdded)
            .collect(),
    )
}

fn sum(installation: &Installation) -> String {
    checksum(
        installation,
        Covers::RestartRequired,
        Sources::OperatorConfig,
    )
    .0
}

fn of(key: &'static str, text: &str) -> String {
    sum(&Installation::of(&[(key, text)]))
}

#[test]
fn the_line_is_that_of_mounted_with_the_options_that_count() {
    let text = format!("{LIVE}: 15 s\n{AT_START}: 5\nfoo: bar\n");
    let installation = Installation::of(&[("config.yaml", &text), ("other.txt", "as it is\n")]);
    let options = format!("{{\"foo\":\"bar\",\"{AT_START}\":\"5\"}}");
    let line = serde_json::json!({"binaryData": {}, "data": {"config.yaml": options, "other.txt": "as it is\n"}});
    assert_eq!(
        sum(&installation),
        hex::encode(Sha256::digest(format!("{line}\n")))
    );
}

#[test]
fn only_what_needs_a_restart_moves_it() {
    for (file, separator) in [("config.yaml", "\n"), ("flink-conf.yaml", "\n")] {
        let with = |live: &str, at_start: &str| {
            of(
                file,
                &format!("{LIVE}: {live}{separator}{AT_START}: {at_start}\n"),
            )
        };
        assert_eq!(with("15 s", "5"), with("60 s", "5"), "{file}");
        assert_ne!(with("15 s", "5"), with("15 s", "6"), "{file}");
        assert_eq!(
            of(file, &format!("{AT_START}: 5\n")),
            with("15 s", "5"),
            "{file}"
        );
    }
}

#[test]
fn another_spelling_of_the_same_is_the_same() {
    let same = [
        "kubernetes.operator.reconcile.parallelism: 5\nkubernetes.operator.user.artifacts.allowed-schemes: [a, b]\nx: 15 s\n",
        "# a comment\nx: \"15 s\"\nkubernetes.operator.user.artifacts.allowed-schemes:\n- a\n- 'b'\nkubernetes.operator.reconcile.parallelism: '5' # why\n",
        "kubernetes:\n  operator:\n    reconcile:\n      parallelism: 5\n    user.artifacts:\n      allowed-schemes:\n        - a\n        - b\nx: 15 s\n",
        "{\"kubernetes.operator\": {\"reconcile.parallelism\": \"5\", \"user.artifacts.allowed-schemes\": [\"a\", \"b\"]}, \"x\": \"15 s\"}\n",
        "kubernetes.operator: {reconcile: {parallelism: 5}, user.artifacts.allowed-schemes: [a, b]}\nx: >-\n  15 s\n",
    ];
    for text in same {
        assert_eq!(
            of("config.yaml", text),
            of("config.yaml", same[0]),
            "{text}"
        );
    }
    let legacy = [
        "kubernetes.operator.reconcile.parallelism: 5\nx: 15 s\n",
        "x: 15 s # a comment\n\n  kubernetes.operator.reconcile.parallelism:  5  \n",
        "x: other\nkubernetes.operator.reconcile.parallelism: 5\nskipped\nx: 15 s\n#x: no\nalso skipped:\n",
        "x: 15 s\r\nkubernetes.operator.reconcile.parallelism: 5\r\n",
    ];
    for text in legacy {
        assert_eq!(
            of("flink-conf.yaml", text),
            of("flink-conf.yaml", legacy[0]),
            "{text}"
        );
    }
    assert_ne!(
        of("flink-conf.yaml", "x: 1#2\n"),
        of("flink-conf.yaml", "x: 2\n")
    );
}

/// A change of a live option, with something else beside it: does it move the checksum?
fn live_change_counts(with: impl Fn(&str) -> Installation) -> bool {
    let installation = |value: &str| with(&format!("{LIVE}: {value}\n"));
    sum(&installation("15 s")) != sum(&installation("60 s"))
}

#[test]
fn every_option_counts_where_the_running_operator_takes_none_up() {
    let beside = |extra: &'static str| {
        live_change_counts(move |text| {
            Installation::of(&[("config.yaml", &format!("{text}{extra}"))])
        })
    };
    assert!(!beside(""));
    assert!(!beside(
        "kubernetes.operator.dynamic.config.enabled: true\n"
    ));
    assert!(beside(
        "kubernetes.operator.dynamic.config.enabled: false\n"
    ));
    assert!(beside(
        "kubernetes.operator.plugins.listeners.mine.class: a.B\n"
    ));
    assert!(live_change_counts(|text| {
        let mut installation = Installation::of(&[("config.yaml", text)]);
        installation.config_maps[0].lines = "immutable: true\n";
        installation
    }));
    assert!(live_change_counts(|text| {
        let mut installation = Installation::of(&[("config.yaml", text)]);
        installation.container = "volumeMounts: [{name: conf, mountPath: /opt/flink/conf/config.yaml, subPath: config.yaml}]";
        installation
    }));
}

#[test]
fn overrides_are_laid_over() {
    let with = |base: &str, overrides: &str| {
        let mut installation = Installation::of(&[("config.yaml", base)]);
        installation
            .config_maps
            .push(ConfigMap::of("over", &[("config.yaml", overrides)]));
        installation.container = "env: [{name: CONF_OVERRIDE_DIR, value: /over}], volumeMounts: [{name: conf, mountPath: /opt/flink/conf}, {name: over, mountPath: /over/}]";
        installation.volumes = "[{name: conf, configMap: {name: conf}}, {name: over, projected: {sources: [{configMap: {name: over}}]}}]";
        sum(&installation)
    };
    let off = "kubernetes.operator.dynamic.config.enabled: false\n";
    let on = "kubernetes.operator.dynamic.config.enabled: true\n";
    let live = |value| format!("{LIVE}: {value}\n");
    assert_eq!(with(&live("1 s"), ""), with(&live("2 s"), ""));
    assert_ne!(with(&live("1 s"), off), with(&live("2 s"), off));
    assert_eq!(
        with(&(live("1 s") + off), on),
        with(&(live("2 s") + off), on)
    );
    assert_ne!(
        with("", &format!("{AT_START}: 1\n")),
        with("", &format!("{AT_START}: 2\n"))
    );
}

#[test]
fn every_option_counts_where_a_source_is_not_among_the_manifests() {
    assert!(live_change_counts(|text| {
        let mut installation = Installation::of(&[("config.yaml", text)]);
        installation.container = "env: [{name: CONF_OVERRIDE_DIR, value: /over}], volumeMounts: [{name: conf, mountPath: /opt/flink/conf}, {name: over, mountPath: /over}]";
        installation.volumes =
            "[{name: conf, configMap: {name: conf}}, {name: over, configMap: {name: elsewhere}}]";
        installation
    }));
}

#[test]
fn a_file_that_cannot_be_read_counts_as_a_whole_and_says_so() {
    for text in [
        "a: [\n",
        "just text\n",
        "a: 1\na: 2\n",
        "- a\n",
        "a: 1\n---\nb: 2\n",
    ] {
        let (first, reasons) = checksum(
            &Installation::of(&[("config.yaml", text)]),
            Covers::RestartRequired,
            Sources::OperatorConfig,
        );
        assert!(
            reasons.contains(&Reason::ConfigNotRead),
            "{text:?}: {reasons:?}"
        );
        let commented = format!("# a comment counts too\n{text}");
        let (second, _) = checksum(
            &Installation::of(&[("config.yaml", &commented)]),
            Covers::RestartRequired,
            Sources::OperatorConfig,
        );
        assert_ne!(first, second, "{text:?}");
    }
}

#[test]
fn the_legacy_file_is_the_one_that_is_read() {
    let with = |standard: &str, legacy: &str| {
        sum(&Installation::of(&[
            ("config.yaml", standard),
            ("flink-conf.yaml", legacy),
        ]))
    };
    let off = "kubernetes.operator.dynamic.config.enabled: false\n";
    let live = |value| format!("{LIVE}: {value}\n");
    assert_eq!(with(off, &live("1 s")), with(off, &live("2 s")));
    assert_ne!(
        with("", &(live("1 s") + off)),
        with("", &(live("2 s") + off))
    );
}

#[test]
fn a_key_is_read_by_the_file_name_that_it_is_mounted_under() {
    let with = |path: &'static str, value: &str| {
        let mut installation = Installation::of(&[("my-options", &format!("{LIVE}: {value}\n"))]);
        installation.volumes = path;
        sum(&installation)
    };
    let renamed =
        "[{name: conf, configMap: {name: conf, items: [{key: my-options, path: config.yaml}]}}]";
    let not_renamed =
        "[{name: conf, configMap: {name: conf, items: [{key: my-options, path: my-options}]}}]";
    assert_eq!(with(renamed, "1 s"), with(renamed, "2 s"));
    assert_ne!(with(not_renamed, "1 s"), with(not_renamed, "2 s"));
}

#[test]
fn what_something_else_reads_counts_as_it_is() {
    let with = |value: &str| {
        let mut installation = Installation::of(&[("config.yaml", "")]);
        installation.config_maps.push(ConfigMap::of(
            "app",
            &[("config.yaml", &format!("{LIVE}: {value}\n"))],
        ));
        installation.container = "volumeMounts: [{name: conf, mountPath: /opt/flink/conf}, {name: app, mountPath: /etc/app}]";
        installation.volumes =
            "[{name: conf, configMap: {name: conf}}, {name: app, configMap: {name: app}}]";
        checksum(
            &installation,
            Covers::RestartRequired,
            Sources::AllConfigMaps,
        )
        .0
    };
    assert_ne!(with("1 s"), with("2 s"));
    let as_variable = |value: &str| {
        let mut installation = Installation::of(&[("config.yaml", &format!("{LIVE}: {value}\n"))]);
        installation.container = "envFrom: [{configMapRef: {name: conf}}], volumeMounts: [{name: conf, mountPath: /opt/flink/conf}]";
        checksum(
            &installation,
            Covers::RestartRequired,
            Sources::AllConfigMaps,
        )
        .0
    };
    assert_ne!(as_variable("1 s"), as_variable("2 s"));
}

#[test]
fn logging_files_count_unless_they_are_read_anew() {
    let log4j = |text: &str| of("log4j-operator.properties", text);
    let reloads = |line: &str| {
        log4j(&format!("{line}\nrootLogger.level = INFO\n"))
            == log4j(&format!("{line}\nrootLogger.level = DEBUG\n"))
    };
    for line in [
        "monitorInterval = 30",
        "monitorInterval=30",
        "  monitorInterval: 5",
        "monitorInterval 5",
    ] {
        assert!(reloads(line), "{line}");
    }
    for line in [
        "",
        "# monitorInterval = 30",
        "!monitorInterval = 30",
        "monitorInterval = 0",
        "monitorInterval = x",
        "monitorInterval = ",
        "a = \\\nmonitorInterval = 30",
        "monitorInterval = 30\nmonitorInterval = 0",
        "monitorIntervals = 30",
    ] {
        assert!(!reloads(line), "{line}");
    }
    assert_ne!(
        log4j("monitorInterval = 30\n"),
        log4j("monitorInterval = 60\n")
    );
    assert_ne!(log4j("monitorInterval = 30\na = b\n"), log4j("a = b\n"));

    let logback = |text: &str| of("logback-operator.xml", text);
    let scans = |tag: &str| {
        logback(&format!("{tag}<root level=\"INFO\"/></configuration>\n"))
            == logback(&format!("{tag}<root level=\"DEBUG\"/></configuration>\n"))
    };
    for tag in [
        "<configuration scan=\"true\">",
        "<?xml version='1.0'?>\n<configuration debug='x'\n  scan = 'true' scanPeriod='30 seconds'>",
    ] {
        assert!(scans(tag), "{tag}");
    }
    for tag in [
        "<configuration>",
        "<configuration scan=\"false\">",
        "<configuration scanPeriod=\"30 seconds\">",
        "<!-- <configuration scan=\"true\"> --><configuration>",
    ] {
        assert!(!scans(tag), "{tag}");
    }
    let console = |text: &str| of("log4j-console.properties", text);
    assert_ne!(
        console("monitorInterval = 30\na = b\n"),
        console("monitorInterval = 30\na = c\n")
    );
}

proptest! {
    #[test]
    fn it_never_moves_where_mounted_does_not(value in "[a-z0-9 ]{0,8}", key in "[a-z.]{1,12}", unmounted in "[a-z]{0,8}") {
        let with = |unmounted: &str| {
            let mut installation = Installation::of(&[("config.yaml", &format!("\"{key}\": \"{value}\"\n")), ("extra", unmounted)]);
            installation.volumes = "[{name: conf, configMap: {name: conf, items: [{key: config.yaml, path: config.yaml}]}}]";
            installation
        };
        let both = |installation: &Installation| [Covers::Mounted, Covers::RestartRequired].map(|covers| checksum(installation, covers, Sources::OperatorConfig).0);
        let (before, after) = (both(&with("")), both(&with(&unmounted)));
        prop_assert_eq!(&before[0], &after[0]);
        prop_assert_eq!(&before[1], &after[1]);
    }

    #[test]
    fn an_unknown_option_always_moves_it(name in "[a-z]{1,10}", value in "[a-z0-9]{1,8}", file in prop::sample::select(vec!["config.yaml", "flink-conf.yaml"])) {
        let before = format!("{LIVE}: 15 s\n");
        let after = format!("{before}unknown.{name}: {value}\n");
        prop_assert_ne!(of(file, &before), of(file, &after));
    }
}
