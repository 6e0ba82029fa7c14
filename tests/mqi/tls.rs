//! TLS: what a program says of it in MQCD and MQSCO.

use anyhow::{Result, ensure};

use super::{House, succeeded, text};

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
    let house = House::new()?;
    house.open_channel("APP.TLS", "app")?;
    house.mqsc("ALTER CHANNEL('APP.TLS') CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)")?;
    let address = house.server.mq_address()?;
    let mut command = house.command(&house.compile("tls")?)?;
    command.env("ADDRESS", format!("{}({})", address.ip(), address.port())).env("REPOSITORY", house.server.ca_file());
    let output = command.output()?;
    assert_eq!(succeeded(&output)?, EXPECTED);
    ensure!(output.stderr.is_empty(), "{}", text(&output.stderr));
    Ok(())
}
