//! The texts that are not COBOL: sources of service and API, definitions of queues, and the scripts that start and stop.

use std::borrow::Cow;

use copybook::{Compiler, Format, detect};

use super::records::Records;
use super::{Wanted, program};

pub(super) fn service(wanted: &Wanted, records: &Records) -> String {
    let Wanted { name, wait_interval_ms, .. } = wanted;
    let (request, response) = (&records.request, &records.response);
    let chosen = |property: &str, record: &Option<String>| match record {
        Some(record) => format!("{property}: {record}\n"),
        None => String::new(),
    };
    format!(
        "# A two-way service: a POST with JSON becomes a record on the request queue, and the record that answers becomes JSON.
# All keys: docs/services.md
name: {name}
version: 1.0
destination: {}
replyDestination: {}
# Milliseconds. Without a reply by then the answer is 204.
waitInterval: {wait_interval_ms}
requestStructure: {}
{}responseStructure: {}
{}# The compiler of the program that answers: how it stores numbers and characters.
compiler: {}
",
        wanted.queue("REQUEST"),
        wanted.queue("REPLY"),
        file(&request.file),
        chosen("requestRecord", &request.chosen),
        file(&response.file),
        chosen("responseRecord", &response.chosen),
        wanted.compiler.name(),
    )
}

/// A file's name as YAML reads it, which takes some characters for its own.
fn file(name: &str) -> Cow<'_, str> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '-' | '_');
    let is_text = name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(is_plain);
    if is_text { Cow::Borrowed(name) } else { Cow::Owned(format!("'{name}'")) }
}

pub(super) fn api(wanted: &Wanted) -> String {
    let name = &wanted.name;
    format!(
        "# The API in front of the service. Paths, parameters and status codes of its own: docs/archives.md
name: {name}
version: 1.0.0
basePath: /{name}
operations:
  - path: /
    method: POST
    service: {name}
"
    )
}

pub(super) fn queues(wanted: &Wanted) -> String {
    let (request, reply, aside) = (wanted.queue("REQUEST"), wanted.queue("REPLY"), wanted.queue("ASIDE"));
    let (name, user) = (&wanted.name, &wanted.user);
    format!(
        "* Queues of the service {name}. A request that the program cannot answer is tried three times and then put aside.
DEFINE QLOCAL('{aside}') REPLACE DESCR('Requests of {name} without an answer')
DEFINE QLOCAL('{request}') REPLACE DESCR('Requests of {name}') +
       BOTHRESH(3) BOQNAME('{aside}')
DEFINE QLOCAL('{reply}') REPLACE DESCR('Replies of {name}')
* The program connects as {user}.
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{user}') AUTHADD(CONNECT,INQ)
SET AUTHREC PROFILE('{request}') OBJTYPE(QUEUE) PRINCIPAL('{user}') AUTHADD(GET,INQ)
SET AUTHREC PROFILE('{reply}') OBJTYPE(QUEUE) PRINCIPAL('{user}') AUTHADD(PUT)
SET AUTHREC PROFILE('{aside}') OBJTYPE(QUEUE) PRINCIPAL('{user}') AUTHADD(PUT)
"
    )
}

pub(super) fn stop(wanted: &Wanted) -> String {
    format!(
        r#"#!/bin/sh
# Ends the batch server of {} that start.sh has started. Queues, service and API stay.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ -f "$here/responder.pid" ] || exit 0
kill "$(cat "$here/responder.pid")" 2>/dev/null || true
rm -f "$here/responder.pid"
"#,
        wanted.name
    )
}

pub(super) fn start(wanted: &Wanted, records: &Records) -> String {
    let Wanted { name, user, .. } = wanted;
    let mut text = format!(
        r#"#!/bin/sh
# Starts the service {name} on a server that runs. It may run again after each change; stop.sh ends what it starts.
#
# Settings: DATA, the server's data directory; URL, where it speaks HTTPS; MQ, its listener of client channels; QM, its queue
# manager; CHANNEL, PASSWORDS (lines of user and password) and CALLER, a user that may call services.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=${{DATA:-quaymaster-data}} url=${{URL:-https://localhost:9443}} mq=${{MQ:-localhost:1414}} qm=${{QM:-QM1}}
channel=${{CHANNEL:-DEV.APP.SVRCONN}} passwords=${{PASSWORDS:-$data/initial-passwords}} caller=${{CALLER:-app}}

fail() {{ echo "start.sh: $1" >&2; exit 1; }}
command -v quaymaster > /dev/null || fail 'quaymaster is not found. Add its folder to PATH.'
[ -d "$data" ] || fail "there is no data directory $data. Set DATA to that of the server, or start one here: quaymaster serve"
[ -f "$passwords" ] || fail "there is no file $passwords. Set PASSWORDS to a file with lines 'USER PASSWORD'."
password_of() {{ sed -n "s/^$1 //p" "$passwords"; }}
password=$(password_of "$caller")
[ -n "$password" ] || fail "$passwords has no line '$caller PASSWORD'. Add it, or set CALLER to a user that the file has."
"#
    );
    if wanted.is_local() {
        text.push_str(&format!(
            r#"[ -n "$(password_of {user})" ] || fail "$passwords has no line '{user} PASSWORD', by which the program connects. Add it."
"#
        ));
        text.push_str(&compile(wanted, records));
    }
    text.push_str(
        r#"
# The queues, and what the program may do with them.
quaymaster runmqsc --data "$data" "$qm" < "$here/queues.mqsc" > "$here/queues.log" ||
    { cat "$here/queues.log" >&2; fail "the queues were not defined. Is the server running? Start it: quaymaster serve --data $data"; }

# The service and its API. The server deploys what comes into these folders, within a second.
mkdir -p "$data/zosconnect/services" "$data/zosconnect/apis"
quaymaster service build "$here" -o "$data/zosconnect/services/" > /dev/null
quaymaster service build "$here/api.yaml" -o "$data/zosconnect/apis/" > /dev/null
"#,
    );
    if wanted.is_local() {
        text.push_str(&respond(wanted, records));
    }
    text.push_str(&format!(
        r#"
# The API is there when it has a document.
ask() {{ curl -sS -f -o /dev/null --cacert "$data/tls/ca.crt" -u "$caller:$password" "$url/{name}/api-docs?version=3"; }}
tries=0
until ask 2> "$here/start.log"; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || {{ cat "$here/start.log" >&2; fail "the API does not answer at $url/{name}. The server's log has the reason. Set URL if it is elsewhere."; }}
    sleep 0.2
done
cat <<END
API       $url/{name}
document  $url/{name}/api-docs?version=3
request   curl --cacert $data/tls/ca.crt -u "$caller:\$(sed -n 's/^$caller //p' $passwords)" $url/{name} -H 'Content-Type: application/json' --data @$here/request.json
END
"#
    ));
    text
}

fn compile(wanted: &Wanted, records: &Records) -> String {
    let program = program::name(wanted, records);
    let flags = flags(wanted.compiler, records);
    format!(
        r#"
# The program.
command -v cobc > /dev/null || fail 'cobc, the compiler of GnuCOBOL, is not found. Install it: apt-get install gnucobol3'
cobc -x{flags} -I "$here" -o "$here/{program}" "$here/{program}.cbl" || fail 'the program does not compile: see the lines above.'
"#
    )
}

/// The flags by which `cobc` compiles as the service expects.
fn flags(compiler: Compiler, records: &Records) -> String {
    let mut flags = String::new();
    if compiler == Compiler::GnuCobolIbm {
        flags.push_str(" -std=ibm");
    }
    if records.is_variable() {
        flags.push_str(" -fodoslide");
    }
    if records.copybooks.values().any(|text| detect(text) == Format::Variable) {
        flags.push_str(" -ftext-column=255");
    }
    flags
}

fn respond(wanted: &Wanted, records: &Records) -> String {
    let program = program::name(wanted, records);
    let (request, user) = (wanted.queue("REQUEST"), &wanted.user);
    let lengths = if records.is_variable() {
        "--records variable".to_owned()
    } else {
        format!("--request-length {} --reply-length {}", records.request.layout.length, records.response.layout.length)
    };
    format!(
        r#"
# The batch server: it gives requests to the program, and puts its replies on the reply queue.
"$here/stop.sh"
nohup quaymaster workload responder --queue {request} --program "$here/{program}" {lengths} \
    --qmgr "$qm" --channel "$channel" --mq "$mq" --user {user} --password-file "$passwords" > "$here/responder.log" 2>&1 &
responder=$!
echo $responder > "$here/responder.pid"
tries=0
until grep -q '"event":"ready"' "$here/responder.log"; do
    tries=$((tries + 1))
    if ! kill -0 $responder 2> /dev/null || [ $tries -ge 300 ]; then
        cat "$here/responder.log" >&2
        fail "the batch server cannot serve {request} at $mq. Set MQ, QM or CHANNEL if the queue manager is elsewhere."
    fi
    sleep 0.1
done
"#
    )
}
