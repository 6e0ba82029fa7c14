//! Processors and memory, of the machine and of this process, as Linux tells them under `/proc`.
//!
//! In a container the figures of the machine are those of the host.

use crate::instrumentation::monitoring::disk::share;

/// Counters of processor time since the start of the machine, in its ticks, and what is so at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    all: u64,
    user: u64,
    system: u64,
    own_user: u64,
    own_system: u64,
    /// Hundredths, over one, five and fifteen minutes.
    load: [u64; 3],
    memory_kib: u64,
    available_kib: u64,
    own_kib: u64,
}

/// Between two readings. Shares of all processors together, in hundredths of a percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MachineUse {
    pub(super) user_share: u64,
    pub(super) system_share: u64,
    pub(super) own_user_share: u64,
    pub(super) own_system_share: u64,
    pub(super) load: [u64; 3],
    pub(super) memory_mib: u64,
    pub(super) free_share: u64,
    pub(super) own_mib: u64,
}

impl Reading {
    /// `None` where `/proc` does not tell.
    pub(super) fn take() -> Option<Self> {
        let read = |file| std::fs::read_to_string(file).ok();
        Self::parse(
            &read("/proc/stat")?,
            &read("/proc/self/stat")?,
            &read("/proc/loadavg")?,
            &read("/proc/meminfo")?,
            &read("/proc/self/status")?,
        )
    }

    fn parse(machine: &str, own: &str, load: &str, memory: &str, status: &str) -> Option<Self> {
        // user, nice, system, idle, iowait, irq, softirq, steal
        let times: Vec<u64> =
            machine.lines().next()?.strip_prefix("cpu ")?.split_whitespace().take(8).map_while(number).collect();
        let &[user, nice, system, _, _, interrupts, soft_interrupts, ..] = &*times else { return None };
        // The name of the program, in parentheses, may hold anything; 14 and 15 of the fields are times.
        let mut fields = own.get(own.rfind(')')? + 1..)?.split_ascii_whitespace().skip(11).map_while(number);
        let (own_user, own_system) = (fields.next()?, fields.next()?);
        let mut averages = load.split_whitespace().map_while(hundredths);
        Some(Self {
            all: times.iter().sum(),
            user: user + nice,
            system: system + interrupts + soft_interrupts,
            own_user,
            own_system,
            load: [averages.next()?, averages.next()?, averages.next()?],
            memory_kib: kibibytes(memory, "MemTotal:")?,
            available_kib: kibibytes(memory, "MemAvailable:")?,
            own_kib: kibibytes(status, "VmRSS:")?,
        })
    }

    pub(super) fn since(&self, before: &Self) -> MachineUse {
        let all = self.all.saturating_sub(before.all);
        let part = |now: u64, before: u64| share(now.saturating_sub(before), all);
        MachineUse {
            user_share: part(self.user, before.user),
            system_share: part(self.system, before.system),
            own_user_share: part(self.own_user, before.own_user),
            own_system_share: part(self.own_system, before.own_system),
            load: self.load,
            memory_mib: self.memory_kib >> 10,
            free_share: share(self.available_kib, self.memory_kib),
            own_mib: self.own_kib >> 10,
        }
    }
}

fn number(text: &str) -> Option<u64> {
    text.parse().ok()
}

/// `1.25` is 125.
fn hundredths(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.')?;
    Some(number(whole)? * 100 + number(part.get(..2)?)?)
}

fn kibibytes(text: &str, label: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(label))?;
    number(line.trim().strip_suffix("kB")?.trim())
}

#[cfg(test)]
mod tests;
