//! What is known of the operator's options: which of them a running operator picks up by itself, and what it could not load.

pub mod check;
pub mod file;
pub mod logging;
pub mod mounted;
pub mod restart;
pub mod table;
pub mod value;
