# Sourced by scripts that need a Debian 12 with nothing in it: make_bare_root ROOT LOG, then `bare COMMANDS` in namespaces of their own.
# The caller defines `fail`. It needs root.

# Makes it with debootstrap (minbase). Package source, proxies and certificates are this machine's, because a test machine may reach no other.
make_bare_root() {
    local root=$1 log=$2 mirror
    rm -rf --one-file-system "$root"
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
    [ -n "$mirror" ] || fail "apt-get indextargets names no package source; run apt-get update"
    debootstrap --variant=minbase bookworm "$root" "$mirror" > "$log" 2>&1 || fail "debootstrap ended with $?; see $log"
    # This machine's way to the network, nothing else.
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
        | grep ' bookworm' | sort -u > "$root/etc/apt/sources.list" || fail "no package source of Debian 12 on this machine"
    apt-config dump | grep '^Acquire::' > "$root/etc/apt/apt.conf.d/99host" || true
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    mkdir -p "$root/usr/local/share/ca-certificates"
    cp -L /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null || true
}

mount_bare_root() {
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm" 2>/dev/null || true
}

# Commands in the root `$root`: a login's variables, none of this machine's.
bare() {
    chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        bash -euc "cd /srv/quaymaster 2>/dev/null || cd /; $1"
}
