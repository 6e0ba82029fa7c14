# The life of a package that needs no root, in a bare root: scripts/test-packages.sh puts this behind `add`, `upgrade`, `remove` and
# $quaymaster, the command.
start() {
    : > /tmp/user.ready
    setsid $quaymaster serve "$@" --https 127.0.0.1:0 --http off --mq off --metrics off > /tmp/user.ready 2> /tmp/user.log &
    server=$!
    for _ in $(seq 600); do
        if grep -q '"event":"ready"' /tmp/user.ready; then
            data=$(sed 's/.*"dataDirectory":"\([^"]*\)".*/\1/' /tmp/user.ready)
            return
        fi
        kill -0 $server || { cat /tmp/user.log; exit 1; }
        sleep 0.1
    done
    cat /tmp/user.log; exit 1
}
# All of them, as a terminal does: npx starts the server by a shell.
stop() {
    kill -- -$server
    wait $server || test $? = 143
    for _ in $(seq 300); do
        kill -0 -- -$server 2> /dev/null || return 0
        sleep 0.1
    done
    cat /tmp/user.log; exit 1
}
# What is named after the product, but the data and what programs of the system write.
traces() {
    find / -xdev \( -path /proc -o -path /packages -o -path /srv/data -o -path "$HOME/.npm" \) -prune -o -name '*quaymaster*' -newer /before -print
}

touch /before; sleep 0.01
add
$quaymaster --version
start --ephemeral
$quaymaster put --data $data DEV.QUEUE.1 first
test "$($quaymaster get --data $data DEV.QUEUE.1)" = first
stop
test ! -e $data
start --data /srv/data
$quaymaster put --data /srv/data DEV.QUEUE.1 'kept over an upgrade' --persistent
stop
upgrade
start --data /srv/data
test "$($quaymaster get --data /srv/data DEV.QUEUE.1)" = 'kept over an upgrade'
stop
remove
test -d /srv/data/qmgrs/QM1
rm -r /srv/data
left=$(traces)
test -z "$left" || { echo "left: $left"; exit 1; }
