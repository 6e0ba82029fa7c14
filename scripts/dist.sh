#!/usr/bin/env bash
# Builds what is handed out for other machines into target/dist. QUAYMASTER_MACHINES names their processors, such as "x86_64 aarch64";
# this machine's own, unless named. An image is made for this one alone.
#   baqcstub-linux-MACHINE.tar.gz   the communication stub: libraries, links, header, copybook
#   quaymaster-client-linux-MACHINE.tar.gz   the MQI library: headers, copybooks, libraries, samples
#   quaymaster_VERSION_MACHINE.deb, quaymaster-VERSION-1.MACHINE.rpm   packages with user, unit, manual pages, completions
#   quaymaster-VERSION-linux-MACHINE.tar.gz    the program under all its names, to unpack anywhere
#   quaymaster-VERSION-linux-MACHINE-static.tar.gz   the same, for machines without glibc 2.35
#   quaymaster-VERSION-….whl        the wheel for pip
#   quaymaster-VERSION-linux-CPU.tgz   the package for npm
#   quaymaster-chart-VERSION.tgz   the chart for Helm
#   quaymaster-junit-VERSION-linux-MACHINE.jar   the artifact for Maven, with an extension of JUnit 5
#   quaymaster-VERSION-linux-MACHINE.cdx.json  what the program is made of (CycloneDX)
#   SHA256SUMS                      digests of all files, for `sha256sum -c`
#   quaymaster-VERSION-linux-MACHINE.oci.tar   the container image, for `docker load` and other tools
#   zconbt.zip                      the build toolkit: bin/zconbt, bin/zconbt.zos, lib/, doc/
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$repository/target}
dist=$target/dist
cd "$repository"
pack() { cargo --config xtask/packing.toml xtask "$@"; }
own=$(uname -m)

# Nothing of an earlier build is listed or packed.
rm -rf "$dist"
for part in stub:baqcstub client:quaymaster-client; do
    folder=$dist/${part#*:}
    "scripts/${part%%:*}.sh" "$folder" > /dev/null
    pack archive "$folder" "$folder-linux-$own.tar.gz"
    rm -r "$folder"
done

# The program that loads the system's C library is faster than the static one, which runs where there is no such library.
native=$(scripts/program.sh "$own-unknown-linux-gnu")
for machine in ${QUAYMASTER_MACHINES:-$own}; do
    program=$(scripts/program.sh "$machine-unknown-linux-gnu")
    options=(--program "$program" --native "$native" --out "$dist")
    made=("$program")
    if [ "$machine" = "$own" ]; then
        made+=("$(pack image "${options[@]}")")
        pack toolkit --program "$program" --out "$dist" > /dev/null
        static=$(scripts/program.sh "$machine-unknown-linux-musl")
        made+=("$static")
        options+=(--static "$static")
    fi
    pack packages "${options[@]}" > /dev/null
    pack sizes "${made[@]}"
done
pack checksums "$dist"
ls -l "$dist"
