#!/usr/bin/env bash
# Installs what a bare Debian machine lacks: install.sh [build] [group] [test] [full] [bench] [lint] [console] [dist] [musl] [arm] [bare].
# Works as root or with sudo. Where nothing is missing it changes nothing and needs no network.
# Tests start their own slapd, nginx, PostgreSQL, etcd and RabbitMQ: the services of these packages are not started,
# neither now nor when the machine starts.
set -euo pipefail

wanted=("${@:-build}")
repository=$(cd "$(dirname "$0")/.." && pwd)
minimum=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$repository/Cargo.toml")

say() { echo "install: $*" >&2; }

# Lets rustup, freshly installed or not on the path, be found.
export PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"

# package:what shows that it is there (a program, a file, or @ and a module of Debian's Python).
packages_of() {
    case $1 in
        build) echo gcc:cc libc6-dev:/usr/include/stdlib.h make:make curl:curl ca-certificates:/etc/ssl/certs/ca-certificates.crt ;;
        test)
            echo g++:g++ procps:ps git:git gnucobol3:cobc curl:curl openssl:openssl python3:/usr/bin/python3 slapd:slapd ldap-utils:ldapadd
            echo valgrind:valgrind pkg-config:pkg-config python3-venv:@ensurepip python3-dev:/usr/bin/python3-config etcd-server:etcd faketime:faketime rpm:rpm prometheus:promtool
            echo nodejs:node npm:npm chromium:chromium golang-go:go openjdk-17-jdk-headless:javac junit5:/usr/share/java/junit-jupiter-api.jar maven:mvn postgresql:/usr/lib/postgresql
            ;;
        group) echo postgresql:/usr/lib/postgresql python3:python3 ;;
        full) echo unzip:unzip ;;
        lint) echo g++:c++ ;; # libfuzzer, for fuzz/
        console) echo nodejs:node npm:npm ;;
        bare) echo debootstrap:debootstrap git:git curl:curl procps:ps ;;
        dist) echo binutils:strip openjdk-17-jdk-headless:javac junit5:/usr/share/java/junit-jupiter-api.jar ;;
        # On a system of musl the compiler is there.
        musl) case $(cc -dumpmachine 2>/dev/null) in *musl*) ;; *) echo musl-tools:musl-gcc ;; esac ;;
        arm) echo gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc libc6-dev-arm64-cross:/usr/aarch64-linux-gnu/include/stdlib.h ;;
        bench)
            echo gnucobol3:cobc nginx-light:nginx postgresql:/usr/lib/postgresql openssl:openssl curl:curl unzip:unzip
            echo wrk:wrk rabbitmq-server:/usr/lib/rabbitmq openjdk-17-jdk-headless:javac maven:mvn golang-go:go
            echo nodejs:node npm:npm chromium:chromium
            ;;
        *) say "unknown part '$1'; expected build, group, test, full, bench, lint, console, dist, musl, arm or bare"; exit 2 ;;
    esac
}

is_there() {
    case $1 in
        /*) [ -e "$1" ] ;;
        @*) /usr/bin/python3 -c "import ${1#@}" 2>/dev/null ;;
        *) command -v "$1" >/dev/null || [ -x "/usr/sbin/$1" ] ;;
    esac
}

policy=/usr/sbin/policy-rc.d
kept_policy=/usr/sbin/policy-rc.d.before-quaymaster
services="slapd nginx postgresql rabbitmq-server epmd etcd prometheus prometheus-node-exporter"

# Packages ask the file policy-rc.d before they start a service. While packages are installed, ours refuses the services
# named above and passes every other question to the file that was there.
refuse_services() {
    if [ -e "$policy" ] && ! grep -q 'written by install.sh of Quaymaster' "$policy"; then
        "${root[@]}" mv "$policy" "$kept_policy"
    fi
    trap allow_services EXIT
    "${root[@]}" tee "$policy" >/dev/null <<POLICY
#!/bin/sh
# written by install.sh of Quaymaster, for the time of one apt-get install
for argument do
    case " $services " in *" \${argument%%@*} "*) exit 101 ;; esac
done
[ ! -x $kept_policy ] || exec $kept_policy "\$@"
exit 0
POLICY
    "${root[@]}" chmod 755 "$policy"
}

allow_services() {
    "${root[@]}" rm -f "$policy"
    [ ! -e "$kept_policy" ] || "${root[@]}" mv "$kept_policy" "$policy"
    trap - EXIT
}

install_packages() {
    local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get) before=() service
    for service in $services; do
        [ ! -e "/etc/init.d/$service" ] || before+=("$service")
    done
    refuse_services
    "${apt[@]}" update -qq || say "apt-get update failed; trying with the package lists of this machine"
    "${apt[@]}" install -y -q --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" >&2
    for service in $services; do
        [ -e "/etc/init.d/$service" ] || continue
        case " ${before[*]} " in *" $service "*) ;; *) "${root[@]}" /usr/sbin/update-rc.d "$service" disable >&2 ;; esac
    done
    allow_services
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
    say "installing Debian packages: ${missing[*]}"
    install_packages
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
