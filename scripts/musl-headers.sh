# Read by scripts that compile C with musl-gcc: headers_of_the_kernel FOLDER makes links to them in FOLDER. musl-gcc leaves them out
# together with those of the other C library.
headers_of_the_kernel() {
    local headers
    mkdir -p "$1"
    for headers in /usr/include/linux /usr/include/asm-generic "/usr/include/$(cc -dumpmachine)/asm"; do
        ln -sfn "$headers" "$1/"
    done
}
