//! OpenLDAP's slapd on free loopback ports, with a folder, a certificate and a database of its own, for one test.

use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use identity::options::{Ldap, LdapTls};
use tempfile::TempDir;

use crate::http::server::{make_certificate_of, make_signer};

pub(crate) const BASE: &str = "dc=example";
const ADMINISTRATOR: &str = "cn=admin,dc=example";
pub(crate) const SERVICE: &str = "cn=service,dc=example";

/// How often a start is tried: between choosing a port and listening on it, somebody else may take it.
const TRIES: usize = 5;

pub(crate) struct Slapd {
    folder: TempDir,
    child: Child,
    /// Without and with TLS from the first byte.
    ports: [u16; 2],
    /// PEM file of the signer of its certificate.
    pub(crate) signer: PathBuf,
}

impl Slapd {
    /// With the people and groups of `people.ldif`, and a certificate for `localhost`.
    pub(crate) fn start() -> Self {
        Self::start_as("localhost")
    }

    /// With a certificate for `host`.
    pub(crate) fn start_as(host: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let signer = make_signer(folder.path());
        make_certificate_of(folder.path(), "slapd", rcgen::DistinguishedName::new(), host, Some(&signer));
        std::fs::create_dir(folder.path().join("db")).expect("a folder");
        write(&folder.path().join("slapd.conf"), &configuration(folder.path()));
        let (child, ports) = (0..TRIES)
            .find_map(|_| {
                let ports = free_ports();
                Some((start(folder.path(), ports)?, ports))
            })
            .expect("slapd starts on one of the ports tried");
        let slapd = Self { signer: signer.file, folder, child, ports };
        slapd.add(include_str!("people.ldif"));
        slapd
    }

    /// Options that find its users; over TLS, as everybody should.
    pub(crate) fn options(&self) -> Ldap {
        Ldap {
            host: Some("localhost".to_owned()),
            port: Some(self.ports[1]),
            ca_file: Some(self.signer.clone()),
            bind_dn: Some(SERVICE.to_owned()),
            // "servicepw"
            bind_password: Some("{xor}LDotKTY8Oi8o".to_owned()),
            base_dn: Some(BASE.to_owned()),
            connect_timeout_seconds: 2,
            timeout_seconds: 2,
            ..Ldap::default()
        }
    }

    pub(crate) fn start_tls(&self) -> Ldap {
        Ldap { tls: LdapTls::StartTls, port: Some(self.ports[0]), ..self.options() }
    }

    /// `localhost:PORT` of the listener with TLS.
    pub(crate) fn address(&self) -> String {
        format!("localhost:{}", self.ports[1])
    }

    pub(crate) fn add(&self, ldif: &str) {
        self.change("ldapadd", &[], ldif);
    }

    pub(crate) fn modify(&self, ldif: &str) {
        self.change("ldapmodify", &[], ldif);
    }

    pub(crate) fn delete(&self, dn: &str) {
        self.change("ldapdelete", &[dn], "");
    }

    fn change(&self, program: &str, arguments: &[&str], input: &str) {
        let output = ask(program, self.ports[0], arguments, input);
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// The process stops answering, but its sockets stay.
    pub(crate) fn freeze(&self) {
        self.signal("STOP");
    }

    pub(crate) fn thaw(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([format!("-{name}"), self.child.id().to_string()]).status();
        assert!(status.expect("kill runs").success());
    }

    pub(crate) fn stop(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }

    /// On the same ports, with what is in the database.
    pub(crate) fn start_again(&mut self) {
        self.child = start(self.folder.path(), self.ports).expect("slapd starts on its old ports");
    }
}

impl Drop for Slapd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn configuration(folder: &Path) -> String {
    let schema: String = ["core", "cosine", "inetorgperson", "nis"]
        .map(|name| format!("include /etc/ldap/schema/{name}.schema\n"))
        .concat();
    let folder = folder.display();
    format!(
        "{schema}modulepath /usr/lib/ldap\nmoduleload back_mdb\nmoduleload memberof\n\
         TLSCertificateFile {folder}/slapd.crt\nTLSCertificateKeyFile {folder}/slapd.key\n\
         allow bind_anon_cred\n\
         database mdb\nmaxsize 16777216\nsuffix {BASE}\nrootdn {ADMINISTRATOR}\nrootpw adminpw\ndirectory {folder}/db\n\
         overlay memberof\n\
         access to attrs=userPassword by anonymous auth by * none\n\
         access to * by dn.exact={SERVICE} read by anonymous auth by * none\n"
    )
}

fn free_ports() -> [u16; 2] {
    let sockets = [0; 2].map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port"));
    sockets.map(|socket| socket.local_addr().expect("bound").port())
}

/// `None` when it ended before it answered.
fn start(folder: &Path, [plain, tls]: [u16; 2]) -> Option<Child> {
    let program = ["/usr/sbin/slapd", "slapd"].into_iter().find(|path| Path::new(path).exists()).unwrap_or("slapd");
    let mut child = Command::new(program)
        .arg("-f")
        .arg(folder.join("slapd.conf"))
        .arg("-h")
        .arg(format!("ldap://127.0.0.1:{plain} ldaps://127.0.0.1:{tls}"))
        .args(["-d", "0"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("slapd is installed (scripts/install.sh test)");
    for _ in 0..30_000 {
        if child.try_wait().expect("our child").is_some() {
            return None;
        }
        if ask("ldapwhoami", plain, &[], "").status.success() {
            return Some(child);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    let _ = child.wait();
    panic!("slapd does not answer");
}

/// One of OpenLDAP's programs, as the administrator.
fn ask(program: &str, port: u16, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(program)
        .args([
            "-x",
            "-o",
            "nettimeout=20",
            "-H",
            &format!("ldap://127.0.0.1:{port}"),
            "-D",
            ADMINISTRATOR,
            "-w",
            "adminpw",
        ])
        .args(arguments)
        .env("LDAPNOINIT", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ldap-utils is installed (scripts/install.sh test)");
    // A program that cannot connect may have ended before all is written.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

#[expect(clippy::disallowed_methods, reason = "a temporary file of a test")]
fn write(file: &Path, text: &str) {
    std::fs::write(file, text).expect("written");
}
