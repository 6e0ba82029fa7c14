//! The MQAI: bags by themselves, as messages, and against the command server.

use anyhow::Result;

use super::reach::Reach;
use super::{House, prints};

const EXPECTED: &str = "\
MQCONNX 0 0
two kinds of bag 2 2046
new bag 0 0 items 9
new group 0 0 items 2
mqAddInteger 0 0
another type 2 2313
not of its range 2 2304
system selector 2 2304
mqAddByteStringFilter 0 0
mqAddBag 0 0
no group 2 2326
all 0 0 items 9
mqSetInteger 0 0 value 22
which of two 2 2305
instead of all 0 0 value 9
wrong type 2 2312
mqSetInteger64 0 0 value 6000000000
mqSetString 0 0 <green       > length 5 ccsid 1208
mqSetByteString 0 0 0 4
mqSetIntegerFilter 0 0 value 4 operator 4
mqSetStringFilter 0 0 <cd* > operator 21
mqSetByteStringFilter 0 0 length 1 operator 5
mqInquireBag 0 0 same 1
mqInquireItemInfo 0 0 selector 13 type 4
short 1 2311 <gre> length 5
character set of the bag 0 0
in EBCDIC 0 0 C1C240 ccsid 37
options of the bag 2 2302
system item 2 2329
mqDeleteItem 0 0
mqTruncateBag 0 0 items 2
fewer 2 2316
mqClearBag 0 0 items 9
character set 0 0 value 0
mqDeleteBag 0 0 handle -1
the group 0 0 items 1
deleted twice 2 2320
mqPad 0 0 <ab   >
mqPad short 1 2311 <abcd>
mqTrim 0 0 <ab>
mqBagToBuffer short 2 2005 needs 116
mqBagToBuffer 0 0 length 116 type 8 command 4711 parameters 3
mqBufferToBag 0 0 items 4
of a list 0 0 value 2
text 0 0 <text        > length 4 ccsid 1208
cut message 2 2303
without format 2 2317
mqPutBag 0 0
mqGetBag 0 0
command 0 0 value 4711
in the group 0 0 value 3
bag of the system 2 2315
none left 2 2033
mqExecute 0 0 responses 3
MAXDEPTH 0 0 value 5000
response of a deleted bag 2 2320 items -1
mqExecute on queues of the program 0 0 responses 3
MAXDEPTH 0 0 value 5000
response of a deleted bag 2 2320 items -1
refused command 2 3008
reason 0 0 value 2085
inquiry of a command that is none 2 2324
unknown option 2 2046
MQDISC 0 0
";

/// Where a cut takes a response, mqExecute waits a minute for it: connections are not cut here.
#[test]
fn bags_keep_items_become_messages_and_carry_commands_and_responses() -> Result<()> {
    House::new()?.by(&[Reach::Tls], |house| prints(&house.administering("bags")?.output()?, EXPECTED))
}
