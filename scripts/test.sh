#!/usr/bin/env bash
# Every test. System tests drive the release build, because the kill test wants real load.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --release --locked --package server
QUAYMASTER_BIN="${CARGO_TARGET_DIR:-target}/release/quaymaster"
QUAYMASTER_BIN=$(realpath "$QUAYMASTER_BIN")
export QUAYMASTER_BIN
exec cargo test --locked --workspace
