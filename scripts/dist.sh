#!/usr/bin/env bash
# Builds what is handed out for other machines into target/dist.
#   baqcstub-linux-MACHINE.tar.gz   the communication stub: libraries, links, header, copybook
#   quaymaster-client-linux-MACHINE.tar.gz   the MQI library: headers, copybooks, libraries, samples
#   quaymaster-VERSION-linux-MACHINE.oci.tar   the container image, for `docker load` and other tools
#   zconbt.zip                      the build toolkit: bin/zconbt, bin/zconbt.zos, lib/, doc/
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$repository/target}
dist=$target/dist
mkdir -p "$dist"

"$repository/scripts/stub.sh" "$dist/baqcstub" > /dev/null
tar -C "$dist" -czf "$dist/baqcstub-linux-$(uname -m).tar.gz" baqcstub

"$repository/scripts/client.sh" "$dist/quaymaster-client" > /dev/null
tar -C "$dist" -czf "$dist/quaymaster-client-linux-$(uname -m).tar.gz" quaymaster-client

(cd "$repository" && cargo build --release --locked --package server)
"$repository/scripts/zconbt.sh" "$target/release/quaymaster" "$dist" > /dev/null
cargo xtask image --program "$target/release/quaymaster" --out "$dist" > /dev/null
ls -l "$dist"
