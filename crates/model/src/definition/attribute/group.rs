//! Groups of queue manager attributes that DISPLAY QMGR shows by one keyword.
//!
//! Source: MQ reference, "DISPLAY QMGR", 9.3. What belongs to no other group is in SYSTEM.

use crate::definition::attribute::{Kind, Membership};

const CHINIT: &[&str] = &[
    "CERTLABL", "CERTVPOL", "CHAD", "CHADEXIT", "CHLAUTH", "IPADDRV", "MONCHL", "REVDNS", "SCHINIT", "SSLCRLNL",
    "SSLCRYP", "SSLFIPS", "SSLKEYR", "SSLRKEYC", "STATCHL", "SUITEB",
];
const CLUSTER: &[&str] = &[
    "CLWLDATA", "CLWLEXIT", "CLWLLEN", "CLWLMRUC", "CLWLUSEQ", "DEFCLXQ", "MONACLS", "QMID", "REPOS", "REPOSNL",
    "STATACLS",
];
const EVENT: &[&str] = &[
    "AUTHOREV", "CHADEV", "CHLEV", "CMDEV", "CONFIGEV", "INHIBTEV", "LOCALEV", "LOGGEREV", "PERFMEV", "REMOTEEV",
    "SSLEV", "STRSTPEV",
];
const PUBSUB: &[&str] = &["PARENT", "PSCLUS", "PSMODE", "PSNPMSG", "PSNPRES", "PSRTYCNT", "PSSYNCPT", "TREELIFE"];
const NAMED: [(&str, &[&str]); 4] = [("CHINIT", CHINIT), ("CLUSTER", CLUSTER), ("EVENT", EVENT), ("PUBSUB", PUBSUB)];

/// Every group's keyword.
pub const QUEUE_MANAGER_GROUPS: [&str; 5] = ["SYSTEM", "CHINIT", "CLUSTER", "EVENT", "PUBSUB"];

/// The attributes of a group, by the keywords of the attribute table and in its order.
pub fn queue_manager_group(group: &str, membership: Membership) -> Vec<&'static str> {
    let belongs = |keyword: &str| {
        let named = NAMED.iter().find(|(_, keywords)| keywords.contains(&keyword));
        named.map_or("SYSTEM", |(name, _)| name) == group
    };
    membership.of(Kind::QueueManager).map(|row| row.mqsc).filter(|keyword| belongs(keyword)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attribute_of_a_group_is_in_the_table_and_every_attribute_in_one_group() {
        for (group, keywords) in NAMED {
            assert_eq!(queue_manager_group(group, Membership::Member).len(), keywords.len(), "{group}");
        }
        let all: usize =
            QUEUE_MANAGER_GROUPS.map(|group| queue_manager_group(group, Membership::Member).len()).iter().sum();
        assert_eq!(all, Membership::Member.of(Kind::QueueManager).count());
    }
}
