//! The image that `.ci/image` builds and that the examples name.

pub(crate) const IMAGE: &str = concat!(
    "ghcr.io/flink-operator-rollout/flink-operator-rollout:v",
    env!("CARGO_PKG_VERSION")
);
