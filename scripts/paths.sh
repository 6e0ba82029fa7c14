# Read by scripts that compile what is handed out: neither the folder of the repository nor that of cargo is in it, so that the same
# sources and tools make the same bytes anywhere. For rustc and for compilers of C.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
flags_of_paths="--remap-path-prefix=$repository=/quaymaster --remap-path-prefix=$target=/target --remap-path-prefix=$cargo_home=/cargo"
defines_of_paths="-ffile-prefix-map=$cargo_home=/cargo -ffile-prefix-map=$target=/target"

# Compilers of C would put the time at which they run into what they compile (__DATE__, __TIME__); that of mimalloc was in the server.
# A command of cargo for a target of Rust, this machine's when it is empty, with further flags of rustc and of the C compiler for it.
without_paths() {
    local wanted=${1:-$(rustc -vV | sed -n 's/^host: //p')} flags=$2 defines=$3
    shift 3
    local lower=${wanted//[-.]/_}
    env "CARGO_TARGET_$(echo "$lower" | tr '[:lower:]' '[:upper:]')_RUSTFLAGS=$flags_of_paths $flags" \
        "CFLAGS_$lower=$defines $defines_of_paths" SOURCE_DATE_EPOCH=0 "$@"
}
