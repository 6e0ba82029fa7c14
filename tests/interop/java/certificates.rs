//! Certificates of programs, made by openssl for one test, and the stores in which Java looks for them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::interop::{run, text};

/// As the programs know it.
pub(crate) const STORE_PASSWORD: &str = "store-password";

/// An authority for programs and what it signed.
pub(crate) struct Certificates {
    folder: PathBuf,
}

impl Certificates {
    /// Makes an authority, and a certificate with a store `NAME.p12` for each name.
    pub(crate) fn make(folder: &Path, names: &[&str]) -> Result<Self> {
        let made = Self { folder: folder.to_owned() };
        made.openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority -keyout authority.key -out authority.crt")?;
        // With an extension it is a certificate of version 3.
        crate::client::write(&folder.join("program.cnf"), "basicConstraints=CA:FALSE\n")?;
        for name in names {
            made.openssl(&format!("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /O=Example/CN={name} -keyout {name}.key -out {name}.csr"))?;
            made.openssl(&format!("x509 -req -in {name}.csr -CA authority.crt -CAkey authority.key -CAcreateserial -extfile program.cnf -days 2 -out {name}.crt"))?;
            made.openssl(&format!("pkcs12 -export -in {name}.crt -inkey {name}.key -certfile authority.crt -name {name} -passout pass:{STORE_PASSWORD} -out {name}.p12"))?;
        }
        Ok(made)
    }

    /// What the server is to trust.
    pub(crate) fn authority(&self) -> PathBuf {
        self.folder.join("authority.crt")
    }

    /// Makes the store `trust.p12` with what programs are to trust.
    pub(super) fn trust(&self, certificate: &Path) -> Result<()> {
        let mut command = Command::new("keytool");
        command.args(["-importcert", "-noprompt", "-alias", "server", "-storetype", "PKCS12"]);
        command.args(["-storepass", STORE_PASSWORD, "-keystore", "trust.p12", "-file"]).arg(certificate);
        self.made_by(&mut command)
    }

    /// Runs openssl in the folder. No argument has a blank in it.
    pub(crate) fn openssl(&self, arguments: &str) -> Result<()> {
        self.made_by(Command::new("openssl").args(arguments.split(' ')))
    }

    /// As `openssl`, the tool of Java.
    pub(crate) fn keytool(&self, arguments: &str) -> Result<()> {
        self.made_by(Command::new("keytool").args(arguments.split(' ')))
    }

    fn made_by(&self, command: &mut Command) -> Result<()> {
        let output = run(command.current_dir(&self.folder))?;
        ensure!(output.status.success(), "{command:?}: {}{}", text(&output.stdout), text(&output.stderr));
        Ok(())
    }
}
