#!/usr/bin/env bash
# Every test. System tests drive the release build, because the kill test wants real load.
# `test.sh full` adds a hundred kills and a hundred restarts under JMS listeners, a thousand simulated crashes, a hundred calls of
# each kind refused by a simulated disk, five failovers of each kind, fifty killed members and two hundred faults of a queue-sharing group,
# fifty histories of it, twenty rounds of cut connections under programs of the MQI, ten thousand hostile sockets, ten thousand iterations
# of each thread of the public performance harness, an hour of mixed load and half an hour of a group's,
# the MQI library for musl, and the tests that need Open Liberty.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "test: $*" >&2; }

# Python programs of the tests leave no __pycache__ in the work tree.
export PYTHONDONTWRITEBYTECODE=1
say "checking types of the console, running its unit tests, and comparing console/dist with its sources"
(cd console && npm ci --silent && npm run --silent types && npm test --silent && npm run --silent check)
say "building the server (release build; minutes when nothing is built yet)"
cargo build --release --locked --package server
QUAYMASTER_BIN=$(realpath "${CARGO_TARGET_DIR:-target}/release/quaymaster")
say "building the communication stub for COBOL programs"
scripts/stub.sh > /dev/null
QUAYMASTER_STUB=$(realpath "${CARGO_TARGET_DIR:-target}/stub-files")
say "building the MQI library for programs in C"
scripts/client.sh > /dev/null
QUAYMASTER_CLIENT=$(realpath "${CARGO_TARGET_DIR:-target}/quaymaster-client")
say "writing the container image and packages"
# They are not handed out: size matters less than time.
export QUAYMASTER_PACKING_LEVEL=1
QUAYMASTER_IMAGE=$(cargo --config xtask/packing.toml xtask image --program "$QUAYMASTER_BIN")
cargo --config xtask/packing.toml xtask packages --program "$QUAYMASTER_BIN" > /dev/null
export QUAYMASTER_BIN QUAYMASTER_STUB QUAYMASTER_CLIENT QUAYMASTER_IMAGE
ignored=()
if [ "${1:-}" = full ]; then
    export QUAYMASTER_KILL_ROUNDS="${QUAYMASTER_KILL_ROUNDS:-100}"
    export CRASH_SEEDS="${CRASH_SEEDS:-1000}" FAULT_CALLS="${FAULT_CALLS:-100}"
    export QSG_FAILOVERS="${QSG_FAILOVERS:-5}" QSG_ROUNDS="${QSG_ROUNDS:-50}"
    export QUAYMASTER_CUT_ROUNDS="${QUAYMASTER_CUT_ROUNDS:-20}"
    export QUAYMASTER_RESTART_ROUNDS="${QUAYMASTER_RESTART_ROUNDS:-100}"
    export QUAYMASTER_SOAK_SECONDS="${QUAYMASTER_SOAK_SECONDS:-3600}"
    export QUAYMASTER_ATTACK_SOCKETS="${QUAYMASTER_ATTACK_SOCKETS:-10000}"
    export QUAYMASTER_CPH_ITERATIONS="${QUAYMASTER_CPH_ITERATIONS:-10000}"
    ignored=(--include-ignored)
    say "building the MQI library for musl (minutes when nothing is built yet)"
    QUAYMASTER_CLIENT_TARGET=$(uname -m)-unknown-linux-musl scripts/client.sh > /dev/null
    say "checking that fuzz/ builds"
    scripts/fuzz-check.sh
fi
reaches_github() { timeout 20 git ls-remote --quiet https://github.com/AbsaOSS/cobrix HEAD > /dev/null 2>&1; }
# Examples in documentation first, so that the last lines are the summaries of real tests.
say "running the examples in documentation comments"
cargo test --locked --workspace --doc --quiet
say "building the tests"
cargo test --locked --workspace --tests --no-run
# What fails here is told at the end, and hides no other test.
failed=0
if [ "${1:-}" = full ] || reaches_github; then
    say "running the tests with files of public repositories, which are fetched once"
    cargo test --locked --package record-file --package build-toolkit --package service --tests -- --ignored || failed=$?
    cargo test --locked --package system-tests --test it -- --ignored mqi::python mqi::patterns mqi::harness requester::public container::compose || failed=$?
else
    say "GitHub is not reached: the tests with files of public repositories are left out"
fi
say "running the programs with the public Java clients on shared queues; they first fetch Maven packages, which takes minutes once"
QUAYMASTER_PROGRAM_QUEUES=shared cargo test --locked --package system-tests --test it -- interop::java || failed=$?
say "running the tests; those of foreign clients first fetch Maven, Python, npm and Go packages, which takes minutes once"
cargo test --locked --workspace --tests --no-fail-fast -- "${ignored[@]}" || failed=$?
[ "$failed" = 0 ] || say "a test failed, of those above or of a run before them"
exit "$failed"
