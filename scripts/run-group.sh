#!/usr/bin/env bash
# Starts a first queue-sharing group in ./quaymaster-group: PostgreSQL, and the members QM1 and QM2 of the group QSG1. Ends all of them with
# Ctrl-C. What they keep is there at the next start. QUAYMASTER names the program, --free-ports takes ports that are free.
set -euo pipefail

folder=$PWD/quaymaster-group
program=${QUAYMASTER:-target/release/quaymaster}
programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
database_port=5433 member_ports=("127.0.0.1:9443 127.0.0.1:9080 127.0.0.1:1414" "127.0.0.1:9444 127.0.0.1:9081 127.0.0.1:1415")
if [ "${1:-}" = --free-ports ]; then
    database_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    member_ports=("127.0.0.1:0 127.0.0.1:0 127.0.0.1:0" "127.0.0.1:0 127.0.0.1:0 127.0.0.1:0")
fi

started=()
finish() {
    trap - EXIT INT TERM
    local index
    # Members first: they leave the group while the database is there.
    for ((index = ${#started[@]} - 1; index >= 0; index--)); do
        kill -INT "${started[index]}" 2>/dev/null || true
        wait "${started[index]}" 2>/dev/null || true
    done
}
trap finish EXIT
trap 'exit 0' INT TERM

# PostgreSQL refuses to run as root.
as_owner=()
mkdir -p "$folder/database"
if [ "$(id -u)" = 0 ]; then
    as_owner=(setpriv --reuid postgres --regid postgres --clear-groups --)
    chown postgres "$folder/database"
    if ! "${as_owner[@]}" test -w "$folder/database"; then
        echo "run-group: PostgreSQL runs as the user postgres, who cannot enter $folder: use a folder outside of $HOME, or another user" >&2
        exit 1
    fi
fi
if [ ! -e "$folder/database/data" ]; then
    (cd "$folder/database" && "${as_owner[@]}" "$programs/initdb" -D "$folder/database/data" -U quaymaster -A trust --no-sync >"$folder/database.log")
fi
(cd "$folder/database" && exec "${as_owner[@]}" "$programs/postgres" -D "$folder/database/data" -p "$database_port" -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories= </dev/null >>"$folder/database.log" 2>&1) &
started+=($!)
ready=
for ((look = 0; look < 300; look++)); do
    if "$programs/pg_isready" -q -h 127.0.0.1 -p "$database_port" -U quaymaster -d postgres; then ready=yes && break; fi
    sleep 0.1
done
[ -n "$ready" ] || { echo "run-group: PostgreSQL does not start: see $folder/database.log" >&2; exit 1; }

export QUAYMASTER_GROUP=QSG1 QUAYMASTER_GROUP_DATABASE=postgres://quaymaster@127.0.0.1:$database_port/postgres
[ -e "$folder/app-password" ] || (umask 077 && head -c 15 /dev/urandom | base64 | tr '+/' '-_' >"$folder/app-password")
MQ_APP_PASSWORD=$(cat "$folder/app-password")
export MQ_APP_PASSWORD
# For `quaymaster group status` and its kind, from another terminal.
printf '[group]\nname = "QSG1"\ndatabase = "%s"\n' "$QUAYMASTER_GROUP_DATABASE" >"$folder/quaymaster.toml"
"$program" group create

start_member() {
    local name=QM$1 ports
    read -r -a ports <<<"${member_ports[$1 - 1]}"
    rm -f "$folder/$name.ready"
    "$program" serve --data "$folder/$name" --qmgr "$name" --https "${ports[0]}" --http "${ports[1]}" --mq "${ports[2]}" --metrics off \
        --ready-file "$folder/$name.ready" >"$folder/$name.log" 2>&1 &
    started+=($!)
    echo $! >"$folder/$name.pid"
    for ((look = 0; look < 300; look++)); do
        [ ! -s "$folder/$name.ready" ] || return 0
        kill -0 "${started[-1]}" 2>/dev/null || break
        sleep 0.1
    done
    echo "run-group: $name does not start:" >&2
    tail -5 "$folder/$name.log" >&2
    exit 1
}
start_member 1
start_member 2

mqsc() { "$program" mqsc --data "$folder/QM$1" "$2" >>"$folder/mqsc.log"; }
if ! mqsc 1 "DISPLAY QLOCAL(ORDERS)"; then
    mqsc 1 "DEFINE CFSTRUCT(APP1) CFLEVEL(5) RECOVER(YES)"
    mqsc 1 "DEFINE QLOCAL(ORDERS) QSGDISP(SHARED) CFSTRUCT(APP1) DEFPSIST(YES)"
fi
for ((look = 0; look < 100; look++)); do
    ! mqsc 2 "DISPLAY QLOCAL(ORDERS)" || break
    sleep 0.1
done
for member in 1 2; do
    mqsc $member "SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT, GET, BROWSE, INQ)"
done

address() { sed 's/.*"https":"\([^"]*\)".*/\1/' "$folder/QM$1.ready"; }
cat <<TEXT
The group QSG1 is ready: the members QM1 and QM2 share the queue ORDERS. Everything is in $folder.
Put a message at QM1, and get it at QM2:
  curl -sS --cacert quaymaster-group/QM1/tls/ca.crt -u "app:\$(cat quaymaster-group/app-password)" -H 'ibm-mq-rest-csrf-token: x' -H 'Content-Type: text/plain;charset=utf-8' https://localhost:$(address 1 | sed 's/.*://')/ibmmq/rest/v3/messaging/qmgr/QSG1/queue/ORDERS/message --data 'Hello'
  curl -sS --cacert quaymaster-group/QM2/tls/ca.crt -u "app:\$(cat quaymaster-group/app-password)" -H 'ibm-mq-rest-csrf-token: x' https://localhost:$(address 2 | sed 's/.*://')/ibmmq/rest/v3/messaging/qmgr/QSG1/queue/ORDERS/message -X DELETE
Kill a member with: kill -9 \$(cat quaymaster-group/QM1.pid). Ctrl-C here ends all.
TEXT
touch "$folder/ready"
# A member that is killed leaves the others running.
while [ -e "/proc/${started[0]}" ]; do
    sleep 1 &
    wait $!
done
