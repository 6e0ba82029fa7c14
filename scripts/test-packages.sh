#!/usr/bin/env bash
# Proves the packages on a bare Debian 12: test-packages.sh [FOLDER]
#
# FOLDER has what `make dist` writes; target/dist by default. Debian 12 is made with debootstrap (minbase). There the package of Debian
# is installed first, with nothing else, and both archives are unpacked there. Then systemd, man, bash-completion, rpm, pip, npm and JUnit
# are added, and each package lives its life: installed, run as its user, upgraded, removed, purged. Nothing but its data may be left. Those
# of pip, npm and Java do so without a network. Packages of other machines are left out.
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
    own=$(uname -m)
    case $own in x86_64) cpu=x64 ;; *) cpu=arm64 ;; esac
    packages=("$dist"/quaymaster_*_"$(dpkg --print-architecture)".deb "$dist"/quaymaster-*."$own".rpm "$dist"/*_"$own".whl
        "$dist"/quaymaster-*-linux-"$cpu".tgz "$dist"/quaymaster-[0-9]*-linux-"$own"{,-static}.tar.gz "$dist"/quaymaster-junit-*-linux-"$own".jar)
    ls "${packages[@]}" > /dev/null || fail "no packages in $dist: run make dist"
    mkdir -p "$base"
    say "making a bare Debian 12 in $root (half a minute)"
    make_bare_root "$root" "$base/debootstrap.log"
    mkdir "$root/packages"
    cp "${packages[@]}" "$root/packages"
    exec unshare --mount --pid --fork --kill-child --mount-proc "$0" inside
fi

mount_bare_root "$root"

say "the package of Debian alone"
bare 'dpkg --install /packages/quaymaster_*.deb < /dev/null
    quaymaster --version
    getent passwd quaymaster > /dev/null
    dpkg --purge quaymaster
    ! getent passwd quaymaster && ! getent group quaymaster' > "$base/alone.log" 2>&1 || fail "see $base/alone.log"

# The life of a package that a user has: the message stays in a folder of its own. `add`, `upgrade` and `remove` are functions, and
# $quaymaster is the command.
life_of_a_user=$(cat "$repository/tests/packages/user.sh")

say "both archives alone; their output: $base/archives.log"
bare "tar() { command tar --extract --gzip --no-same-owner --file \"\$1\" --directory /opt; }
    command -v gzip > /dev/null
    quaymaster=/opt/\$(basename /packages/quaymaster-*-static.tar.gz | sed 's/-linux-.*//')/bin/quaymaster
    remove() { rm -r /opt/quaymaster-*; }
    for archive in /packages/quaymaster-*.tar.gz; do
        add() { tar \$archive; }
        upgrade() { add; }
        $life_of_a_user
    done" > "$base/archives.log" 2>&1 || fail "see $base/archives.log"

tools="systemd man-db bash-completion rpm python3-venv nodejs npm openjdk-17-jdk-headless junit5"
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

say "pip, npm and JUnit without a network; their output: $base/languages.log"
unshare --net chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -euc "
    # A new network has its loopback down.
    python3 -c 'import fcntl, socket, struct
fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8914, struct.pack(\"16sh14x\", b\"lo\", 1))'

    python3 -m venv /tmp/python
    quaymaster=/tmp/python/bin/quaymaster
    add() { /tmp/python/bin/pip install --quiet --no-index /packages/*.whl; }
    upgrade() { /tmp/python/bin/pip install --quiet --no-index --force-reinstall /packages/*.whl; }
    remove() { /tmp/python/bin/pip uninstall --quiet --yes quaymaster; }
    $life_of_a_user

    mkdir /tmp/node; cd /tmp/node
    quaymaster='npx --offline quaymaster'
    add() { npm install --offline --no-audit --no-fund /packages/quaymaster-*.tgz; }
    upgrade() { npm install --offline --no-audit --no-fund --force /packages/quaymaster-*.tgz; }
    remove() { npm uninstall --offline quaymaster; ! grep quaymaster package.json package-lock.json; }
    $life_of_a_user

    mkdir /tmp/java; cd /tmp/java
    cat > FirstTest.java <<'JAVA'
$(cat "$repository/tests/packages/FirstTest.java")
JAVA
    classes=/tmp/java/quaymaster.jar:/usr/share/java/junit-platform-console-standalone.jar
    touch /before; sleep 0.01
    for _ in added upgraded; do
        cp /packages/quaymaster-junit-*.jar /tmp/java/quaymaster.jar
        javac -cp \$classes FirstTest.java
        java -cp \$classes:. org.junit.platform.console.ConsoleLauncher --select-class FirstTest
    done
    # The program is unpacked into the user's cache.
    rm -r /tmp/java \$HOME/.cache/quaymaster
    cd /
    left=\$(find / -xdev \( -path /proc -o -path /packages \) -prune -o -name '*quaymaster*' -newer /before -print)
    test -z \"\$left\" || { echo \"left: \$left\"; exit 1; }
    " > "$base/languages.log" 2>&1 || fail "see $base/languages.log"
say "passed"
