use std::sync::Arc;

use handshake::files::PersonalCertificate;
use model::reason::Reason;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use super::*;
use crate::ccdt::Ccdt;
use crate::key_repository::{KeyRepository, Labelled};

fn labelled(label: &str) -> Labelled {
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(label.as_bytes().to_vec()));
    let chain = vec![CertificateDer::from(label.as_bytes().to_vec())];
    Labelled { label: label.to_owned(), certificate: Arc::new(PersonalCertificate { chain, key }) }
}

#[test]
fn a_channel_of_a_table_shows_the_certificate_that_its_label_names_of_a_key_repository() {
    let repository = KeyRepository { personal: vec![labelled("orders"), labelled("payments")], signers: Vec::new() };
    let second = Arc::clone(&repository.personal[1].certificate);
    let mut options = ConnectOptions::new(ObjectName::BLANK, ConnectionNames::one("localhost", 1414));
    options.tls = Some(TlsOptions::trusting(Trust::Repository(Arc::new(repository))));
    let by = |label: &str| {
        let security = format!(r#"{{"cipherSpecification":"ANY_TLS13","certificateLabel":"{label}"}}"#);
        let connection = r#"{"connection":[{"host":"h","port":1}],"queueManager":"QM1"}"#;
        let channel = format!(
            r#"{{"name":"C","type":"clientConnection","clientConnection":{connection},"transmissionSecurity":{security}}}"#
        );
        let table = Ccdt::parse(&format!(r#"{{"channel":[{channel}]}}"#)).expect("a table");
        let made = options.with_channel(&table.channels()[0]);
        made.map(|made| made.tls.expect("TLS").certificate).map_err(|error| error.reason())
    };
    assert_eq!(by("PAYMENTS"), Ok(Some(OwnCertificate::Read(second))));
    assert_eq!(by(""), Ok(None));
    assert_eq!(by("absent"), Err(Reason::SslInitializationError));
}
