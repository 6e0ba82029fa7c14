# Read by client.sh: what cargo and the compiler of C need for the target $wanted. Programs of the build itself are compiled as always.
if [ -n "${CC:-}" ]; then unset CC; else compiler=; fi
lower=${wanted//[-.]/_}
upper=$(echo "$lower" | tr '[:lower:]' '[:upper:]')
libraries=$(rustc --print target-libdir --target "$wanted")
[ -d "$libraries" ] || rustup target add "$wanted" >&2

case $wanted in
    *-musl*)
        # A library that programs load: the C library of the program is its own.
        flags="-C target-feature=-crt-static"
        case $("${compiler:-cc}" -dumpmachine) in
            *musl*) ;;
            *)
                # From a machine with another C library.
                compiler=${compiler:-musl-gcc}
                command -v "$compiler" > /dev/null || { echo "client: $compiler is not installed (Debian: musl-tools)" >&2; exit 1; }
                place=$target/$wanted/around
                . scripts/musl-headers.sh
                headers_of_the_kernel "$place/include"
                # Rust asks for the libgcc_s of the target, and there is none: its own unwinder is linked in.
                echo "INPUT($libraries/self-contained/libunwind.a)" > "$place/libgcc_s.so"
                flags="$flags -L native=$place"
                defines="-idirafter $place/include"
                ;;
        esac
        ;;
esac
if [ -n "$compiler" ]; then
    export "CC_$lower=$compiler" "CARGO_TARGET_${upper}_LINKER=$compiler"
else
    compiler=cc
fi
