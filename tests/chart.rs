//! The chart for Helm: linted and rendered by Helm, and held against the schemas of Kubernetes by kubeconform, as cargo xtask packs it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use system_tests::program;

use crate::client::write;
use crate::interop::packages::cache;
use crate::interop::{run, text};

/// The oldest and the newest Kubernetes that is looked at.
const KUBERNETES: [&str; 2] = ["v1.25.0", "v1.37.0"];
/// Has the schemas of all versions, with those that refuse unknown members.
const SCHEMAS: &str = "kubernetes-validate==1.37.0";

struct Tools {
    programs: PathBuf,
    schemas: PathBuf,
    folder: tempfile::TempDir,
}

impl Tools {
    fn build() -> Result<Self> {
        let programs = programs()?;
        let schemas = programs.join("schemas");
        if !schemas.join("kubernetes_validate").exists() {
            let mut pip = Command::new(crate::interop::packages::python_programs()?.join("python"));
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"]);
            done(pip.arg(&schemas).arg(SCHEMAS))?;
        }
        let schemas = schemas.join("kubernetes_validate/kubernetes-json-schema");
        Ok(Self { programs, schemas, folder: tempfile::tempdir()? })
    }

    /// The schemas of one version in a folder, as kubeconform reads them: under an address they would be asked of the network.
    fn schemas_of(&self, version: &str) -> Result<PathBuf> {
        let (from, to) = (self.schemas.join(format!("{version}-local-strict")), self.folder.path().join(version));
        for name in ["_definitions", "statefulset-apps-v1", "service-v1", "ingress-networking-v1"] {
            let name = format!("{name}.json");
            let mut schema: serde_json::Value = serde_json::from_slice(&std::fs::read(from.join(&name))?)?;
            schema.as_object_mut().context("an object")?.remove("$id");
            write(&to.join(&name), &schema.to_string().replace("/api/_definitions.json", "_definitions.json"))?;
        }
        Ok(to)
    }

    fn helm(&self, arguments: &[&str]) -> Result<Command> {
        let mut command = Command::new(self.programs.join("helm"));
        command.arg(arguments[0]).args((arguments[0] == "template").then_some("orders"));
        command.arg(program::package(concat!("chart-", env!("CARGO_PKG_VERSION"), ".tgz"))?).args(&arguments[1..]);
        for variable in ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"] {
            command.env(variable, self.folder.path());
        }
        Ok(command)
    }

    /// What the chart makes of values, which Kubernetes accepts.
    fn rendered(&self, arguments: &[&str]) -> Result<String> {
        done(self.helm(&["lint", "--strict"])?.args(arguments))?;
        let mut resources = String::new();
        for version in KUBERNETES {
            resources = done(self.helm(&["template", "--kube-version", version])?.args(arguments))?;
            let file = self.folder.path().join("resources.yaml");
            write(&file, &resources)?;
            let schema =
                format!("{}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json", self.schemas_of(version)?.display());
            let mut kubeconform = Command::new(self.programs.join("kubeconform"));
            // A route is OpenShift's.
            kubeconform.args(["-strict", "-summary", "-skip", "Route", "-schema-location", &schema]).arg(&file);
            let said = done(&mut kubeconform).with_context(|| resources.clone())?;
            ensure!(said.contains("Invalid: 0, Errors: 0") && !said.contains("Valid: 0"), "{said}");
        }
        Ok(resources)
    }
}

/// The folder with Helm and kubeconform, which are built there.
fn programs() -> Result<PathBuf> {
    let programs = cache("chart")?;
    let mut go = Command::new("go");
    go.args(["build", "-o"])
        .arg(&programs)
        .args(["helm.sh/helm/v3/cmd/helm", "github.com/yannh/kubeconform/cmd/kubeconform"]);
    go.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("chart"));
    go.env("GOCACHE", cache("go")?).env("GOFLAGS", "-mod=readonly").env_remove("GO111MODULE");
    done(&mut go).context("Helm needs the version of Go in tests/chart/go.mod")?;
    Ok(programs)
}

/// The program of Helm.
pub(crate) fn helm() -> Result<PathBuf> {
    Ok(programs()?.join("helm"))
}

fn done(command: &mut Command) -> Result<String> {
    let output = run(command)?;
    ensure!(output.status.success(), "{command:?}\n{}\n{}", text(&output.stdout), text(&output.stderr));
    Ok(text(&output.stdout))
}

#[test]
#[ignore = "builds Helm and kubeconform, which takes minutes once; make test-full runs it"]
fn kubernetes_accepts_what_the_chart_makes_of_the_values_of_the_known_chart() -> Result<()> {
    let tools = Tools::build()?;
    let plain = tools.rendered(&[])?;
    for wanted in [
        concat!("image: \"quaymaster:", env!("CARGO_PKG_VERSION"), "\""),
        "name: orders-quaymaster-metrics",
        "value: \"orders\"",
        "command: [chkmqready]",
        "readOnlyRootFilesystem: true",
        "terminationGracePeriodSeconds: 30",
    ] {
        ensure!(plain.contains(wanted), "no {wanted} in {plain}");
    }
    for unwanted in ["LoadBalancer", "NodePort", "Ingress", "/run/secrets"] {
        ensure!(!plain.contains(unwanted), "{unwanted} in {plain}");
    }
    let values = Path::new(env!("CARGO_MANIFEST_DIR")).join("chart/ibm.yaml").display().to_string();
    let known = tools.rendered(&["--set", "nameOverride=ibm-mq", "-f", &values])?;
    for wanted in [
        "image: \"registry.example/quaymaster:1\"",
        "name: orders-ibm-mq-loadbalancer",
        "value: \"PAYMENTS\"",
        "mountPath: \"/etc/mqm/20-channels.mqsc\"",
        "mountPath: \"/etc/mqm/hidden.ini\"",
        "mountPath: \"/etc/mqm/pki/keys/default\"",
        "mountPath: \"/etc/mqm/pki/trust/1\"",
        "mountPath: /run/secrets",
        "mountPath: /etc/mqm/web/installations/Installation1/servers/mqweb/mqwebuser.xml",
        "storageClassName: \"fast\"",
        "termination: passthrough",
        "value: \"58\"",
    ] {
        ensure!(known.contains(wanted), "no {wanted} in {known}");
    }
    let small = [
        "persistence.qmPVC.enable=false",
        "web.enable=false",
        "metrics.enabled=false",
        "security.context.fsGroup=null",
    ];
    let small = tools.rendered(&["--set", &small.join(",")])?;
    ensure!(small.contains("emptyDir: {}") && !small.contains("9443") && !small.contains("9157"), "{small}");
    // Most samples of that chart have it: one pod runs, and its log says why.
    let native = tools.rendered(&["--set", "queueManager.nativeha.enable=true,security.initVolumeAsRoot=true"])?;
    ensure!(native.contains("replicas: 1") && native.contains("{ name: MQ_NATIVE_HA, value: \"true\" }"), "{native}");
    Ok(())
}
