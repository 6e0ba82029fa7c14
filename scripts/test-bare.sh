#!/usr/bin/env bash
# Proves the README's first commands on a bare Debian 12: test-bare.sh [full|tutorials]
#
# Makes a Debian 12 with debootstrap (minbase, no recommended package), clones the commit of this work tree into it, and
# runs there what the README names: its line that installs make and git, `make run`, a put and a get, then `make client` and the
# programs of docs/mqi-library.md as pasted, the tutorials of the book with the time that each takes, and what `make test` installs. `full`
# goes on with `make test`, twice. Uncommitted edits do not take part.
#
# `tutorials` does the tutorials alone, with the program and the wheel that this work tree has built.
#
# Needs root; `bare-root.sh` makes the root. Where Rust's installer cannot be reached, this machine's toolchain is copied into the root, and a line says so.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
base=${QUAYMASTER_BARE_FOLDER:-${CARGO_TARGET_DIR:-$repository/target}/bare}
root=$base/root
say() { echo "test-bare: $*" >&2; }
fail() { say "FAILED: $*"; exit 1; }
. "$repository/scripts/bare-root.sh"

[ "$(id -u)" -eq 0 ] || fail "needs root, to make a root folder of its own; run: sudo make test-bare"

# The second half runs in namespaces of its own: its mounts and processes end with it.
if [ "${1:-}" != inside ]; then
    mkdir -p "$base"
    say "making a bare Debian 12 in $root (half a minute)"
    make_bare_root "$root" "$base/debootstrap.log"
    git clone --quiet --no-hardlinks "file://$repository" "$root/srv/quaymaster"
    if [ "${1:-}" = tutorials ]; then
        built=${CARGO_TARGET_DIR:-$repository/target}
        install -D "$built/release/quaymaster" "$root/srv/quaymaster/target/release/quaymaster"
        install -D -t "$root/srv/quaymaster/target/dist" "$built"/dist/quaymaster-*_"$(uname -m)".whl
    elif ! curl --proto '=https' --tlsv1.2 -sSf -m 20 -o /dev/null https://sh.rustup.rs 2>/dev/null; then
        say "https://sh.rustup.rs cannot be reached: copying this machine's Rust instead of testing its installer"
        cp -a "$(cd "$repository" && rustc --print sysroot)" "$root/opt/rust"
        for program in cargo rustc rustdoc cargo-clippy clippy-driver cargo-fmt rustfmt; do
            [ ! -e "$root/opt/rust/bin/$program" ] || ln -s "/opt/rust/bin/$program" "$root/usr/local/bin/$program"
        done
    fi
    exec unshare --mount --pid --fork --kill-child --mount-proc "$0" inside "$@"
fi
shift

mount_bare_root "$root"
clean() {
    local left
    left=$(bare 'git status --porcelain --untracked-files=all')
    [ -z "$left" ] || fail "$1 left files that git does not know: $left"
}
quiet_services() {
    local running
    running=$(ps -e -o comm= | grep -E '^(slapd|nginx|postgres|beam|epmd)' || true)
    [ -z "$running" ] || fail "$1 left services running: $running"
}

# What the script has started, without its children; each ends with it.
serve() {
    bare "exec $1" > "$base/run.out" 2> "$base/run.log" &
    for ((waited = 0; waited < 3600; waited++)); do
        grep -q "$2" "$base/run.out" && return
        kill -0 $! 2>/dev/null || fail "$1 ended before the server was ready; see $base/run.log"
        sleep 1
    done
    fail "$1 is not ready within an hour; see $base/run.log"
}
# A tutorial takes the minutes that its page promises.
tutorial() {
    bare "scripts/tutorial.sh docs/$1" || fail "docs/$1 does not keep its promise"
    bare 'rm -rf hello-jms loan orders tests-env received'
}
tutorials_of_a_server() {
    for page in first-http-queue first-service first-jms-program; do tutorial "$page.md"; done
}
tutorial_of_a_group() {
    serve "$1" 'The group QSG1 is ready'
    tutorial first-group.md
    kill "$(pgrep -f '^bash (/srv/quaymaster/)?scripts/run-group.sh$')" # of this namespace: no other is seen here
    wait $! || fail "$1 ended with $?; see $base/run.log"
    bare 'rm -rf quaymaster-group'
}

if [ "${1:-}" = tutorials ]; then
    bare 'apt-get update' > "$base/first.log" 2>&1 || fail "apt-get update ended with $?; see $base/first.log"
    serve 'target/release/quaymaster serve' '"event":"ready"'
    tutorials_of_a_server
    kill "$(pgrep -x quaymaster)"
    wait $! || fail "the server ended with $?; see $base/run.log"
    tutorial first-tests.md
    bare 'DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends postgresql python3' > "$base/first.log" 2>&1 \
        || fail "PostgreSQL cannot be installed; see $base/first.log"
    tutorial_of_a_group scripts/run-group.sh
    say "the tutorials take the minutes that they promise"
    exit
fi

install=$(sed -n 's/^\(apt-get .*install.*make.*\)$/\1/p' "$repository/README.md" | head -n 1)
[ -n "$install" ] || fail "README.md has no line that installs make and git with apt-get"
say "$install"
bare "export DEBIAN_FRONTEND=noninteractive; $install" > "$base/first.log" 2>&1 \
    || fail "the README's first line ended with $?; see $base/first.log"

say "make run (builds the release; minutes); its output: $base/run.log"
started=$SECONDS
serve 'make run' '"event":"ready"'
disk=$(du -smx "$root" | cut -f 1)
say "ready after $((SECONDS - started)) s; Debian, Rust, crates and build take $disk MiB"

# The README's lines for REST, up to its get.
bare 'ca=quaymaster-data/tls/ca.crt; queue=https://localhost:9443/ibmmq/rest/v3/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message
    password=$(sed -n "s/^app //p" quaymaster-data/initial-passwords)
    curl -sSf --cacert $ca -u "app:$password" $queue -H "ibm-mq-rest-csrf-token: any" -H "Content-Type: text/plain;charset=utf-8" --data bare
    [ "$(curl -sSf --cacert $ca -u "app:$password" -X DELETE $queue -H "ibm-mq-rest-csrf-token: any")" = bare ]' \
    || fail "a message was not put and got"

# The sections of the page that show programs, with what the page says each needs of Debian.
page=$(sed -n '/^## Start$/,/^## COBOL with GnuCOBOL$/p' "$repository/docs/mqi-library.md")
packages=$(grep -o '(Debian: [^)]*)' <<< "$page" | grep -o '`[^`]*`' | tr -d '`' | sort -u | tr '\n' ' ')
say "make client, then docs/mqi-library.md as pasted, with $packages; its output: $base/mqi.log"
bare 'make client' > "$base/mqi.log" 2>&1 || fail "make client ended with $?; see $base/mqi.log"
bare "export DEBIAN_FRONTEND=noninteractive; apt-get install --yes $packages" >> "$base/mqi.log" 2>&1 \
    || fail "the packages that docs/mqi-library.md names cannot be installed; see $base/mqi.log"
printed=$(bare "trap 'kill \$(jobs -p) 2>/dev/null || true; wait' EXIT
$(sed -n '/^```sh$/,/^```$/p' <<< "$page" | grep -v '^```')" 2>> "$base/mqi.log") \
    || fail "a command of docs/mqi-library.md ended with $?; see $base/mqi.log"
shown=$(sed -n 's/^# -> //p' <<< "$page")
[ -n "$shown" ] || fail "docs/mqi-library.md shows no answers"
while IFS= read -r answer; do
    grep -qF -- "$answer" <<< "$printed" || fail "docs/mqi-library.md shows '$answer', which is not in: $printed"
done <<< "$shown"
say "programs in C, Python, Go, Node and COBOL printed what the page shows"
tutorials_of_a_server
kill "$(pgrep -x quaymaster)" # of this namespace: no other is seen here
wait $! || fail "make run ended with $? when the server was stopped; see $base/run.log"
clean "make run"

say "make run-group, the wheel, and their tutorials"
tutorial_of_a_group 'make run-group'
bare 'cargo --config xtask/packing.toml xtask packages' > "$base/packages.log" 2>&1 || fail "no packages; see $base/packages.log"
tutorial first-tests.md
clean "the tutorials"

say "installing what make test needs; its output: $base/install.log"
bare 'scripts/install.sh build test' > "$base/install.log" 2>&1 || fail "scripts/install.sh ended with $?; see $base/install.log"
quiet_services "scripts/install.sh"
bare '[ ! -e /usr/sbin/policy-rc.d ] && [ -x /bin/kill ] && [ -z "$(ls /etc/rc?.d/S*slapd 2>/dev/null)" ]' \
    || fail "the installation left policy-rc.d or a service that starts with the machine, or /bin/kill is missing"
bare 'scripts/install.sh build test' 2>&1 | grep . && fail "a second installation had something to do"
clean "scripts/install.sh"

if [ "${1:-}" = full ]; then
    for round in 1 2; do
        say "make test, round $round of 2; its output: $base/test-$round.log"
        bare 'make test' > "$base/test-$round.log" 2>&1 || fail "make test ended with $?; see $base/test-$round.log"
        quiet_services "make test"
        say "round $round passed; Debian, Rust, crates, packages and builds take $(du -smx "$root" | cut -f 1) MiB"
        clean "make test"
    done
fi
say "passed"
