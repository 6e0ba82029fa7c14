//! Pods beside the first one of a chart that asks for native HA or for a multi-instance queue manager.
//!
//! One server holds a queue manager. Pods of one service that each held a queue manager on a volume of their own would give a message
//! to the program that happens to reach the same pod. So the first pod serves. The others serve nothing and are never ready.
//! Source: IBM MQ container documentation, 9.4: `MQ_NATIVE_HA`, `MQ_MULTI_INSTANCE`, exit codes of `chkmqready`.

use std::collections::BTreeMap;

use super::Container;
use super::variables::is_yes;

/// What IBM's image would be in such a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spare {
    Standby,
    Replica,
}

impl Container {
    /// `None`: this container serves.
    pub(crate) fn spare(&self) -> Option<Spare> {
        let asks = |name| self.variables.get(name).is_some_and(|text| is_yes(text));
        let spare = if asks("MQ_NATIVE_HA") {
            Spare::Replica
        } else if asks("MQ_MULTI_INSTANCE") {
            Spare::Standby
        } else {
            return None;
        };
        is_beside_the_first(&self.variables, &self.host).then_some(spare)
    }

    /// What the log of a spare pod says.
    pub(crate) fn spare_sentence(&self) -> String {
        format!(
            "{} serves nothing and is never ready: one server holds the data of a queue manager, and that is the first pod. Set \
             queueManager.nativeha.enable and queueManager.multiinstance.enable to false to run one pod",
            self.host
        )
    }
}

/// By the names of the three instances; without them, by the number that a StatefulSet gives its pods.
fn is_beside_the_first(variables: &BTreeMap<String, String>, host: &str) -> bool {
    let instance = |number: u8| variables.get(&format!("MQ_NATIVE_HA_INSTANCE_{number}_NAME"));
    match instance(0) {
        Some(_) => [1, 2].into_iter().any(|number| instance(number).is_some_and(|name| name == host)),
        None => {
            host.rsplit_once('-').and_then(|(_, number)| number.parse::<u32>().ok()).is_some_and(|number| number > 0)
        }
    }
}
