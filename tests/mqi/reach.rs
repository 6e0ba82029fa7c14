//! How programs reach their server: as it is, by TLS, or through a proxy that cuts their connections at random moments.
//!
//! The library makes a lost connection again, because `mqclient.ini` says so. A call that was cut may still tell of it: its unit of
//! work is backed out (2003), or it may have been done or not (2549). `House::through_cuts` says what has to hold all the same.
//!
//! `QUAYMASTER_CUT_ROUNDS` sets how often a program is run through cuts (default 2). `QUAYMASTER_SEED` repeats the moments of cuts.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use group_harness::proxy::Proxy;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use system_tests::server::Server;

use super::House;
use crate::client::write;
use crate::crash::setting;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Plain,
    Tls,
    /// Without TLS.
    Cut,
    CutTls,
}

/// When connections are cut.
pub(super) struct Pace {
    /// Between two cuts.
    pub(super) gaps_ms: RangeInclusive<u64>,
    /// So many moments at most.
    pub(super) most: usize,
}

/// Longest gaps between cuts, for each round in turn: some programs take a tenth of a second, others many of them.
const LONGEST_GAPS_MS: [u64; 3] = [15, 400, 60];
/// Moments of a round. A wait begins anew after each cut, so cuts have to end before it can.
const MOMENTS: usize = 25;
/// The channels that every server has.
const CHANNELS: [&str; 2] = ["DEV.APP.SVRCONN", "DEV.ADMIN.SVRCONN"];
const CIPHER: &str = "ANY_TLS12_OR_HIGHER";
/// A program that has not ended after so many seconds is killed.
const LIMIT: &str = "900";

impl Reach {
    pub(super) fn is_tls(self) -> bool {
        matches!(self, Self::Tls | Self::CutTls)
    }

    pub(super) fn is_cut(self) -> bool {
        matches!(self, Self::Cut | Self::CutTls)
    }
}

/// A proxy in front of a server.
pub(super) struct Cutter {
    proxy: Proxy,
    random: Mutex<StdRng>,
}

impl Cutter {
    pub(super) fn before(server: &Server) -> Result<Self> {
        let seed: u64 = setting("QUAYMASTER_SEED")?.unwrap_or_else(rand::random);
        eprintln!("mqi: connections are cut by QUAYMASTER_SEED={seed}");
        let proxy = Proxy::start(server.mq_address()?.port());
        Ok(Self { proxy, random: Mutex::new(StdRng::seed_from_u64(seed)) })
    }

    fn random(&self) -> MutexGuard<'_, StdRng> {
        self.random.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cuts all connections at random moments while this runs; with how many were cut. `told` hears a number that grows before and
    /// after each moment, and is odd in between.
    pub(super) fn during<T>(
        &self,
        pace: &Pace,
        told: impl Fn(usize) -> Result<()> + Send,
        run: impl FnOnce() -> T,
    ) -> Result<(T, usize)> {
        let (end, ended) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let cutting = scope.spawn(move || -> Result<usize> {
                let mut cut = 0;
                for moment in 0..pace.most {
                    let gap = Duration::from_millis(self.random().gen_range(pace.gaps_ms.clone()));
                    if ended.recv_timeout(gap) != Err(mpsc::RecvTimeoutError::Timeout) {
                        break;
                    }
                    told(2 * moment + 1)?;
                    cut += self.proxy.cut();
                    told(2 * moment + 2)?;
                }
                Ok(cut)
            });
            let value = run();
            drop(end);
            let cut = cutting.join().map_err(|_| anyhow!("the thread that cuts panicked"))??;
            Ok((value, cut))
        })
    }
}

/// A program ended by a signal, or had to be killed: no cut excuses that.
#[derive(Debug)]
pub(super) struct Died(pub(super) String);

impl std::fmt::Display for Died {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Died {}

/// How often a program is run while its connections are cut.
pub(super) fn rounds() -> Result<usize> {
    Ok(setting("QUAYMASTER_CUT_ROUNDS")?.unwrap_or(2))
}

impl House {
    /// Where programs find the server.
    pub(super) fn address(&self) -> Result<SocketAddr> {
        match &self.cutter {
            Some(cutter) => Ok((Ipv4Addr::LOCALHOST, cutter.proxy.port()).into()),
            None => self.server.mq_address(),
        }
    }

    pub(super) fn cutter(&self) -> Result<&Cutter> {
        self.cutter.as_ref().context("connections are not cut")
    }

    /// A program; one whose connections are cut cannot wait for ever.
    pub(super) fn limited(&self, program: &std::path::Path) -> Command {
        if !self.reach.is_cut() {
            return Command::new(program);
        }
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", LIMIT]).arg(program);
        command
    }

    /// A program without a channel of its own takes this one.
    pub(super) fn lead(&self, command: &mut Command, channel: &str) -> Result<()> {
        if self.reach.is_cut() {
            let settings = self.folder.path().join("mqclient.ini");
            write(&settings, "CHANNELS:\n  DefRecon=YES\n  ReconDelay=(20,20)\n")?;
            command.env("MQCLNTCF", settings);
        }
        if !self.reach.is_tls() {
            command.env("MQSERVER", self.mqserver(channel)?);
            return Ok(());
        }
        // MQSERVER cannot name a CipherSpec.
        let table = self.folder.path().join(format!("{channel}.json"));
        let definition = serde_json::json!({ "channel": [{
            "name": channel,
            "type": "clientConnection",
            "clientConnection": {
                "connection": [{ "host": "127.0.0.1", "port": self.address()?.port() }],
                "queueManager": "QM1",
            },
            "transmissionSecurity": { "cipherSpecification": CIPHER },
        }] });
        write(&table, &definition.to_string())?;
        command.env_remove("MQSERVER").env("MQCCDTURL", table).env("MQSSLKEYR", self.server.ca_file());
        Ok(())
    }

    pub(super) fn secure_all(&self) -> Result<()> {
        CHANNELS.iter().try_for_each(|channel| self.secure(channel))
    }

    /// Where programs come by TLS, a channel refuses others.
    pub(super) fn secure(&self, channel: &str) -> Result<()> {
        if !self.reach.is_tls() {
            return Ok(());
        }
        self.mqsc(&format!("ALTER CHANNEL('{channel}') CHLTYPE(SVRCONN) SSLCIPH({CIPHER}) SSLCAUTH(OPTIONAL)"))
    }

    /// The CipherSpec of programs that define their channel themselves.
    pub(super) fn cipher(&self) -> Option<&'static str> {
        self.reach.is_tls().then_some(CIPHER)
    }

    /// On this server, and on another one for each further way to reach it. What is compiled in the folder stays.
    pub(super) fn everywhere(self, run: impl Fn(&Self) -> Result<()>) -> Result<()> {
        self.by(&[Reach::Tls, Reach::Cut], run)
    }

    /// On this server, and on another one for each of these ways.
    pub(super) fn by(self, further: &[Reach], run: impl Fn(&Self) -> Result<()>) -> Result<()> {
        run(&self)?;
        let mut house = self;
        for reach in further {
            house = house.moved(*reach)?;
            run(&house).with_context(|| format!("{reach:?}"))?;
        }
        Ok(())
    }

    /// Runs programs while their connections are cut, then once while they are not. Each run has to end by itself. One that met no
    /// cut has to end well, and so has the last one: whatever the others left, they left no message in doubt and no queue held.
    pub(super) fn through_cuts(&self, run: impl Fn(&Self) -> Result<()>) -> Result<()> {
        if self.reach.is_cut() {
            for (round, longest) in (1..=rounds()?).zip(LONGEST_GAPS_MS.into_iter().cycle()) {
                let pace = Pace { gaps_ms: 1..=longest, most: MOMENTS };
                let (ended, cut) = self.cutter()?.during(&pace, |_| Ok(()), || run(self))?;
                let told = ended.as_ref().err().map_or("as without cuts".to_owned(), |error| format!("{error:#}"));
                eprintln!("mqi: round {round}, {cut} connections cut: {}", told.chars().take(300).collect::<String>());
                if let Err(error) = ended {
                    let has_died = error.chain().any(<dyn std::error::Error>::is::<Died>);
                    ensure!(cut > 0 && !has_died, "{error:?}");
                }
                self.empty_queues()?;
            }
        }
        run(self)
    }

    /// What a cut connection held comes back within moments.
    fn empty_queues(&self) -> Result<()> {
        for queue in ["DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"] {
            let mut tries = 0;
            while let Err(error) = self.mqsc(&format!("CLEAR QLOCAL('{queue}')")) {
                tries += 1;
                ensure!(tries < 600, "{queue} stays in use: {error:#}");
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        Ok(())
    }
}
