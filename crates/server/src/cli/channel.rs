//! `--channel` and `--ccdt`: put, get and browse as an application does, through a client channel.
//!
//! What the user may do is then decided by channel authentication and the authorities of that user, and a message that is
//! got leaves the queue only when it has been written to standard output: its get is committed after that.

use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use channel_client::address::ConnectionNames;
use channel_client::ccdt::Ccdt;
use channel_client::client::Client;
use channel_client::connection::{Connection, Put};
use channel_client::error::ChannelError;
use channel_client::options::{ConnectOptions, Credentials};
use channel_client::tls::{CertificateFiles, ServerNamePolicy, TlsOptions, Trust};
use clap::Args;
use model::descriptor::{Ccsid, Encoding, MessageDescriptor};
use model::name::ObjectName;
use model::options::{
    ConversionTarget, GetFlags, GetOptions, MatchOptions, ObjectDescriptor, OpenOptions, PutFlags, PutOptions,
};
use model::reason::Reason;

use super::exit_code::{FAILED, UNREACHABLE};
use super::failure::Failure;
use super::remote::Remote;
use crate::administration::MessageHeader;
use crate::administration::message::{correlation_id, message_id, queue_name};

const LOCAL: &str = "127.0.0.1(1414)";

#[derive(Debug, Clone, Args)]
pub(super) struct ChannelDoor {
    /// Connect through this server-connection channel, as an application does.
    ///
    /// The developer defaults have DEV.APP.SVRCONN. The user needs the authority to connect and to use the queue.
    /// Without --channel or --url the command acts as the server's owner, through a socket in the data directory.
    #[arg(long, value_name = "NAME", group = "far")]
    channel: Option<String>,
    /// Address of the queue manager: HOST:PORT, or a list to try in turn such as 'host(1414),other(1414)' [default:
    /// 127.0.0.1:1414].
    #[arg(long, value_name = "HOST:PORT", requires = "channel")]
    mq: Option<ConnectionNames>,
    /// Read channel, addresses and CipherSpec from a client channel definition table in JSON. --qmgr selects the entry,
    /// or with '*NAME' a group of entries.
    #[arg(long, value_name = "FILE", group = "far")]
    ccdt: Option<PathBuf>,
    /// CipherSpec of the channel [default: ANY_TLS12_OR_HIGHER with --cacert, else no TLS].
    #[arg(long, value_name = "SPEC", requires = "far")]
    cipher: Option<String>,
    /// PEM file of a client certificate.
    #[arg(long, value_name = "FILE", requires_all = ["far", "key"])]
    certificate: Option<PathBuf>,
    /// PEM file of the client certificate's key.
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
    /// Host name that the server's certificate must contain [default: the host]; 'any' requires only a trusted signer,
    /// as IBM's clients do.
    #[arg(long, value_name = "NAME", requires = "far")]
    server_name: Option<String>,
}

/// Which messages, and what to do with their text.
#[derive(Debug, Clone)]
pub(super) struct Wanted<'a> {
    pub(super) queue: &'a str,
    pub(super) message_id: Option<&'a str>,
    pub(super) correlation_id: Option<&'a str>,
    pub(super) convert: bool,
    pub(super) browse: bool,
    pub(super) count: u64,
    pub(super) wait: Duration,
}

/// What is done with each message.
pub(super) type Show<'a> = &'a mut dyn FnMut(&MessageHeader, &[u8]) -> Result<(), Failure>;

impl ChannelDoor {
    pub(super) fn is_given(&self) -> bool {
        self.channel.is_some() || self.ccdt.is_some()
    }

    /// # Errors
    /// Exit code 2 for what cannot be an option's value, 20 when there is no connection, 1 when the queue manager refuses.
    pub(super) fn put(
        &self,
        remote: &Remote,
        queue_manager: Option<&str>,
        queue: &str,
        descriptor: MessageDescriptor,
        body: Bytes,
    ) -> Result<Put, Failure> {
        let object = object(queue)?;
        let options = PutOptions { flags: PutFlags::NO_SYNCPOINT | PutFlags::FAIL_IF_QUIESCING, context: None };
        self.run(remote, queue_manager, async |mut connection| {
            let put = connection.put1(&object, descriptor, &options, body).await.map_err(|error| failed(&error))?;
            connection.disconnect().await.map_err(|error| failed(&error))?;
            Ok(put)
        })
    }

    /// Shows messages one after another; how many there were.
    ///
    /// # Errors
    /// As `put`, or `show`'s.
    pub(super) fn messages(
        &self,
        remote: &Remote,
        queue_manager: Option<&str>,
        wanted: &Wanted<'_>,
        show: Show<'_>,
    ) -> Result<u64, Failure> {
        let object = object(wanted.queue)?;
        let mut options = get_options(wanted)?;
        self.run(remote, queue_manager, async |mut connection| {
            let open = if wanted.browse { OpenOptions::BROWSE } else { OpenOptions::INPUT_AS_Q_DEF };
            let queue = connection
                .open(&object, open | OpenOptions::FAIL_IF_QUIESCING)
                .await
                .map_err(|error| failed(&error))?
                .handle;
            let mut done = 0;
            while done < wanted.count {
                let got = match connection.get(queue, &options).await {
                    Ok(got) => got,
                    Err(error) if error.reason() == Reason::NoMsgAvailable => break,
                    Err(error) => return Err(failed(&error)),
                };
                show(&MessageHeader::of(&got.descriptor, got.warning), &got.body)?;
                if !wanted.browse {
                    connection.commit().await.map_err(|error| failed(&error))?;
                }
                done += 1;
                options.flags.remove(GetFlags::WAIT | GetFlags::BROWSE_FIRST);
                if wanted.browse {
                    options.flags.insert(GetFlags::BROWSE_NEXT);
                }
            }
            connection.disconnect().await.map_err(|error| failed(&error))?;
            Ok(done)
        })
    }

    /// Connects and works on a runtime of its own.
    fn run<T>(
        &self,
        remote: &Remote,
        queue_manager: Option<&str>,
        work: impl AsyncFnOnce(Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (runtime, connection) = self.connect(remote, queue_manager, None)?;
        runtime.block_on(work(connection))
    }

    /// A connection, and the runtime that it lives on. `user` counts when `--user` is not given.
    ///
    /// # Errors
    /// As `put`.
    pub(super) fn connect(
        &self,
        remote: &Remote,
        queue_manager: Option<&str>,
        user: Option<&str>,
    ) -> Result<(tokio::runtime::Runtime, Connection), Failure> {
        let client = self.client(remote, queue_manager, user)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let connection = runtime.block_on(client.connect()).map_err(|error| unconnected(&error))?;
        Ok((runtime, connection))
    }

    /// The channel and address of `MQSERVER`, `CHANNEL/TCP/host(port)`, unless an option names another way.
    ///
    /// # Errors
    /// The text has another form.
    pub(super) fn take_mqserver(&mut self, text: &str) -> Result<(), Failure> {
        if self.is_given() {
            return Ok(());
        }
        let wrong = || Failure::new(2, format!("MQSERVER: '{text}' is not valid, expected CHANNEL/TCP/host(port)"));
        let mut parts = text.splitn(3, '/');
        let (Some(channel), Some("TCP" | "tcp"), Some(address)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(wrong());
        };
        self.channel = Some(channel.to_owned());
        self.mq = Some(address.parse().map_err(|_| wrong())?);
        Ok(())
    }

    fn client(&self, remote: &Remote, queue_manager: Option<&str>, user: Option<&str>) -> Result<Client, Failure> {
        let usage = |sentence: String| Failure::new(2, sentence);
        let user = remote.user().or(user);
        let credentials =
            user.map(|user| Ok::<_, Failure>(Credentials { user: user.to_owned(), password: remote.password(user)? }));
        let local = || LOCAL.parse().map_err(|error| usage(format!("--mq: {error}")));
        let connections = self.mq.clone().map_or_else(local, Ok)?;
        let channel = self.channel.as_deref().unwrap_or("SYSTEM.DEF.SVRCONN");
        let channel = ObjectName::parse_within(channel, 20).map_err(|error| usage(format!("--channel: {error}")))?;
        let mut options = ConnectOptions::new(channel, connections);
        options.queue_manager = queue_manager.unwrap_or_default().to_owned();
        options.credentials = credentials.transpose()?;
        options.tls = self.tls(remote);
        options.sharing_conversations = 1;
        let client = match &self.ccdt {
            Some(file) => {
                Ccdt::read(file).map_err(ChannelError::from).and_then(|ccdt| Client::with_ccdt(options, ccdt))
            }
            None => Client::new(options),
        };
        client.map_err(|error| Failure::of(2, &error))
    }

    fn tls(&self, remote: &Remote) -> Option<TlsOptions> {
        let asked_for = self.cipher.is_some() || self.certificate.is_some() || remote.cacert().is_some();
        if !asked_for {
            return None;
        }
        let trust = remote.cacert().map_or(Trust::System, |file| Trust::CaFile(file.to_owned()));
        let mut tls = TlsOptions::trusting(trust);
        if let Some(cipher) = &self.cipher {
            tls.cipher_specification.clone_from(cipher);
        }
        tls.server_name = match self.server_name.as_deref() {
            None => ServerNamePolicy::Host,
            Some("any") => ServerNamePolicy::Any,
            Some(name) => ServerNamePolicy::Named(name.to_owned()),
        };
        let pair = self.certificate.clone().zip(self.key.clone());
        tls.certificate = pair.map(|(certificate, key)| CertificateFiles { certificate, key }.into());
        Some(tls)
    }
}

fn object(queue: &str) -> Result<ObjectDescriptor, Failure> {
    let name = queue_name(queue).map_err(|sentence| Failure::new(2, sentence))?;
    Ok(ObjectDescriptor { name, ..ObjectDescriptor::default() })
}

fn get_options(wanted: &Wanted<'_>) -> Result<GetOptions, Failure> {
    let first = if wanted.browse { GetFlags::BROWSE_FIRST } else { GetFlags::SYNCPOINT };
    let mut options = GetOptions { flags: first | GetFlags::FAIL_IF_QUIESCING, ..GetOptions::default() };
    if !wanted.wait.is_zero() {
        options.flags |= GetFlags::WAIT;
        options.wait = Some(wanted.wait);
    }
    if wanted.convert {
        options.flags |= GetFlags::CONVERT;
        options.target = Some(ConversionTarget { ccsid: Ccsid::UTF_8, encoding: Encoding::NATIVE });
    }
    let usage = |sentence| Failure::new(2, sentence);
    if wanted.message_id.is_some() {
        options.match_options |= MatchOptions::MSG_ID;
        options.message_id = message_id(wanted.message_id).map_err(usage)?;
    }
    if wanted.correlation_id.is_some() {
        options.match_options |= MatchOptions::CORREL_ID;
        options.correlation_id = correlation_id(wanted.correlation_id).map_err(usage)?;
    }
    Ok(options)
}

pub(super) fn failed(error: &ChannelError) -> Failure {
    match error.reason() {
        Reason::ConnectionBroken => Failure::of(UNREACHABLE, error),
        reason => Failure::of(FAILED, error).with_reason(reason),
    }
}

/// A refused user or name is the queue manager's answer; everything else means that it was not reached.
fn unconnected(error: &ChannelError) -> Failure {
    match error.reason() {
        reason @ (Reason::NotAuthorized | Reason::QMgrNameError) => Failure::of(FAILED, error).with_reason(reason),
        _ => Failure::of(UNREACHABLE, error),
    }
}
