#!/usr/bin/env bash
# Every test. System tests drive the release build, because the kill test wants real load.
# `test.sh full` adds fifty kills and the tests that need Open Liberty.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --release --locked --package server
QUAYMASTER_BIN=$(realpath "${CARGO_TARGET_DIR:-target}/release/quaymaster")
export QUAYMASTER_BIN
if [ "${1:-}" = full ]; then
    export QUAYMASTER_KILL_ROUNDS="${QUAYMASTER_KILL_ROUNDS:-50}"
    exec cargo test --locked --workspace -- --include-ignored
fi
exec cargo test --locked --workspace
