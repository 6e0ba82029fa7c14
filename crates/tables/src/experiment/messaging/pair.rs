//! What the messaging experiments run against: a queue manager in one process, the web tier that reaches it through a channel in
//! another, and a responder in a third. So each figure counts processes, and nothing is split by estimate.

use std::path::{Path, PathBuf};

use workload::client::single::{Answer, Single};
use workload::client::target::Trust;
use workload::plan::{Choices, Scenario};

use crate::error::TablesError;
use crate::session::Session;
use crate::setting::process::Process;
use crate::setting::server::{Server, ServerPlan};

pub(in crate::experiment) const REQUEST_QUEUE: &str = "TABLES.REQUEST";
pub(in crate::experiment) const REPLY_QUEUE: &str = "TABLES.REPLY";
/// The queue manager's name, and what the web tier calls it.
const QUEUE_MANAGER: &str = "QM1";
pub(in crate::experiment) const REMOTE: &str = "FAR";
/// Channel of the clients with TLS; without it they use the developer default.
pub(in crate::experiment) const TLS_CHANNEL: &str = "TABLES.TLS";
pub(in crate::experiment) const PLAIN_CHANNEL: &str = "DEV.APP.SVRCONN";
/// Names of what is counted.
pub(in crate::experiment) const WEB: &str = "web";
pub(in crate::experiment) const MANAGER: &str = "queue-manager";
pub(in crate::experiment) const RESPONDER: &str = "responder";
pub(in crate::experiment) const REPLY_BYTES: usize = 1024;
/// Connections that get requests: as many as there are clients at most.
const RESPONDERS: &str = "200";
const PASSWORD: &str = "password-of-tables";

pub(in crate::experiment) struct Pair {
    pub(in crate::experiment) manager: Server,
    pub(in crate::experiment) webs: Vec<Server>,
    pub(in crate::experiment) responder: Process,
    pub(in crate::experiment) passwords: PathBuf,
}

impl Pair {
    /// `script`: MQSC beside the definitions that all need. `webs`: a configuration for each web tier.
    pub(in crate::experiment) fn start(session: &Session, script: &str, webs: &[&str]) -> Result<Self, TablesError> {
        Self::start_configured(session, script, "", webs)
    }

    /// The same, with a configuration of the queue manager's process.
    pub(in crate::experiment) fn start_configured(
        session: &Session,
        script: &str,
        configuration: &str,
        webs: &[&str],
    ) -> Result<Self, TablesError> {
        let setting = session.setting();
        session.tell("starting a queue manager");
        let definitions = format!(
            "DEFINE QLOCAL({REQUEST_QUEUE}) MAXDEPTH(100000)\nDEFINE QLOCAL({REPLY_QUEUE}) MAXDEPTH(100000)\n\
             DEFINE CHANNEL({TLS_CHANNEL}) CHLTYPE(SVRCONN) TRPTYPE(TCP) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)\n\
             SET CHLAUTH({TLS_CHANNEL}) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)\n\
             SET AUTHREC PROFILE(TABLES.**) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT, GET, BROWSE, INQ)\n{script}"
        );
        let plan = with_passwords(ServerPlan::named(MANAGER)).with_channels().running(QUEUE_MANAGER, definitions);
        let plan = plan.configured(configuration);
        let manager = setting.server(&plan)?;
        let passwords = password_file(&setting.new_folder("passwords")?)?;
        let far = remote_entry(manager.mq_address()?);
        let start_web = |configuration: &&str| {
            session.tell("starting a web server");
            setting.server(&with_passwords(ServerPlan::named(WEB)).configured(&format!("{configuration}{far}")))
        };
        let webs = webs.iter().map(start_web).collect::<Result<Vec<_>, _>>()?;
        let size = REPLY_BYTES.to_string();
        let file = passwords.display().to_string();
        let responder = setting.process(
            RESPONDER,
            &[
                "workload",
                "responder",
                "--channel",
                PLAIN_CHANNEL,
                "--mq",
                manager.mq_address()?,
                "--queue",
                REQUEST_QUEUE,
                "--connections",
                RESPONDERS,
                "--response-size",
                &size,
                "--password-file",
                &file,
            ],
        )?;
        Ok(Self { manager, webs, responder, passwords })
    }

    /// What all clients have in common: request, reply, user, and what is counted beside the web tier.
    pub(in crate::experiment) fn base(&self) -> Choices {
        Choices {
            scenario: Some(Scenario::RequestReply),
            clients: Some(10),
            threads: Some(1),
            queue: Some(REQUEST_QUEUE.to_owned()),
            reply_queue: Some(REPLY_QUEUE.to_owned()),
            request_size: Some(48),
            response_size: Some(REPLY_BYTES),
            user: Some("app".to_owned()),
            password_file: Some(self.passwords.clone()),
            pid: [(MANAGER.to_owned(), self.manager.pid()), (RESPONDER.to_owned(), self.responder.pid())].into(),
            ..Choices::default()
        }
    }

    /// Clients of the REST API of a web tier.
    pub(in crate::experiment) fn by_web(&self, web: &Server) -> Result<Choices, TablesError> {
        let mut choices = self.base();
        choices.url = Some(web.https_url()?);
        choices.cacert = Some(web.cacert());
        choices.queue_manager = Some(REMOTE.to_owned());
        choices.pid.insert(WEB.to_owned(), web.pid());
        Ok(choices)
    }

    /// Clients of the channel.
    pub(in crate::experiment) fn by_channel(&self, tls: bool) -> Result<Choices, TablesError> {
        Ok(Choices {
            channel: Some(if tls { TLS_CHANNEL } else { PLAIN_CHANNEL }.to_owned()),
            mq: Some(self.manager.mq_address()?.to_owned()),
            cacert: tls.then(|| self.manager.cacert()),
            // Each connection negotiates its key, as the document describes.
            tls_resumption: tls.then_some(false),
            ..self.base()
        })
    }

    /// Everything is still there.
    pub(in crate::experiment) fn check(&mut self) -> Result<(), TablesError> {
        self.manager.check()?;
        self.webs.iter_mut().try_for_each(Server::check)?;
        self.responder.check()
    }

    /// Parts of command lines that are shown by a name.
    pub(in crate::experiment) fn shown(&self) -> Vec<(String, String)> {
        let mut shown = vec![(self.passwords.display().to_string(), "$PASSWORDS".to_owned())];
        let mut add = |server: &Server, name: &str, variable: &str| {
            shown.extend(server.https_url().ok().map(|url| (url, format!("${variable}_URL"))));
            shown.push((server.data().display().to_string(), format!("${variable}_DATA")));
            shown.push((format!("{name}={}", server.pid()), format!("{name}=${variable}_PID")));
        };
        add(&self.manager, MANAGER, "QM");
        for web in &self.webs {
            add(web, WEB, "WEB");
        }
        shown.extend(self.manager.mq_address().ok().map(|mq| (mq.to_owned(), "$MQ".to_owned())));
        shown.push((format!("{RESPONDER}={}", self.responder.pid()), format!("{RESPONDER}=$RESPONDER_PID")));
        shown
    }
}

/// The users' passwords are known to `ask` and in `Pair::passwords`.
pub(in crate::experiment) fn with_passwords(mut plan: ServerPlan) -> ServerPlan {
    for user in ["ADMIN", "APP", "READER"] {
        plan.environment.push((format!("MQ_{user}_PASSWORD"), PASSWORD.to_owned()));
    }
    plan
}

/// The web tier's connections may act for everybody who logs in there.
fn remote_entry(mq: &str) -> String {
    let (host, port) = mq.rsplit_once(':').unwrap_or((mq, "1414"));
    format!(
        "\n[remote_queue_managers.{REMOTE}]\nqueue_manager = '{QUEUE_MANAGER}'\nconnection_name = '{host}({port})'\n\
         channel = 'DEV.ADMIN.SVRCONN'\nuser = 'admin'\npassword = '{PASSWORD}'\n"
    )
}

fn password_file(folder: &Path) -> Result<PathBuf, TablesError> {
    let path = folder.join("passwords");
    write(&path, &format!("app {PASSWORD}\nadmin {PASSWORD}\n"))?;
    Ok(path)
}

#[expect(clippy::disallowed_methods, reason = "the files of a temporary folder need not last")]
pub(in crate::experiment) fn write(path: &Path, text: &str) -> Result<(), TablesError> {
    std::fs::write(path, text).map_err(|source| TablesError::File { what: "write", path: path.to_owned(), source })
}

/// Asks a server of this setting something as `admin`.
///
/// # Errors
/// There is no answer, or one that is no success.
pub(in crate::experiment) fn ask(
    server: &Server,
    (method, path): (&str, &str),
    content_type: &str,
    body: &[u8],
) -> Result<Answer, TablesError> {
    let unexpected = |what: String| TablesError::Unexpected { what: format!("{method} {path}: {what}") };
    let trust = Trust::CaFile(server.cacert());
    let url = server.https_url()?;
    let single =
        Single { url: &url, trust: &trust, user: "admin", password: PASSWORD, method, path, content_type, body };
    let answer = single.send().map_err(|error| unexpected(error.chain()))?;
    match answer.status {
        200..300 => Ok(answer),
        status => Err(unexpected(format!("{status} {}", String::from_utf8_lossy(&answer.body)))),
    }
}
