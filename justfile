# What there is to do.
_default:
    @just --list --unsorted

# Run the function on the quickstart's list
try:
    cargo run --release < examples/quickstart/resource-list.yaml

# Run the tests that need nothing but Rust, bash and Git
test:
    cargo test

# Format the code
format:
    cargo fmt

# Check formatting, lints and tests: before each commit
check:
    cargo fmt --check
    cargo clippy --all-targets -- -D warnings
    cargo test

# Check everything, end to end with the image, kpt, kubectl and Helm (Debian, as root): before each merge
ci:
    .ci/run

# Build the image under the name that the examples use (needs podman)
image:
    .ci/image

# Check the dependencies: advisories, licences, duplicates, sources (needs cargo-deny)
deny:
    cargo deny check

# Measure the speed
bench:
    cargo bench

# Open the documentation of the library
doc:
    cargo doc --no-deps --open

# Show what would be in the published crate
package:
    cargo package --list --allow-dirty
