#!/usr/bin/env bash
# Runs the example against a server that runs: starts the remote API, makes archive and members of its document, compiles the
# program, deploys the archive, has the program call, and stops the remote API again. The archive stays, and so do two entries of
# DATA/quaymaster.toml: where its API is, and that programs of this machine may call it without saying who they are.
#
#   examples/api-requester/run.sh [ORDER...]
#
# An order is count-in and count-out, eight digits each; without any, answers of 1, 4 and 8 KiB are asked for.
# DATA is the server's data directory, URL where it speaks HTTPS, HTTP_PORT where it speaks HTTP on this machine, API where the
# remote API is to listen.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=${DATA:-quaymaster-data} url=${URL:-https://localhost:9443} http_port=${HTTP_PORT:-9080} api=${API:-127.0.0.1:3188}
orders=("$@")
[ $# -gt 0 ] || orders=(0000000100000002 0000000100000008 0000000100000016)
target=$here/../../target
PATH=$target/release:$PATH
requester=zCEE-API-requester-Performance-Remote-API_1.0.0

work=$(mktemp -d)
provider=
# Ends what was started here, whatever happens.
finish() {
    if [ -n "$provider" ]; then kill "$provider" 2>/dev/null || true; wait "$provider" || true; fi
    rm -rf "$work"
}
trap finish EXIT

password() { sed -n "s/^$1 //p" "$data/initial-passwords"; }
as_admin() { curl -sS --fail-with-body --cacert "$data/tls/ca.crt" -u "admin:$(password admin)" "$@"; }

quaymaster workload provider --listen "$api" > "$work/provider.log" &
provider=$!
timeout 30 bash -c "until grep -q ready '$work/provider.log'; do sleep 0.05; done"

cp "$here/APIRPERF.properties" "$work"
curl -sS --fail "http://$api/ibm/api/docs?root=/APIrequesterPerformanceRemoteAPI" -o "$work/APIRPERF.json"
(cd "$work" && quaymaster zconbt -p APIRPERF.properties -f APIRPERF.ara > zconbt.log) || { cat "$work/zconbt.log"; exit 1; }

# The stub (make stub) comes with its copybook.
cobc -x -std=ibm-strict -I "$work/members" -I "$target/stub-files" -o "$work/perclnt" "$here/PERCLNT.cbl"

# The connection by which the server finds the API, and, as the report's server.xml has it, programs of this machine that need not say
# who they are. A configuration that the server refuses is put back.
settings=$data/quaymaster.toml
if ! grep -qsF '[endpoint_connections.Server2Ref]' "$settings"; then
    [ -f "$settings" ] || touch "$settings"
    cp "$settings" "$work/quaymaster.toml"
    printf '\n[endpoint_connections.Server2Ref]\nhost = "%s"\nport = %s\n' "${api%:*}" "${api##*:}" >> "$settings"
    printf '\n[zosconnect.api_requesters."%s"]\nrequire_auth = false\n' "$requester" >> "$settings"
    if ! quaymaster config reload --data "$data" > "$work/reload.log" 2>&1; then
        cp "$work/quaymaster.toml" "$settings"
        cat "$work/reload.log"
        exit 1
    fi
elif ! grep -A 2 -F '[endpoint_connections.Server2Ref]' "$settings" | grep -qx "port = ${api##*:}"; then
    echo "run.sh: Server2Ref in $settings has another port than $api; say which with API=HOST:PORT" >&2
    exit 1
fi
# What an earlier run deployed makes room.
as_admin -X PUT "$url/zosConnect/apiRequesters/$requester?status=stopped" > /dev/null 2>&1 || true
as_admin -X DELETE "$url/zosConnect/apiRequesters/$requester" > /dev/null 2>&1 || true
as_admin -H 'Content-Type: application/zip' --data-binary @"$work/APIRPERF.ara" "$url/zosConnect/apiRequesters" > "$work/deployed.json"

# Through a pipe: a COBOL program that opens a file for output empties it, whatever else was written there.
printf '%s' "${orders[@]}" | COB_LIBRARY_PATH=$target/stub-files BAQPORT=$http_port "$work/perclnt" | cat
