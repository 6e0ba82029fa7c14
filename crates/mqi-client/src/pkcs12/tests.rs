use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::*;

const PASSWORD: &str = "key-repository";

/// An authority, an issuer below it, and a certificate of that one, made by openssl.
struct House(TempDir);

impl House {
    fn new(kind: &str) -> Self {
        let house = Self(tempfile::tempdir().expect("a folder"));
        house.write("ca.cnf", "basicConstraints=critical,CA:TRUE\n");
        house.write("own.cnf", "basicConstraints=CA:FALSE\n");
        let request =
            |name: &str| format!("req -newkey {kind} -nodes -subj /CN={name} -keyout {name}.key -out {name}.csr");
        let root = "-nodes -subj /CN=root -days 2 -keyout root.key -out root.crt";
        house.openssl(&format!("req -x509 -newkey {kind} {root}"));
        for (name, issuer, extensions) in [("issuer", "root", "ca"), ("own", "issuer", "own")] {
            house.openssl(&request(name));
            let signed =
                format!("x509 -req -in {name}.csr -CA {issuer}.crt -CAkey {issuer}.key -CAcreateserial -days 2");
            house.openssl(&format!("{signed} -extfile {extensions}.cnf -out {name}.crt"));
        }
        let issuers = [house.text("issuer.crt"), house.text("root.crt")].concat();
        house.write("issuers.crt", &issuers);
        house
    }

    fn openssl(&self, arguments: &str) {
        let output = Command::new("openssl").args(arguments.split(' ')).current_dir(self.0.path()).output();
        let output = output.expect("openssl is installed");
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }

    #[expect(clippy::disallowed_methods, reason = "makes a file in a temporary folder")]
    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).expect("written");
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).expect("made")
    }

    /// What `openssl pkcs12 -export` writes with these options.
    fn export(&self, options: &str) -> Vec<u8> {
        self.openssl(&format!("pkcs12 -export -out made.p12 -passout pass:{PASSWORD} {options}"));
        std::fs::read(self.0.path().join("made.p12")).expect("made")
    }

    fn certificates(&self, names: &[&str]) -> Vec<CertificateDer<'static>> {
        let file = |name: &&str| self.0.path().join(format!("{name}.crt"));
        names.iter().flat_map(|name| handshake::files::certificates(Path::new(&file(name))).expect("made")).collect()
    }
}

const P256: &str = "ec -pkeyopt ec_paramgen_curve:P-256";
/// With a key, its certificate and its issuers.
const WHOLE: &str = "-inkey own.key -in own.crt -certfile issuers.crt -name ibmwebspheremqapp";

#[test]
fn files_are_read_in_the_modern_form_and_in_the_older_ones() {
    for kind in [P256, "rsa:2048"] {
        let house = House::new(kind);
        for form in [
            "-keypbe AES-256-CBC -certpbe AES-256-CBC -macalg sha256",
            "-legacy",
            "-keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1",
            "-keypbe AES-128-CBC -certpbe NONE -macalg sha512",
            "-nomac",
        ] {
            let repository = read(&house.export(&format!("{WHOLE} {form}")), PASSWORD).expect(form);
            assert_eq!(repository.labels(), "'ibmwebspheremqapp'", "{form}");
            let own = repository.labelled("IBMWebSphereMQApp").expect("in whatever case");
            assert_eq!(own.chain, house.certificates(&["own", "issuer"]), "{form}");
            assert_eq!(repository.signers, house.certificates(&["issuer", "root"]), "{form}");
        }
    }
}

#[test]
fn a_file_of_signers_alone_and_one_whose_certificate_signed_itself_are_trusted() {
    let house = House::new(P256);
    let signers = read(&house.export("-nokeys -in issuers.crt"), PASSWORD).expect("signers");
    assert_eq!((signers.labels().as_str(), signers.signers), ("none", house.certificates(&["issuer", "root"])));
    let own = read(&house.export("-inkey root.key -in root.crt"), PASSWORD).expect("its own");
    assert_eq!((own.labels().as_str(), own.signers), ("'CN=root'", house.certificates(&["root"])));
}

#[test]
fn a_key_of_another_curve_is_left_out_and_its_certificate_is_a_signer() {
    let house = House::new("ec -pkeyopt ec_paramgen_curve:secp256k1");
    let repository = read(&house.export(WHOLE), PASSWORD).expect("a repository");
    assert_eq!((repository.labels().as_str(), repository.signers.len()), ("none", 3));
}

#[test]
fn another_password_and_another_file_are_told_apart() {
    let house = House::new(P256);
    let file = house.export(WHOLE);
    assert!(matches!(read(&file, "other"), Err(Pkcs12Error::Password)));
    assert!(matches!(read(&file[..file.len() / 2], PASSWORD), Err(Pkcs12Error::Form(_))));
    assert!(matches!(read(b"\x30\x03\x02\x01\x03", PASSWORD), Err(Pkcs12Error::Form(_))));
}
