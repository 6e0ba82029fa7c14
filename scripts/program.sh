#!/usr/bin/env bash
# Builds the program as it is handed out, for a target of Rust, and prints where it is: program.sh TARGET. The same sources and tools make
# the same bytes in any folder.
#   x86_64-unknown-linux-gnu    loads the C library of the system
#   x86_64-unknown-linux-musl   static: runs on any Linux, with Debian's musl-tools
#   aarch64-unknown-linux-gnu   for another processor, with Debian's gcc-aarch64-linux-gnu
set -euo pipefail
wanted=$1
repository=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$repository/target}
# The static program is built for size. The other one is built for speed until `small` has been measured to be no slower for requests over HTTP.
case $wanted in *-musl*) usual=small ;; *) usual=release ;; esac
profile=${QUAYMASTER_PROFILE:-$usual}
cd "$repository"
. scripts/paths.sh
lower=${wanted//[-.]/_}
upper=$(echo "$lower" | tr '[:lower:]' '[:upper:]')
machine=${wanted%%-*}
sysroot=$(rustc --print sysroot)
host=$(rustc -vV | sed -n 's/^host: //p')
[ -d "$sysroot/lib/rustlib/$wanted/lib" ] || rustup target add "$wanted" >&2

# Frame pointers make the tables for unwinding a quarter smaller.
case $profile in small) flags="-C force-frame-pointers=yes" ;; *) flags= ;; esac
# AWS-LC's AES-GCM for AVX-512 is 0.7 MB, for old CipherSpecs alone: rustls has ring's.
defines="-DMY_ASSEMBLER_IS_TOO_OLD_FOR_512AVX"
# Rust brings the linker along. Functions with the same code are one.
link=(-C link-arg=-fuse-ld=lld -C "link-arg=-B$sysroot/lib/rustlib/$host/bin/gcc-ld" -C link-arg=-Wl,--icf=all)
case $wanted in
    *-musl*)
        # C libraries before glibc 2.36 do not know this form; the static program brings its own.
        link+=(-C link-arg=-Wl,-z,pack-relative-relocs)
        case $(cc -dumpmachine) in
            *musl*) ;;
            *)
                . scripts/musl-headers.sh
                headers_of_the_kernel "$target/$wanted/around/include"
                export "CC_$lower=musl-gcc"
                defines="-idirafter $target/$wanted/around/include $defines"
                ;;
        esac
        ;;
    *)
        if [ "$machine" != "$(uname -m)" ]; then
            export "CARGO_TARGET_${upper}_LINKER=$machine-linux-gnu-gcc"
        fi
        ;;
esac
without_paths "$wanted" "$flags" "$defines" \
    "${CARGO:-cargo}" rustc --locked --profile "$profile" --package server --bin quaymaster --target "$wanted" -- "${link[@]}" >&2
[ "$profile" != dev ] || profile=debug
echo "$target/$wanted/$profile/quaymaster"
