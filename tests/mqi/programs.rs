//! Properties of messages and callbacks, each by a program that prints how its calls ended.

use anyhow::Result;

use super::reach::Reach;
use super::{House, prints};

const PROPERTIES: &str = "\
MQCRTMH 0 0
MQSETMP 0 0
wrong name 2 2442
wrong length 2 2469
wrong type 2 2473
MQPUT 0 0
format MQSTR   
MQDLTMH 0 0
MQGET short 1 2080
length 4
MQGET 0 0
body body format MQSTR   
  colour=blue
  size=42
end of list 2 2471
MQINQMP short 2 2469
MQINQMP 0 0
type 64 value 42
MQMHBUF 0 0
end of list 2 2471
MQBUFMH 0 0
left 0 format MQSTR   
MQDLTMP 0 0
  size=42
end of list 2 2471
deleted twice 2 2460
";

const CALLBACKS: &str = "\
start without callbacks 2 2446
without function 2 2486
MQCB 0 0
call type 1 reason 0 area consumer
MQCTL start 0 0
message one version 1 areas consumer connection
commit within 0 0
message two version 1 areas consumer connection
commit within 0 0
another thread 2 2500
MQCTL suspend 0 0
while suspended 0 0
message three version 1 areas consumer connection
commit within 0 0
MQCTL resume 0 0
call type 2 reason 0 area consumer
MQCTL stop 0 0
MQCB deregister 0 0
call type 5 reason 2033 area consumer
MQDISC while started 0 0
";

fn check(house: &House, name: &str, expected: &str) -> Result<()> {
    let program = house.compile(name)?;
    house.through_cuts(|house| prints(&house.command(&program)?.output()?, expected))
}

#[test]
fn properties_are_set_put_got_into_a_handle_and_moved_to_a_buffer_and_back() -> Result<()> {
    House::new()?.everywhere(|house| check(house, "properties", PROPERTIES))
}

/// Where connections are cut, `ledger.c` has functions called.
#[test]
fn functions_are_called_with_messages_until_the_program_stops_them() -> Result<()> {
    House::new()?.by(&[Reach::Tls], |house| check(house, "callbacks", CALLBACKS))
}
