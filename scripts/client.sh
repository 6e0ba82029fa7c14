#!/usr/bin/env bash
# Builds the MQI library's tree into a folder: client.sh [FOLDER], target/quaymaster-client when none is named.
# inc, lib64 with the names that programs and bindings look for, cobcpy64, cobcpy32, samp, bin. It may be linked to /opt/mqm.
# QUAYMASTER_CLIENT_TARGET names a target of Rust for other machines, such as x86_64-unknown-linux-musl. CC is its compiler of C,
# musl-gcc for musl when that is not named. The tree is target/quaymaster-client-TARGET then.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$repository/target}
wanted=${QUAYMASTER_CLIENT_TARGET:-}
folder=${1:-$target/quaymaster-client${wanted:+-$wanted}}
profile=${QUAYMASTER_CLIENT_PROFILE:-client}
compiler=${CC:-cc}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$repository"
. scripts/paths.sh
flags= defines=
options=(--locked --profile "$profile")
built=$target/$wanted/$profile
[ "$profile" = dev ] && built=$target/$wanted/debug
if [ -n "$wanted" ]; then
    options+=(--target "$wanted")
    . scripts/client-target.sh
fi
without_paths "$wanted" "$flags" "$defines" "${CARGO:-cargo}" build "${options[@]}" --package mqi-c --package mqi-cobol
rm -rf "$folder"/{inc,lib64,cobcpy64,cobcpy32,samp,bin}
mkdir -p "$folder"/{lib64/pkgconfig,samp,bin}
# inc, cobcpy64, cobcpy32: headers and copybooks are made of the table.
${CARGO:-cargo} xtask client "$folder"
install -m 755 "$built/libmqm_r.so" "$folder/lib64/"
# One library: nothing in it differs between the names.
for name in mqm mqic mqic_r; do
    ln -sf libmqm_r.so "$folder/lib64/lib$name.so"
done
# The XA switches: an `int` where C has `long` for transaction managers of that kind, and `long`.
for switch in mqcxa:int mqcxa64:long; do
    name=${switch%%:*}
    "$compiler" -shared -fPIC -O2 -Wall -Wextra -DXA_LONG="${switch##*:}" crates/mqi-c/tree/xa_switch.c -L"$folder/lib64" -lmqm_r \
        -Wl,-soname,"lib${name}_r.so" -Wl,-rpath,'$ORIGIN' -o "$folder/lib64/lib${name}_r.so"
    ln -sf "lib${name}_r.so" "$folder/lib64/lib$name.so"
done
# The library of COBOL programs: it calls the one above.
install -m 755 "$built/libmqicb_r.so" "$folder/lib64/"
for name in mqicb mqmcb mqmcb_r; do
    ln -sf libmqicb_r.so "$folder/lib64/lib$name.so"
done
for name in mqm mqic; do
    sed "s/@NAME@/$name/" crates/mqi-c/tree/mqi.pc > "$folder/lib64/pkgconfig/$name.pc"
done
install -m 644 crates/mqi-c/tree/mqicb.pc "$folder/lib64/pkgconfig/"
install -m 644 crates/mqi-c/samples/*.[ch] examples/mqi-cobol/*.c[bp]* "$folder/samp/"
install -m 644 LICENSE "$folder/"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
sed "s/@VERSION@/$version/" crates/mqi-c/tree/dspmqver > "$folder/bin/dspmqver"
install -m 755 crates/mqi-c/tree/setmqenv "$folder/bin/"
chmod 755 "$folder/bin/dspmqver"
for sample in amqsput amqsget amqsbcg mqrc; do
    "$compiler" -O2 -Wall -Wextra -Wno-unused-function -I"$folder/inc" "crates/mqi-c/samples/$sample.c" -L"$folder/lib64" -lmqm_r \
        -Wl,-rpath,'$ORIGIN/../lib64' -o "$folder/bin/$sample"
done
# The names of samples that are linked with a client: they are the same here.
for sample in amqsput amqsget amqsbcg; do
    ln -sf "$sample" "$folder/bin/${sample}c"
done
# Where scripts of other installations look.
for width in 32 64; do
    ln -sfn "../cobcpy$width" "$folder/inc/cobcpy$width"
done
ln -sfn ../bin "$folder/samp/bin"
ls "$folder" "$folder/lib64" "$folder/bin"
