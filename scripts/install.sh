#!/usr/bin/env bash
# Installs what a bare Debian machine lacks: install.sh [build] [test] [full] [bench] [lint] [dist].
# Works as root or with sudo. Where nothing is missing it changes nothing and needs no network.
set -euo pipefail

wanted=("${@:-build}")
repository=$(cd "$(dirname "$0")/.." && pwd)
minimum=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$repository/Cargo.toml")

say() { echo "install: $*" >&2; }

# Lets rustup, freshly installed or not on the path, be found.
export PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"

# package:what shows that it is there (a program, a file, or @ and a module of Python).
packages_of() {
    case $1 in
        build) echo gcc:cc libc6-dev:/usr/include/stdlib.h make:make curl:curl ca-certificates:/etc/ssl/certs/ca-certificates.crt ;;
        test)
            echo gnucobol3:cobc curl:curl openssl:openssl python3:python3 slapd:slapd ldap-utils:ldapadd python3-venv:@ensurepip
            echo nodejs:node golang-go:go openjdk-17-jdk-headless:javac maven:mvn
            ;;
        full) echo unzip:unzip ;;
        lint) ;;
        dist) echo zip:zip ;;
        bench)
            echo gnucobol3:cobc nginx-light:nginx postgresql:/usr/lib/postgresql openssl:openssl curl:curl unzip:unzip
            echo wrk:wrk rabbitmq-server:/usr/lib/rabbitmq openjdk-17-jdk-headless:javac maven:mvn
            ;;
        *) say "what is '$1'? expected build, test, full, bench, lint or dist"; exit 2 ;;
    esac
}

is_there() {
    case $1 in
        /*) [ -e "$1" ] ;;
        @*) python3 -c "import ${1#@}" 2>/dev/null ;;
        *) command -v "$1" >/dev/null || [ -x "/usr/sbin/$1" ] ;;
    esac
}

missing=()
for what in "${wanted[@]}"; do
    list=$(packages_of "$what")
    for entry in $list; do
        is_there "${entry#*:}" || missing+=("${entry%%:*}")
    done
done

if [ ${#missing[@]} -gt 0 ]; then
    root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { say "needs root or sudo to install: ${missing[*]}"; exit 1; }
        root=(sudo)
    fi
    command -v apt-get >/dev/null || { say "no apt-get here; install these yourself: ${missing[*]}"; exit 1; }
    say "installing ${missing[*]}"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq || say "apt-get update failed; trying with the lists there are"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi

# Is this rustc at least the one Cargo.toml asks for?
rust_is_new_enough() {
    local version
    version=$(cd "$repository" && rustc --version 2>/dev/null | sed 's/rustc \([0-9.]*\).*/\1/') || return 1
    [ -n "$version" ] && [ "$(printf '%s\n%s\n' "$minimum" "$version" | sort -V | head -n 1)" = "$minimum" ]
}

# clippy and rustfmt, which the minimal profile leaves out.
install_lints() {
    case " ${wanted[*]} " in *" lint "*) ;; *) return 0 ;; esac
    (cd "$repository" && cargo clippy --version && cargo fmt --version) >/dev/null 2>&1 && return 0
    command -v rustup >/dev/null || { say "clippy and rustfmt are missing, and there is no rustup to add them"; exit 1; }
    (cd "$repository" && rustup component add clippy rustfmt) >&2
}

if command -v cargo >/dev/null && rust_is_new_enough; then
    install_lints
    exit 0
fi
if command -v rustup >/dev/null; then
    say "updating the stable toolchain: Rust $minimum or newer is needed"
    rustup toolchain install stable --profile minimal >&2
else
    say "installing Rust with its usual installer, https://sh.rustup.rs"
    installer=$(mktemp)
    trap 'rm -f "$installer"' EXIT
    if ! curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs -o "$installer"; then
        say "https://sh.rustup.rs cannot be reached; install Rust $minimum or newer yourself, then try again"
        exit 1
    fi
    sh "$installer" -y --no-modify-path --profile minimal --default-toolchain stable >&2
fi
rust_is_new_enough || { say "Rust $minimum or newer is needed, found: $(rustc --version 2>&1 || true)"; exit 1; }
install_lints
