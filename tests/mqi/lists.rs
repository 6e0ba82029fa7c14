//! Distribution lists: opened, put to with records, committed, backed out, and with queues that are not there.

use anyhow::Result;

use super::{House, prints};

const EXPECTED: &str = "\
negative count 2 2154
no records 2 2155
to get from a list 2 2046
MQOPEN 0 0 known 2 invalid 0
MQPUT 0 0 known 2 unknown 0 invalid 0
DEV.QUEUE.1 0 0 <to both> correlation 
DEV.QUEUE.2 0 0 <to both> correlation 
MQINQ of a list 2 2019
MQCLOSE 0 0
MQPUT 2 2019 known 2 unknown 0 invalid 0
MQOPEN 1 2136 known 2 invalid 1
  0: 0 0
  1: 0 0
  2: 2 2085
MQPUT 1 2136 known 2 unknown 0 invalid 1
  0: 0 0
  1: 0 0
  2: 2 2137
identifiers 1 1 1
DEV.QUEUE.1 2 2033 <> correlation 
MQCMIT 0 0
DEV.QUEUE.1 0 0 <with records> correlation one 
DEV.QUEUE.2 0 0 <with records> correlation two 
MQPUT 1 2136 known 2 unknown 0 invalid 1
MQBACK 0 0
DEV.QUEUE.2 2 2033 <> correlation 
MQPUT 2 2158 known 2 unknown 0 invalid 1
MQPUT 2 2159 known 2 unknown 0 invalid 1
MQCLOSE 0 0
MQPUT1 1 2136
  0: 0 0
  1: 0 0
  2: 2 2085
DEV.QUEUE.1 0 0 <once> correlation 
DEV.QUEUE.2 0 0 <once> correlation 
none is there 2 2085
handle -1
MQDISC 0 0
";

#[test]
fn a_message_is_put_to_every_queue_of_a_list_and_each_queue_tells_how_it_went() -> Result<()> {
    House::new()?.everywhere(|house| {
        let program = house.compile("lists")?;
        house.through_cuts(|house| prints(&house.command(&program)?.output()?, EXPECTED))
    })
}
