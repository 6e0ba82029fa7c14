//! Each verb, right and wrong, by one program that prints how they ended.

use anyhow::Result;

use super::{House, prints};

pub(super) const EXPECTED: &str = "\
MQCONNX 0 0
MQCONNX again 1 2002
same 1
another thread 2 2018
MQDISC 0 0
handle -1
while another waits 2 2219
afterwards 0 0
two kinds of sharing 2 2046
MQCONNX 0 0
MQOPEN 0 0
MQPUT 0 0
MQCMIT 0 0
MQGET 0 0
body hello 5
MQBACK 0 0
MQGET short 1 2080
MQGET cut 1 2079
backouts 1 length 5
MQGET empty 2 2033
MQINQ 0 0
name DEV.QUEUE.1  depth 5000
MQINQ short 1 2008
MQCLOSE 0 0
handle -1
null MQMD 2 2026
MQMD version 9 2 2026
MQPMO version -1 2 2173
negative length 2 2005
null buffer 2 2004
persistence 77 2 2047
no such object 2 2019
no such connection 2 2018
MQOD identifier 2 2044
MQPMO as MQGMO 2 2186
MQBEGIN 2 2012
closed twice 2 2019
MQXCNVC 0 0
C1C2F140 3
negative source 2 2143
child, its parent's connection 2 2018
child, MQCONNX 0 0
child, MQOPEN 0 0
child, MQDISC 0 0
child ended 0
parent, MQCMIT 0 0
MQDISC 0 0
";

#[test]
fn verbs_of_every_version_thread_and_process_end_as_documented_and_nothing_is_printed() -> Result<()> {
    House::new()?.everywhere(|house| {
        let program = house.compile("verbs")?;
        house.through_cuts(|house| prints(&house.command(&program)?.output()?, EXPECTED))
    })
}
