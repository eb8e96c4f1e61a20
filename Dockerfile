# The function's image: one static binary, and the two lines that make `--user nobody` resolve.
# For another architecture than the builder's: docker buildx build --platform linux/amd64,linux/arm64 .

FROM --platform=$BUILDPLATFORM docker.io/library/rust:1.95-slim-bookworm AS build
ARG BUILDARCH
ARG TARGETARCH
ENV CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER=x86_64-linux-gnu-gcc \
    RUSTFLAGS="-C target-feature=+crt-static"
WORKDIR /build

# Compiled across, not emulated: emulation takes many times as long.
RUN set -eu; \
    case "$TARGETARCH" in \
      amd64) triple=x86_64-unknown-linux-gnu gcc=gcc-x86-64-linux-gnu ;; \
      arm64) triple=aarch64-unknown-linux-gnu gcc=gcc-aarch64-linux-gnu ;; \
      *) echo "TARGETARCH is '$TARGETARCH', must be amd64 or arm64" >&2; exit 1 ;; \
    esac; \
    if [ "$TARGETARCH" != "$BUILDARCH" ]; then \
      apt-get update; \
      apt-get install -y --no-install-recommends "$gcc" "libc6-dev-$TARGETARCH-cross"; \
      rustup target add "$triple"; \
    fi; \
    echo "$triple" > triple

# The dependencies apart, so that a change to the sources alone does not compile them again. Empty files stand for the
# sources, and for the benchmarks, which the manifest names but the image has no use for.
COPY Cargo.toml Cargo.lock ./
RUN mkdir src benches \
    && echo '//! Empty.' > src/lib.rs \
    && printf '//! Empty.\nfn main() {}\n' > src/main.rs \
    && sed -n '/^\[\[bench\]\]/,/^name/ s/^name = "\(.*\)"/benches\/\1.rs/p' Cargo.toml | xargs --no-run-if-empty touch \
    && cargo build --locked --release --target "$(cat triple)" \
    && cargo clean --release --target "$(cat triple)" --package flink-operator-rollout

COPY src src
RUN cargo build --locked --release --target "$(cat triple)" \
    && install -D --target-directory image "target/$(cat triple)/release/flink-operator-rollout" \
    && mkdir image/etc \
    && echo 'nobody:x:65534:65534:nobody:/:/sbin/nologin' > image/etc/passwd \
    && echo 'nobody:x:65534:' > image/etc/group
COPY LICENSE image/

FROM scratch
# The bill of materials is made from the build context, whose Cargo.lock names the crates: the image itself has no package list.
ARG BUILDKIT_SBOM_SCAN_CONTEXT=true
LABEL org.opencontainers.image.title="flink-operator-rollout" \
      org.opencontainers.image.description="KRM function that rolls the Flink Kubernetes Operator when its configuration changes and annotates its Deployment" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/flink-operator-rollout/flink-operator-rollout"
COPY --from=build /build/image /
USER 65534:65534
ENTRYPOINT ["/flink-operator-rollout"]
