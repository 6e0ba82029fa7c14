//! What `xa_open` is told: `name=value` pairs between commas.

/// How to reach the queue manager.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenString {
    pub queue_manager: String,
    /// Blank: the environment and `mqclient.ini` say which.
    pub channel: String,
    /// Addresses between commas, as a channel definition has them.
    pub connection_name: String,
}

impl OpenString {
    /// `None`: no QMNAME, a channel without address or the other way round, another transport than TCP, or a name that is not
    /// known. TPM is read over, and AXLIB here: it is the switch that looks for functions of the transaction manager.
    pub fn parse(text: &str) -> Option<Self> {
        let mut string = Self::default();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=')?;
            let value = value.trim();
            match name.trim().to_ascii_uppercase().as_str() {
                "QMNAME" => value.clone_into(&mut string.queue_manager),
                "CHANNEL" => value.clone_into(&mut string.channel),
                "CONNAME" => string.connection_name = value.replace(';', ","),
                "TRPTYPE" if value.eq_ignore_ascii_case("TCP") => {}
                "TPM" | "AXLIB" => {}
                _ => return None,
            }
        }
        let is_whole = string.channel.is_empty() == string.connection_name.is_empty();
        (is_whole && !string.queue_manager.is_empty()).then_some(string)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_name_channel_addresses_and_queue_manager_in_any_case_and_order() {
        let parsed = OpenString::parse("channel=C1, trptype=tcp,CONNAME=h1(1414);h2(1415), QmName=QM1 ,tpm=Tuxedo");
        let expected = OpenString {
            queue_manager: "QM1".to_owned(),
            channel: "C1".to_owned(),
            connection_name: "h1(1414),h2(1415)".to_owned(),
        };
        assert_eq!(parsed, Some(expected));
        assert!(OpenString::parse("QMNAME=QM1").is_some_and(|string| string.channel.is_empty()));
        for wrong in
            ["", "CHANNEL=C1,CONNAME=h(1)", "QMNAME=QM1,CHANNEL=C1", "QMNAME=QM1,TRPTYPE=LU62", "QM1", "QMNAME=QM1,X=1"]
        {
            assert_eq!(OpenString::parse(wrong), None, "{wrong}");
        }
    }
}
