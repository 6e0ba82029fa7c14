//! What may happen to the members of a group. Each fault is over when its function returns.

use std::time::Duration;

use anyhow::{Context, Result};
use rand::Rng;
use rand::rngs::StdRng;

use super::site::{Member, Site};

/// A member that shows no life for six seconds is recovered by a peer: shorter and longer faults are both of interest.
const LONGEST_MS: u64 = 9_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Killed,
    /// Two at once.
    TwoKilled,
    /// SIGSTOP, and SIGCONT after this time.
    Stopped(Duration),
    /// Its connections to the database end, and new ones are made.
    ConnectionsCut,
    /// Nothing comes through between it and the database for this time.
    Parted(Duration),
    /// Members do not hear each other for this time.
    Deaf(Duration),
}

/// One of them, at a random moment.
pub(crate) fn any(site: &Site, random: &mut StdRng) -> Result<()> {
    let time = if random.gen_bool(0.3) { random.gen_range(6_500..LONGEST_MS) } else { random.gen_range(50..2_500) };
    let time = Duration::from_millis(time);
    let fault = match random.gen_range(0..12) {
        0..4 => Fault::Killed,
        4 => Fault::TwoKilled,
        5..7 => Fault::Stopped(time),
        7..9 => Fault::ConnectionsCut,
        9..11 => Fault::Parted(time),
        _ => Fault::Deaf(time),
    };
    let victim = random.gen_range(0..site.members().len());
    // At any moment of their work.
    pause(Duration::from_micros(random.gen_range(0..200_000)));
    eprintln!("group: {fault:?} {}", site.members()[victim].name);
    happen(site, fault, victim)
}

pub(crate) fn happen(site: &Site, fault: Fault, victim: usize) -> Result<()> {
    let member = &site.members()[victim];
    match fault {
        Fault::Killed => kill(&[member]),
        Fault::TwoKilled => kill(&[member, &site.members()[(victim + 1) % site.members().len()]]),
        Fault::Stopped(time) => {
            member.signal("STOP")?;
            pause(time);
            member.signal("CONT")
        }
        Fault::ConnectionsCut => {
            member.proxy.as_ref().context("it has a proxy")?.cut();
            Ok(())
        }
        Fault::Parted(time) => {
            let proxy = member.proxy.as_ref().context("it has a proxy")?;
            proxy.refuse(true);
            proxy.stall(true);
            pause(time);
            proxy.cut();
            proxy.stall(false);
            proxy.refuse(false);
            Ok(())
        }
        Fault::Deaf(time) => {
            site.hear(false);
            pause(time);
            site.hear(true);
            Ok(())
        }
    }
}

fn kill(members: &[&Member]) -> Result<()> {
    members.iter().try_for_each(|member| member.kill())?;
    members.iter().try_for_each(|member| member.start())
}

/// The length of a fault is what is tested, so it is a time and not a condition.
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}
