#!/usr/bin/env bash
# Every test. System tests drive the release build, because the kill test wants real load.
# `test.sh full` adds fifty kills and the tests that need Open Liberty.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --release --locked --package server
QUAYMASTER_BIN=$(realpath "${CARGO_TARGET_DIR:-target}/release/quaymaster")
# COBOL programs call the communication stub.
scripts/stub.sh > /dev/null
QUAYMASTER_STUB=$(realpath "${CARGO_TARGET_DIR:-target}/stub-files")
export QUAYMASTER_BIN QUAYMASTER_STUB
ignored=()
if [ "${1:-}" = full ]; then
    export QUAYMASTER_KILL_ROUNDS="${QUAYMASTER_KILL_ROUNDS:-50}"
    ignored=(--include-ignored)
fi
# Examples in documentation first, so that the last lines are the summaries of real tests.
cargo test --locked --workspace --doc --quiet
exec cargo test --locked --workspace --tests -- "${ignored[@]}"
