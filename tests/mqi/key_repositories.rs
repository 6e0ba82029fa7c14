//! Key repositories in PKCS#12, as openssl and Java write them: which certificate a program shows, and what it is refused.

use std::path::Path;

use anyhow::{Result, ensure};
use tempfile::TempDir;

use super::{House, succeeded, text};
use crate::client::write;
use crate::interop::java::certificates::{Certificates, STORE_PASSWORD};

const OLD_CIPHER: &str = "TLS_RSA_WITH_AES_128_CBC_SHA256";

/// A server that admits CN=orders as a user and refuses CN=payments, and key repositories in a folder.
struct Site {
    house: House,
    folder: TempDir,
    certificates: Certificates,
}

impl Site {
    fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let at = folder.path();
        let certificates = Certificates::make(at, &["orders", "payments"])?;
        let made = "-genkeypair -keyalg EC -groupname secp256r1 -dname CN=orders -validity 2";
        certificates.keytool(&format!("{made} -alias java -keystore java.p12 -storepass {STORE_PASSWORD}"))?;
        certificates.openssl(&format!("pkcs12 -in java.p12 -nokeys -passin pass:{STORE_PASSWORD} -out java.crt"))?;
        let trusted: String = [certificates.authority(), at.join("java.crt")]
            .map(std::fs::read_to_string)
            .into_iter()
            .collect::<Result<_, _>>()?;
        write(&at.join("trusted.crt"), &trusted)?;
        let trusted = at.join("trusted.crt");
        let configuration = format!("[tls]\nclient_ca = '{}'\nold_cipherspecs = ['{OLD_CIPHER}']\n", trusted.display());
        let house = House::configured(&configuration)?;
        house.mqsc("DEFINE CHANNEL('APP.TLS') CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED)")?;
        for (name, user) in
            [("orders", "USERSRC(MAP) MCAUSER('app') CHCKCLNT(ASQMGR)"), ("payments", "USERSRC(NOACCESS)")]
        {
            house.mqsc(&format!("SET CHLAUTH('APP.TLS') TYPE(SSLPEERMAP) SSLPEER('CN={name}') {user}"))?;
        }
        std::fs::copy(house.server.ca_file(), at.join("server.crt"))?;
        let site = Self { house, folder, certificates };
        site.make_repositories()?;
        Ok(site)
    }

    fn make_repositories(&self) -> Result<()> {
        let export = format!(
            "pkcs12 -export -in orders.crt -inkey orders.key -certfile server.crt -name orders -passout pass:{STORE_PASSWORD}"
        );
        for (name, form) in [("modern", ""), ("legacy", " -legacy"), ("stashed", ""), ("newly", "")] {
            self.certificates.openssl(&format!("{export}{form} -out {name}.p12"))?;
        }
        stash(&self.folder.path().join("stashed.p12"))?;
        write_bytes(&self.folder.path().join("newly.sth"), &[0x4e; 193])?;
        write_bytes(&self.folder.path().join("old.kdb"), b"\0\0\0\x03 a key database")?;
        for name in ["orders", "payments"] {
            let source = format!("-srckeystore {name}.p12 -srcstoretype PKCS12 -srcstorepass {STORE_PASSWORD}");
            let target = format!("-destkeystore both.p12 -deststoretype PKCS12 -deststorepass {STORE_PASSWORD}");
            self.certificates.keytool(&format!("-importkeystore -noprompt {source} {target}"))?;
        }
        for name in ["both", "java"] {
            let store = format!("-keystore {name}.p12 -storepass {STORE_PASSWORD}");
            self.certificates.keytool(&format!("-importcert -noprompt -alias server -file server.crt {store}"))?;
        }
        Ok(())
    }

    /// What the program prints for these repositories, passwords and labels.
    fn connects(&self, cipher: &str, environment: &[(&str, &str)], triples: &[[&str; 3]]) -> Result<String> {
        let address = self.house.server.mq_address()?;
        let mut command = self.house.command(&self.house.compile("keys")?)?;
        command.env("ADDRESS", format!("{}({})", address.ip(), address.port())).env("CIPHER", cipher);
        command.env("MQ_OVERRIDE_DATA_PATH", self.folder.path()).envs(environment.iter().copied());
        let output = command.args(triples.iter().flatten()).current_dir(self.folder.path()).output()?;
        ensure!(output.stderr.is_empty(), "{}", text(&output.stderr));
        Ok(succeeded(&output)?.to_owned())
    }

    /// What the programs wrote to the error log since the last time.
    fn logged(&self) -> Result<String> {
        let file = self.folder.path().join("errors/AMQERR01.LOG");
        let text = std::fs::read_to_string(&file)?;
        std::fs::remove_file(&file)?;
        Ok(text)
    }
}

/// Writes the stash file of a repository, in the first form of IBM's tools.
pub(super) fn stash(repository: &Path) -> Result<()> {
    let masked: Vec<u8> = format!("{STORE_PASSWORD}\0").bytes().map(|byte| byte ^ 0xF5).collect();
    write_bytes(&repository.with_extension("sth"), &masked)
}

#[expect(clippy::disallowed_methods, reason = "a file in a temporary folder")]
fn write_bytes(file: &Path, content: &[u8]) -> Result<()> {
    Ok(std::fs::write(file, content)?)
}

const CONNECTED: &str = "\
modern.p12 - MQCONNX 0 0
modern - MQCONNX 0 0
legacy.p12 orders MQCONNX 0 0
java.p12 - MQCONNX 0 0
both.p12 orders MQCONNX 0 0
both.p12 PAYMENTS MQCONNX 2 2035
stashed.p12 - MQCONNX 0 0
";

#[test]
fn a_program_shows_the_certificate_that_the_label_names_of_a_repository_of_openssl_or_java() -> Result<()> {
    let site = Site::new()?;
    let any = "ANY_TLS12_OR_HIGHER";
    let own = STORE_PASSWORD;
    let triples = [
        ["modern.p12", own, "-"],
        ["modern", own, "-"],
        ["legacy.p12", own, "orders"],
        ["java.p12", own, "-"],
        ["both.p12", own, "orders"],
        ["both.p12", own, "PAYMENTS"],
        ["stashed.p12", "-", "-"],
    ];
    assert_eq!(site.connects(any, &[], &triples)?, CONNECTED);
    let by_environment = [("MQSSLKEYR", "both.p12"), ("MQKEYRPWD", own), ("MQCERTLABL", "orders")];
    assert_eq!(site.connects(any, &by_environment, &[["-", "-", "-"]])?, "- - MQCONNX 0 0\n");
    site.house.mqsc(&format!("ALTER CHANNEL('APP.TLS') CHLTYPE(SVRCONN) SSLCIPH({OLD_CIPHER})"))?;
    assert_eq!(site.connects(OLD_CIPHER, &[], &[["legacy.p12", own, "-"]])?, "legacy.p12 - MQCONNX 0 0\n");
    Ok(())
}

/// Repository, password, label; the reason, and what the error log says.
const REFUSED: [([&str; 3], i32, &str); 9] = [
    (["modern.p12", "another", "-"], 2381, "the password does not open it"),
    (["modern.p12", "-", "-"], 2381, "Set MQKEYRPWD"),
    (["modern.p12", "<MQI>!2!Zjee!rj2", "-"], 2381, "encrypted by runmqicred"),
    (["newly.p12", "-", "-"], 2381, "The stash file newly.sth has a form that is not published"),
    (["old.kdb", STORE_PASSWORD, "-"], 2381, "runmqakm -cert -export"),
    (["old", STORE_PASSWORD, "-"], 2381, "runmqakm -cert -export"),
    (["absent", STORE_PASSWORD, "-"], 2381, "There is no key repository absent, absent.pem, absent.p12 or absent.pfx"),
    (["both.p12", STORE_PASSWORD, "absent"], 2393, "no certificate with the label 'absent'"),
    (["server.crt", "-", "orders"], 2393, "has no key"),
];

#[test]
fn a_repository_that_cannot_be_used_is_refused_with_what_to_do_in_the_error_log() -> Result<()> {
    let site = Site::new()?;
    std::fs::create_dir(site.folder.path().join("errors"))?;
    for (triple, reason, logged) in REFUSED {
        let said = site.connects("ANY_TLS12_OR_HIGHER", &[], &[triple])?;
        assert_eq!(said, format!("{} {} MQCONNX 2 {reason}\n", triple[0], triple[2]));
        let log = site.logged()?;
        ensure!(log.contains(logged) && !log.contains(STORE_PASSWORD), "{logged}: {log}");
    }
    // Several certificates, and none is named: none is shown, which this channel does not take.
    let said = site.connects("ANY_TLS12_OR_HIGHER", &[], &[["both.p12", STORE_PASSWORD, "-"]])?;
    ensure!(said.starts_with("both.p12 - MQCONNX 2 "), "{said}");
    let log = site.logged()?;
    ensure!(log.contains("gets none of the key repository, which has several"), "{log}");
    Ok(())
}
