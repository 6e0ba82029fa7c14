#!/usr/bin/env bash
# Builds the communication stub into a folder: stub.sh [FOLDER], target/stub-files when none is named.
# libbaqcstub.so and .a, the links that GnuCOBOL's dynamic CALL looks for, libbaqctls.so for https, header and copybook.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$repository/target}
folder=${1:-$target/stub-files}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$repository"
. scripts/paths.sh
build() { without_paths "" "" "" cargo rustc --locked --profile stub "$@"; }
# One kind of crate at a time: only then is all of it optimised as one.
for kind in cdylib staticlib; do
    build --package communication-stub --lib --crate-type "$kind"
done
build --package communication-stub-tls --lib --crate-type cdylib
install -m 755 "$target/stub/libbaqcstub.so" "$target/stub/libbaqctls.so" "$folder/"
install -m 644 "$target/stub/libbaqcstub.a" crates/communication-stub/include/baqcstub.h \
    crates/communication-stub/copybooks/*.cpy "$folder/"
for function in BAQCSTUB BAQCTERM BAQINIT BAQPUTN BAQEXEC BAQGETN BAQFREE BAQTERM; do
    ln -sf libbaqcstub.so "$folder/$function.so"
done
ls -l "$folder"
