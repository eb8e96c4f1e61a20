//! x

/// x
pub mod argocd;
