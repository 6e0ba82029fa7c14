#!/usr/bin/env bash
# Proves the packages on a bare Debian 12: test-packages.sh [FOLDER]
#
# FOLDER has what `make dist` writes; target/dist by default. Debian 12 is made with debootstrap (minbase). There the package of Debian
# is installed first, with nothing else. Then systemd, man, bash-completion, rpm, pip and npm are added, and each package lives its
# life: installed, run as its user, upgraded, removed, purged. Nothing but its data may be left. Last, pip and npx serve without a network.
#
# Needs root.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
base=${QUAYMASTER_BARE_FOLDER:-${CARGO_TARGET_DIR:-$repository/target}/bare}
root=$base/packages-root
say() { echo "test-packages: $*" >&2; }
fail() { say "FAILED: $*"; exit 1; }
. "$repository/scripts/bare-root.sh"

[ "$(id -u)" -eq 0 ] || fail "needs root, to make a root folder of its own; run: sudo make test-packages"

# The second half runs in namespaces of its own: its mounts and processes end with it.
if [ "${1:-}" != inside ]; then
    dist=${1:-${CARGO_TARGET_DIR:-$repository/target}/dist}
    ls "$dist"/quaymaster_*.deb > /dev/null 2>&1 || fail "no packages in $dist: run make dist"
    mkdir -p "$base"
    say "making a bare Debian 12 in $root (half a minute)"
    make_bare_root "$root" "$base/debootstrap.log"
    mkdir "$root/packages"
    cp "$dist"/quaymaster[_-]*.deb "$dist"/quaymaster-*.rpm "$dist"/*.whl "$dist"/quaymaster-*-linux-*.tgz "$root/packages"
    exec unshare --mount --pid --fork --kill-child --mount-proc "$0" inside
fi

mount_bare_root "$root"

say "the package of Debian alone"
bare 'dpkg --install /packages/quaymaster_*.deb < /dev/null
    quaymaster --version
    getent passwd quaymaster > /dev/null
    dpkg --purge quaymaster
    ! getent passwd quaymaster && ! getent group quaymaster' > "$base/alone.log" 2>&1 || fail "see $base/alone.log"

tools="systemd man-db bash-completion rpm python3-venv nodejs npm"
say "adding $tools; its output: $base/tools.log"
bare "export DEBIAN_FRONTEND=noninteractive; apt-get update && apt-get install --yes --no-install-recommends $tools
    # Debian's small systems have no manual pages; apt leaves them out there.
    rm -f /etc/dpkg/dpkg.cfg.d/*excludes" > "$base/tools.log" 2>&1 || fail "see $base/tools.log"

# `add`, `upgrade`, `remove` and `purge` are the functions of one kind of package.
life=$(cat "$repository/tests/packages/service.sh")'
files() {
    find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /run -o -path /var/cache -o -path /var/log -o -path /var/lib/dpkg \
        -o -path /var/lib/rpm -o -path /root \) -prune -o -print | sort
    cat /etc/passwd /etc/group /etc/shadow /etc/gshadow
}

# Databases of packages that an update of them makes.
add; purge
files > /tmp/before
add
dspmqver > /dev/null
MANPAGER=cat man quaymaster-serve | grep -q ephemeral
bash -c "source /usr/share/bash-completion/bash_completion; source /usr/share/bash-completion/completions/quaymaster; complete -p quaymaster runmqsc"
exposure=$(systemd-analyze security --offline=true --no-pager quaymaster.service | sed -n "s/.*exposure level for quaymaster.service: \([0-9.]*\).*/\1/p")
echo "exposure $exposure"
awk -v exposure="$exposure" "BEGIN { exit !(exposure > 0 && exposure < 2.0) }"
systemd-analyze verify quaymaster.service
systemctl enable quaymaster.service
run_as_service
as_service quaymaster put --data /var/lib/quaymaster DEV.QUEUE.1 "kept over an upgrade" --persistent
stop
echo MQ_DEV=true >> /etc/default/quaymaster
upgrade
grep -q "^MQ_DEV=true" /etc/default/quaymaster
run_as_service
as_service quaymaster get --data /var/lib/quaymaster DEV.QUEUE.1 | grep -q "kept over an upgrade"
stop
remove
test -d /var/lib/quaymaster/qmgrs/QM1 && getent passwd quaymaster > /dev/null
test ! -L /etc/systemd/system/multi-user.target.wants/quaymaster.service
add
purge
test -d /var/lib/quaymaster/qmgrs/QM1
add
rm -rf /var/lib/quaymaster
purge
files > /tmp/after
diff /tmp/before /tmp/after
'
say "the life of the package of Debian; its output: $base/deb.log"
bare "add() { dpkg --install /packages/quaymaster_*.deb < /dev/null; }
    upgrade() { add; }
    remove() { dpkg --remove quaymaster; }
    purge() { dpkg --purge quaymaster; }
    $life" > "$base/deb.log" 2>&1 || fail "see $base/deb.log"
say "$(grep ^exposure "$base/deb.log") of 10, below 2.0"

say "the life of the package of rpm; its output: $base/rpm.log"
# Debian's rpm knows nothing of the packages of Debian, which have what this one requires.
bare "add() { rpm --install --nodeps /packages/quaymaster-*.rpm && rpm --verify --nodeps quaymaster; }
    upgrade() { rpm --upgrade --nodeps --force /packages/quaymaster-*.rpm; }
    remove() { rpm --erase quaymaster; rm -f /etc/default/quaymaster.rpmsave; }
    purge() { rpm --erase quaymaster; }
    $life" > "$base/rpm.log" 2>&1 || fail "see $base/rpm.log"

# A message by $quaymaster, in a network of its own without a way out.
first_message='
    ready=$(mktemp)
    setsid $quaymaster serve --ephemeral --https 127.0.0.1:0 --http off --mq off --metrics off > $ready 2> $ready.log &
    for _ in $(seq 600); do
        if grep -q "\"event\":\"ready\"" $ready; then break; fi
        sleep 0.1
    done
    data=$(sed "s/.*\"dataDirectory\":\"\([^\"]*\)\".*/\1/" $ready)
    $quaymaster put --data $data DEV.QUEUE.1 first
    test "$($quaymaster get --data $data DEV.QUEUE.1)" = first
    # All of them, as a terminal does: npx starts the server by a shell.
    kill -- -$!
    wait $! || test $? = 143
    for _ in $(seq 300); do
        if ! test -e $data; then break; fi
        sleep 0.1
    done
    test ! -e $data'
say "pip install and npx, without a network"
unshare --net chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -euc "
    # A new network has its loopback down.
    python3 -c 'import fcntl, socket, struct
fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8914, struct.pack(\"16sh14x\", b\"lo\", 1))'
    python3 -m venv /tmp/python
    /tmp/python/bin/pip install --quiet --no-index /packages/*.whl
    quaymaster=/tmp/python/bin/quaymaster
    $first_message
    mkdir /tmp/node; cd /tmp/node
    npm install --offline --no-audit --no-fund /packages/quaymaster-*-linux-*.tgz
    quaymaster='npx --offline quaymaster'
    $first_message" > "$base/languages.log" 2>&1 || fail "see $base/languages.log"
say "passed"
