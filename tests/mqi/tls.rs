//! TLS: what a program says of it in MQCD and MQSCO.

use anyhow::Result;

use super::reach::Reach;
use super::{House, prints};

const EXPECTED: &str = "\
<> MQCONNX 0 0
<CN=localhost> MQCONNX 0 0
<CN=local*> MQCONNX 0 0
<CN=localhost,O=Example> MQCONNX 2 2398
<CN=other> MQCONNX 2 2398
<localhost> MQCONNX 2 2399
";

#[test]
fn the_certificate_of_the_queue_manager_has_to_match_the_peer_name_of_the_channel() -> Result<()> {
    let house = House::reached(Reach::Tls)?;
    house.open_channel("APP.TLS", "app")?;
    let mut command = house.command(&house.compile("tls")?)?;
    command.env("ADDRESS", house.connection_name()?).env("REPOSITORY", house.server.ca_file());
    prints(&command.output()?, EXPECTED)
}
