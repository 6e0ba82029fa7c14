# Functions of a root in which a package is tried: the server as its user, and the end of it. tests/packages.rs and
# scripts/test-packages.sh put this in front of their commands.
as_service() { setpriv --reuid quaymaster --regid quaymaster --clear-groups "$@"; }
run_as_service() {
    install -d -o quaymaster -g quaymaster -m 700 /var/lib/quaymaster
    : > /tmp/service.ready
    # Not by as_service, whose process would be a shell around the server.
    setpriv --reuid quaymaster --regid quaymaster --clear-groups quaymaster serve --data /var/lib/quaymaster \
        --https 127.0.0.1:0 --http off --mq off --metrics off > /tmp/service.ready 2> /tmp/service.log &
    server=$!
    for _ in $(seq 600); do
        if grep -q '"event":"ready"' /tmp/service.ready; then return; fi
        kill -0 $server || { cat /tmp/service.log; exit 1; }
        sleep 0.1
    done
    cat /tmp/service.log; exit 1
}
stop() { kill $server; wait $server; }
