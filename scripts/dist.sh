#!/usr/bin/env bash
# Builds what is handed out for other machines into target/dist.
#   baqcstub-linux-MACHINE.tar.gz   the communication stub: libraries, links, header, copybook
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
dist=${CARGO_TARGET_DIR:-$repository/target}/dist
mkdir -p "$dist"
"$repository/scripts/stub.sh" "$dist/baqcstub" > /dev/null
tar -C "$dist" -czf "$dist/baqcstub-linux-$(uname -m).tar.gz" baqcstub
ls -l "$dist"
