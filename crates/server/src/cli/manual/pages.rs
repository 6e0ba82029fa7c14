//! What the manual page of each command has beside its options: examples, exit status, environment, files.
//!
//! A test holds this table against the command line: each command has a row, and each row a command.

use super::super::exit_code::{
    AUTHORITY, CHECK, Code, DISPLAY, DOCTOR, GET, LIFE_CYCLE, LOCAL, ONE_COMMAND, REMOTE, REPAIR, RUNMQSC, SALVAGE,
    SCRIPT, SERVE, STATUS, TRIGGER_MONITOR,
};

pub(in crate::cli) struct Page {
    /// The words of the command, without the program's name.
    pub command: &'static str,
    /// What a command line does, and the line.
    pub examples: &'static [(&'static str, &'static str)],
    pub exits: &'static [Code],
    pub environment: &'static [Named],
    pub files: &'static [Named],
}

/// A variable or a file, and what it is for.
pub(in crate::cli) type Named = (&'static str, &'static str);

const DATA: Named = ("QUAYMASTER_DATA", "Data directory when --data is not given.");
const PASSWORD: Named = ("QUAYMASTER_PASSWORD", "Password of the user that --user names.");
const NO_COLOR: Named = ("NO_COLOR", "When set, logs have no colour.");
const MQSERVER: Named =
    ("MQSERVER", "Channel and address of a client connection, CHANNEL/TCP/host(port), for -c without --channel.");
const CLIENT: &[Named] = &[DATA, PASSWORD, MQSERVER];
const LOCALLY: &[Named] = &[DATA];
const ANYWHERE: &[Named] = &[DATA, PASSWORD];

const SOCKET: Named = ("DIR/admin.sock", "Socket of the running server. Only its owner can open it.");
const CONFIGURATION: Named = ("DIR/quaymaster.toml", "Configuration; `quaymaster config explain` lists its keys.");
const PASSWORDS: Named =
    ("DIR/initial-passwords", "Passwords made at the first start, a line `user password` each; for --password-file.");
const AUTHORITY_FILE: Named = ("DIR/tls/ca.crt", "Authority of the generated certificate; for --cacert.");
const API_KEYS: &[Named] = &[
    SOCKET,
    ("DIR/api-keys.json", "API keys as hashes, written by the running server or, without one, by this command."),
];
const REACH: &[Named] = &[SOCKET, PASSWORDS, AUTHORITY_FILE];

/// The page of a command.
pub(in crate::cli) fn page(command: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.command == command)
}

const fn page_of(
    command: &'static str,
    examples: &'static [(&'static str, &'static str)],
    exits: &'static [Code],
    environment: &'static [Named],
    files: &'static [Named],
) -> Page {
    Page { command, examples, exits, environment, files }
}

pub(in crate::cli) static PAGES: &[Page] = &[
    page_of(
        "serve",
        &[
            ("Serve the queue manager QM1 from the folder data", "quaymaster serve --data data --qmgr QM1"),
            (
                "Serve for a test, on free ports and without files",
                "quaymaster serve --ephemeral --https 127.0.0.1:0 --http off --mq 127.0.0.1:0 --metrics off",
            ),
        ],
        SERVE,
        &[
            DATA,
            ("QUAYMASTER_CONFIG", "Configuration file when --config is not given."),
            ("MQ_QMGR_NAME", "Queue manager when --qmgr is not given."),
            ("MQ_DEV", "false leaves the developer defaults out."),
            ("MQ_ADMIN_PASSWORD, MQ_APP_PASSWORD, MQ_READER_PASSWORD", "Passwords of the developer users."),
            NO_COLOR,
        ],
        &[
            CONFIGURATION,
            ("DIR/mqsc.d/*.mqsc", "MQSC that runs at each start."),
            ("DIR/tls/", "Generated authority and certificate."),
            ("DIR/qmgrs/NAME/log/", "Recovery log of a queue manager."),
            PASSWORDS,
            SOCKET,
        ],
    ),
    page_of(
        "runmqsc",
        &[
            ("Run the commands of a file", "quaymaster runmqsc -f queues.mqsc QM1"),
            ("Check the commands of a file without running them", "quaymaster runmqsc -v -f queues.mqsc"),
        ],
        RUNMQSC,
        ANYWHERE,
        REACH,
    ),
    page_of(
        "mqsc",
        &[
            ("Show the depth of all queues", "quaymaster mqsc \"DISPLAY QLOCAL(*) CURDEPTH\""),
            ("Show it as JSON, of one queue manager", "quaymaster mqsc QM1 \"DISPLAY QLOCAL(*) CURDEPTH\" --json"),
            ("List the commands that begin with STOP", "quaymaster mqsc help stop"),
        ],
        ONE_COMMAND,
        ANYWHERE,
        REACH,
    ),
    page_of(
        "put",
        &[
            ("Put a persistent message", "quaymaster put DEV.QUEUE.1 \"Hello\" --persistent"),
            (
                "Put the content of a file through a channel, as an application does",
                "quaymaster put DEV.QUEUE.1 --file order.json --channel DEV.APP.SVRCONN --mq localhost:1414 --user app",
            ),
        ],
        REMOTE,
        ANYWHERE,
        REACH,
    ),
    page_of(
        "get",
        &[
            ("Get one message, and wait five seconds for it", "quaymaster get DEV.QUEUE.1 --wait 5s"),
            ("Get all messages, with their descriptors", "quaymaster get DEV.QUEUE.1 --all --json"),
        ],
        GET,
        ANYWHERE,
        REACH,
    ),
    page_of(
        "browse",
        &[("Show the first ten messages with their descriptors", "quaymaster browse DEV.QUEUE.1 --count 10 --json")],
        REMOTE,
        ANYWHERE,
        REACH,
    ),
    page_of(
        "events",
        &[
            ("Show events as they come, and remove them", "quaymaster events -m QM1"),
            (
                "Show the configuration events that are there, as JSON",
                "quaymaster events -q SYSTEM.ADMIN.CONFIG.EVENT -b -o json",
            ),
        ],
        REMOTE,
        ANYWHERE,
        REACH,
    ),
    page_of(
        "depth",
        &[
            ("Show how many messages a queue holds", "quaymaster depth DEV.QUEUE.1"),
            ("Show all queues whose name begins with DEV", "quaymaster depth \"DEV.*\""),
        ],
        REMOTE,
        ANYWHERE,
        REACH,
    ),
    page_of(
        "dspmq",
        &[("Show state and default of all queue managers", "quaymaster dspmq -o status -o default")],
        DISPLAY,
        ANYWHERE,
        REACH,
    ),
    page_of("dspmqver", &[("Show name and version", "quaymaster dspmqver -f 3")], LOCAL, LOCALLY, &[]),
    page_of(
        "dmpmqcfg",
        &[
            ("Write all definitions, one command per line", "quaymaster dmpmqcfg -m QM1 -o 1line"),
            ("Write the queues whose name begins with DEV", "quaymaster dmpmqcfg -m QM1 -t queue -n \"DEV.*\""),
        ],
        REMOTE,
        ANYWHERE,
        REACH,
    ),
    page_of(
        "dmpmqmsg",
        &[
            ("Copy the messages of a queue into a file", "quaymaster dmpmqmsg -m QM1 -i ORDERS -f orders.txt"),
            ("Load a queue from a file", "quaymaster dmpmqmsg -m QM1 -o ORDERS -f orders.txt"),
            (
                "Move the first hundred messages to another queue",
                "quaymaster dmpmqmsg -m QM1 -I ORDERS -o ORDERS.OLD -r #100",
            ),
        ],
        REMOTE,
        CLIENT,
        REACH,
    ),
    page_of(
        "runmqdlq",
        &[
            ("Handle the queue manager's dead-letter queue", "quaymaster runmqdlq --rules dead-letters.rules"),
            ("Handle a queue of one queue manager", "quaymaster runmqdlq DEAD.LETTERS QM1 --rules dead-letters.rules"),
        ],
        REMOTE,
        CLIENT,
        REACH,
    ),
    page_of(
        "trigger-monitor",
        &[
            ("Start programs for the default initiation queue", "quaymaster trigger-monitor -m QM1"),
            (
                "As a client, and again after a lost connection",
                "MQSERVER='DEV.APP.SVRCONN/TCP/mq.example.com(1414)' runmqtmc -m QM1 -q ORDERS.INITIATION -u app -r",
            ),
        ],
        TRIGGER_MONITOR,
        CLIENT,
        REACH,
    ),
    page_of(
        "crtmqm",
        &[(
            "Create a queue manager with a dead-letter queue and a listener",
            "quaymaster crtmqm -u DEAD.LETTERS -p 1415 ORDERS",
        )],
        LIFE_CYCLE,
        LOCALLY,
        &[SOCKET],
    ),
    page_of(
        "dltmqm",
        &[("Delete a queue manager that has ended, with its messages", "quaymaster dltmqm ORDERS")],
        LIFE_CYCLE,
        LOCALLY,
        &[SOCKET],
    ),
    page_of(
        "strmqm",
        &[
            ("Start a queue manager", "quaymaster strmqm ORDERS"),
            ("Start it in a server with another HTTPS port", "quaymaster strmqm ORDERS -- --https 0.0.0.0:9444"),
        ],
        LIFE_CYCLE,
        &[DATA, ("MQ_QMGR_NAME", "Queue manager when none is named.")],
        &[SOCKET, ("DIR/server.log", "Log of a server that strmqm starts.")],
    ),
    page_of(
        "endmqm",
        &[("End a queue manager after the calls in progress, and wait for its end", "quaymaster endmqm -i ORDERS")],
        LIFE_CYCLE,
        LOCALLY,
        &[SOCKET],
    ),
    page_of(
        "setmqaut",
        &[(
            "Let the user app put to a queue and get from it",
            "quaymaster setmqaut -m QM1 -n ORDERS -t queue -p app +put +get",
        )],
        AUTHORITY,
        ANYWHERE,
        REACH,
    ),
    page_of(
        "dspmqaut",
        &[("Show what the user app may do to a queue", "quaymaster dspmqaut -m QM1 -n ORDERS -t queue -p app")],
        AUTHORITY,
        ANYWHERE,
        REACH,
    ),
    page_of(
        "runmqserver",
        &[
            ("Serve with the variables and files of a container, as the image does", "quaymaster runmqserver"),
            ("The same without HTTPS", "quaymaster runmqserver --https off"),
            ("Prepare the volume of a container before its server starts", "quaymaster runmqserver -i"),
        ],
        SERVE,
        &[
            DATA,
            ("MQ_QMGR_NAME", "Queue manager [default: the host's name without the characters that a name has not]."),
            ("MQ_DEV", "false leaves the developer defaults out."),
            ("MQ_ADMIN_PASSWORD, MQ_APP_PASSWORD, MQ_READER_PASSWORD", "Passwords of the developer users."),
            ("MQ_ENABLE_METRICS", "true serves metrics on 0.0.0.0:9157, false on no address."),
            ("MQ_ENABLE_EMBEDDED_WEB_SERVER", "false serves no HTTPS."),
            ("MQ_GRACE_PERIOD", "Time for requests in progress to end after SIGTERM, in seconds."),
            ("MQ_LOGGING_CONSOLE_FORMAT", "basic or json."),
            ("MQ_LOGGING_CONSOLE_EXCLUDE_ID", "Identifiers of messages that the log leaves out, separated by commas."),
            ("LICENSE", "Accepted, without effect."),
        ],
        &[
            ("/etc/mqm/*.mqsc", "MQSC that runs at each start."),
            ("/etc/mqm/*.ini", "Stanzas; Channels:MaxChannels counts."),
            ("/etc/mqm/quaymaster.toml", "Configuration, if it exists."),
            ("/etc/mqm/pki/keys/LABEL/", "tls.key, tls.crt and ca.crt: the server's certificate."),
            ("/etc/mqm/pki/trust/NAME/", "Signers of clients' certificates."),
            ("/run/secrets/", "mqAdminPassword, mqAppPassword and mqReaderPassword."),
        ],
    ),
    page_of(
        "chkmqstarted",
        &[("Check whether the start is over", "quaymaster chkmqstarted")],
        CHECK,
        LOCALLY,
        &[SOCKET],
    ),
    page_of("chkmqready", &[("Check whether the server is ready", "quaymaster chkmqready")], CHECK, LOCALLY, &[SOCKET]),
    page_of(
        "chkmqhealthy",
        &[("Check whether one queue manager runs", "quaymaster chkmqhealthy -m QM1")],
        CHECK,
        LOCALLY,
        &[SOCKET],
    ),
    page_of(
        "apikey create",
        &[
            (
                "Let a program put and get on the queues ORDERS.* for 90 days",
                "quaymaster apikey create --user app --queue \"ORDERS.*\" --may put,get --expires 90d --name billing",
            ),
            (
                "Let a program publish below orders/",
                "quaymaster apikey create --user app --topic \"orders/#\" --may publish",
            ),
        ],
        LOCAL,
        LOCALLY,
        API_KEYS,
    ),
    page_of(
        "apikey list",
        &[("List the keys with their last use", "quaymaster apikey list")],
        LOCAL,
        LOCALLY,
        API_KEYS,
    ),
    page_of(
        "apikey revoke",
        &[("Revoke a key by its id", "quaymaster apikey revoke 0a1b2c3d4e5f")],
        LOCAL,
        LOCALLY,
        API_KEYS,
    ),
    page_of(
        "doctor",
        &[("Look at everything that can be looked at without a change", "quaymaster doctor")],
        DOCTOR,
        LOCALLY,
        &[SOCKET, CONFIGURATION],
    ),
    page_of(
        "support",
        &[("Write an archive of what those who help ask for", "quaymaster support --out support.tar.gz")],
        LOCAL,
        LOCALLY,
        &[SOCKET, CONFIGURATION],
    ),
    page_of(
        "group create",
        &[
            (
                "Make the tables of the group QSG1",
                "quaymaster group create QSG1 --database postgres://mq@db.example.com/mq",
            ),
            (
                "Make tables that the role mq_owner owns, for members that sign in as mq_member",
                "quaymaster group create QSG1 --database postgres://admin@db.example.com/mq --owner mq_owner --member-role mq_member",
            ),
        ],
        LOCAL,
        LOCALLY,
        &[CONFIGURATION],
    ),
    page_of(
        "group join",
        &[
            ("Check what this server's queue manager needs, and reserve its place", "quaymaster group join"),
            ("Check, and write nothing", "quaymaster group join --check"),
        ],
        LOCAL,
        LOCALLY,
        &[CONFIGURATION],
    ),
    page_of(
        "group leave",
        &[("Take the member QM3 out, which has ended", "quaymaster group leave QM3")],
        LOCAL,
        LOCALLY,
        &[CONFIGURATION],
    ),
    page_of(
        "group repair",
        &[
            ("Show what is stuck", "quaymaster group repair"),
            ("Count the depths of all queues again", "quaymaster group repair depths --apply"),
        ],
        REPAIR,
        LOCALLY,
        &[CONFIGURATION],
    ),
    page_of(
        "group status",
        &[("Show the group", "quaymaster group status"), ("Let a monitor read it", "quaymaster group status --json")],
        STATUS,
        LOCALLY,
        &[CONFIGURATION],
    ),
    page_of(
        "group upgrade",
        &[(
            "Bring the tables to the version of this program, as their owner",
            "quaymaster group upgrade --database postgres://admin@db.example.com/mq",
        )],
        LOCAL,
        LOCALLY,
        &[CONFIGURATION],
    ),
    page_of(
        "group move",
        &[(
            "Move ORDERS to the database of the structure APP2",
            "quaymaster group move ORDERS --structure APP2 --qmgr QM1",
        )],
        ONE_COMMAND,
        ANYWHERE,
        REACH,
    ),
    page_of(
        "config explain",
        &[("Show the keys of the section tls", "quaymaster config explain tls")],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "config check",
        &[(
            "Check a file, and ask the servers of the directory",
            "quaymaster config check --connect data/quaymaster.toml",
        )],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "config compat",
        &[("Check a script of another queue manager", "quaymaster config compat qm1.mqsc")],
        SCRIPT,
        &[],
        &[],
    ),
    page_of(
        "config import",
        &[(
            "Convert an mqwebuser.xml into a configuration file",
            "quaymaster config import mqwebuser.xml --out data/quaymaster.toml",
        )],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "config reload",
        &[("Let the server read its configuration and certificates again", "quaymaster config reload")],
        REMOTE,
        LOCALLY,
        &[SOCKET],
    ),
    page_of(
        "config password",
        &[("Encode a password for [web.users]", "quaymaster config password < password.txt")],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "copybook layout",
        &[("Show where each item of a record is", "quaymaster copybook layout LOANREQ.cpy")],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "copybook schema",
        &[("Print the JSON Schema of a record", "quaymaster copybook schema LOANREQ.cpy")],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "copybook encode",
        &[(
            "Convert JSON to a record",
            "quaymaster copybook encode LOANREQ.cpy --data loan.json --codepage 037 > loan.bin",
        )],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "copybook decode",
        &[("Convert a record to JSON", "quaymaster copybook decode LOANREQ.cpy --data loan.bin --codepage 037")],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "service new",
        &[
            ("Ask for what is needed, and make the files", "quaymaster service new LOANREQ.cpy LOANREP.cpy"),
            (
                "Without questions, in a script",
                "quaymaster service new LOANREQ.cpy LOANREP.cpy --name loan --compiler gnucobol --yes",
            ),
        ],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "service build",
        &[("Build the archive of a service", "quaymaster service build loan --out loan.sar")],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "service show",
        &[("Show the contents of an archive", "quaymaster service show loan.sar")],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "zconbt",
        &[("Make the archive of an API requester", "quaymaster zconbt -p requester.properties -f requester.ara")],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "log inspect",
        &[("Show the log of a queue manager", "quaymaster log inspect QM1")],
        &[
            (0, "The log is whole."),
            (1, "The log is damaged or incomplete, or cannot be read."),
            (2, "An argument or an option is wrong."),
        ],
        LOCALLY,
        &[("DIR/qmgrs/NAME/log/", "Recovery log of a queue manager.")],
    ),
    page_of(
        "log verify",
        &[("Check every byte of the log of a queue manager", "quaymaster log verify QM1")],
        &[
            (0, "The log is whole."),
            (1, "The log is damaged, or cannot be read."),
            (2, "An argument or an option is wrong."),
        ],
        LOCALLY,
        &[SOCKET, ("DIR/qmgrs/NAME/log/", "Recovery log of a queue manager.")],
    ),
    page_of(
        "log salvage",
        &[
            ("Read what can be read of a damaged log", "quaymaster log salvage QM1 --to salvaged"),
            ("Make a queue manager of it", "quaymaster restore QM2 --from salvaged"),
        ],
        SALVAGE,
        LOCALLY,
        &[("DIR/qmgrs/NAME/log/", "Recovery log of a queue manager. It stays as it is.")],
    ),
    page_of(
        "log quarantine list",
        &[("List the messages that cannot be delivered", "quaymaster log quarantine list -m QM1")],
        REMOTE,
        LOCALLY,
        &[SOCKET],
    ),
    page_of(
        "log quarantine export",
        &[("Keep what can be read of a message", "quaymaster log quarantine export 4294967301 > message.bin")],
        REMOTE,
        LOCALLY,
        &[SOCKET],
    ),
    page_of(
        "log quarantine remove",
        &[("Remove a message for good", "quaymaster log quarantine remove 4294967301")],
        REMOTE,
        LOCALLY,
        &[SOCKET],
    ),
    page_of(
        "backup",
        &[
            ("Back up the only queue manager while it runs", "quaymaster backup --to backups/QM1"),
            ("Copy what is new since then", "quaymaster backup --to backups/QM1"),
            ("Write a compressed backup into one file", "quaymaster backup --to - | gzip > QM1.tar.gz"),
        ],
        REMOTE,
        LOCALLY,
        &[SOCKET, ("DIR/qmgrs/NAME/log/", "Recovery log of a queue manager.")],
    ),
    page_of(
        "restore",
        &[
            ("Make the queue manager QM1 again", "quaymaster restore --from backups/QM1"),
            ("Make a copy of it with another name", "quaymaster restore QM2 --from backups/QM1"),
            ("Check a backup", "quaymaster restore --from backups/QM1 --verify"),
            ("Restore from a compressed file", "gzip -d < QM1.tar.gz | quaymaster restore --from -"),
        ],
        LOCAL,
        LOCALLY,
        &[("DIR/qmgrs/NAME/log/", "Recovery log of a queue manager.")],
    ),
    page_of(
        "workload run",
        &[(
            "Run a scenario with ten clients for half a minute",
            "quaymaster workload run --scenario put-get --clients 10 --duration 30s",
        )],
        &[
            (0, "The load ran, and no message was lost or seen twice."),
            (1, "The load could not run, or a message was lost or seen twice."),
            (2, "An argument or an option is wrong."),
        ],
        &[],
        &[],
    ),
    page_of(
        "workload responder",
        &[(
            "Answer the requests of a queue with 1000 bytes each",
            "quaymaster workload responder --queue DEV.QUEUE.1 --response-size 1000 --channel DEV.APP.SVRCONN \
             --password-file quaymaster-data/initial-passwords",
        )],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "workload provider",
        &[(
            "Serve the remote API of the published report on another port",
            "quaymaster workload provider --listen 127.0.0.1:3189",
        )],
        LOCAL,
        &[],
        &[],
    ),
    page_of("tables list", &[("List the published tables", "quaymaster tables list")], LOCAL, &[], &[]),
    page_of(
        "tables run",
        &[("Measure one experiment with few repetitions", "quaymaster tables run --quick messaging")],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "links",
        &[("Make runmqsc, dspmq and the others in a folder of the PATH", "quaymaster links ~/.local/bin")],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "completions",
        &[("Complete commands in this shell", "source <(quaymaster completions bash)")],
        LOCAL,
        &[],
        &[],
    ),
    page_of(
        "man",
        &[
            ("Read the page of a command", "quaymaster man config check | man -l -"),
            ("Write all pages into a folder of the MANPATH", "quaymaster man --out ~/.local/share/man/man1"),
        ],
        LOCAL,
        &[],
        &[],
    ),
];
