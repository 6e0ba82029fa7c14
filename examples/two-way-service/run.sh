#!/usr/bin/env bash
# Runs the example against a server that runs: compiles the program, makes the queues, deploys the service, starts the batch
# server, calls the service once, and stops the batch server again. The queues and the service stay.
#
#   examples/two-way-service/run.sh [JSON]
#
# DATA is the server's data directory, URL where it speaks HTTPS, MQ where it listens for client channels, QM its queue manager.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=${DATA:-quaymaster-data} url=${URL:-https://localhost:9443} mq=${MQ:-localhost:1414} qm=${QM:-QM1}
request=${1:-'{"customer_name":"ADA BYRON","loan_amount":12500,"months":24,"income":2345.67}'}
PATH=$here/../../target/release:$PATH

work=$(mktemp -d)
responder=
# Ends what was started here, whatever happens.
finish() {
    if [ -n "$responder" ]; then kill "$responder" 2>/dev/null || true; wait "$responder" || true; fi
    rm -rf "$work"
}
trap finish EXIT

password() { sed -n "s/^$1 //p" "$data/initial-passwords"; }
call() { curl -sS --fail-with-body --cacert "$data/tls/ca.crt" -u "$1:$(password "$1")" "${@:2}"; }

cobc -x -I "$here" -o "$work/loansrv" "$here/LOANSRV.cbl"
quaymaster runmqsc --data "$data" "$qm" < "$here/queues.mqsc" > "$work/mqsc.log" || { cat "$work/mqsc.log"; exit 1; }

quaymaster service build "$here" -o "$work/loanCheck.sar"
# What an earlier run deployed makes room.
call admin -X PUT "$url/zosConnect/services/loanCheck?status=stopped" > /dev/null 2>&1 || true
call admin -X DELETE "$url/zosConnect/services/loanCheck" > /dev/null 2>&1 || true
call admin -H 'Content-Type: application/zip' --data-binary @"$work/loanCheck.sar" "$url/zosConnect/services" > "$work/deployed.json"

quaymaster workload responder --queue DEV.LOAN.REQUEST --program "$work/loansrv" --request-length 31 --reply-length 82 \
    --qmgr "$qm" --channel DEV.APP.SVRCONN --mq "$mq" --password-file "$data/initial-passwords" > "$work/responder.log" &
responder=$!
call app -H 'Content-Type: application/json' --data "$request" "$url/zosConnect/services/loanCheck?action=invoke"
echo
