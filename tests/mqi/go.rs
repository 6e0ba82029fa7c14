//! Samples of the public Go binding, run as the module brings them.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::bindings::GO_MODULE;
use super::{House, heard, succeeded};

const SAMPLES: [&str; 7] = ["amqsput", "amqsget", "amqscb", "amqsprop", "amqsinq", "amqspub", "amqssub"];

/// Compiles the samples into the folder of programs.
fn build(house: &House) -> Result<()> {
    succeeded(&house.go(&["mod", "init", "samples"])?.output().context("go is not installed (Debian: golang-go)")?)?;
    succeeded(&house.go(&["get", GO_MODULE])?.output()?)?;
    let (module, _) = GO_MODULE.split_once('@').context("a version")?;
    let listed = house.go(&["list", "-m", "-f", "{{.Dir}}", module])?.output()?;
    let folder = PathBuf::from(succeeded(&listed)?.trim()).join("samples");
    for sample in SAMPLES {
        let file = folder.join(sample).with_extension("go").display().to_string();
        succeeded(&house.go(&["build", "-o", sample, &file])?.output()?)?;
    }
    Ok(())
}

impl House {
    fn sample_in_go(&self, name: &str, arguments: &[&str]) -> Result<std::process::Command> {
        let mut command = self.command(&self.folder.path().join(name))?;
        self.lead(&mut command, "GO.OPEN")?;
        command.args(arguments);
        Ok(command)
    }

    /// Runs a sample on a queue or topic: it has to end well and to show these texts.
    fn shows(&self, name: &str, arguments: &[&str], shown: &[&str]) -> Result<String> {
        let output = self.sample_in_go(name, arguments)?.output()?;
        let told = succeeded(&output).with_context(|| name.to_owned())?;
        for text in shown {
            ensure!(told.contains(text), "{name} does not show '{text}': {told}");
        }
        Ok(told.to_owned())
    }
}

#[test]
fn the_samples_of_the_go_binding_put_get_consume_inquire_publish_and_read_properties() -> Result<()> {
    let house = House::new()?;
    build(&house)?;
    house.everywhere(|house| {
        house.open_channel("GO.OPEN", "app")?;
        house.mqsc("DEFINE NAMELIST('GO.NAMES') NAMES('ONE','TWO')")?;
        house.mqsc("SET AUTHREC PROFILE('GO.NAMES') OBJTYPE(NAMELIST) PRINCIPAL('app') AUTHADD(INQ)")?;
        house.through_cuts(run)
    })
}

fn run(house: &House) -> Result<()> {
    const QUEUE: [&str; 2] = ["DEV.QUEUE.1", "QM1"];
    let put = house.shows("amqsput", &QUEUE, &["Put message to DEV.QUEUE.1"])?;
    let id = put.lines().find_map(|line| line.strip_prefix("MsgId:")).context("amqsput shows the identifier")?;
    house.shows("amqsget", &[QUEUE[0], QUEUE[1], id], &["Got message of length"])?;
    house.shows("amqsput", &QUEUE, &[])?;
    let consumed = house.shows("amqscb", &QUEUE, &["from queue DEV.QUEUE.1", "Stopped callback function"])?;
    ensure!(consumed.matches("In callback").count() == 1, "{consumed}");
    let properties =
        ["'PROP1STRING' Value 'helloStringProperty'", "'PROP2BINT64' Value '424242'", "All properties read"];
    house.shows("amqsprop", &QUEUE, &properties)?;
    house.shows("amqsinq", &["DEV.QUEUE.1", "QM1", "GO.NAMES"], &["'QM1'", "'5000'", "ONE"])?;
    let subscribe = house.sample_in_go("amqssub", &["dev/go", "QM1"])?;
    let received = heard(subscribe, "Subscription made", || {
        house.shows("amqspub", &["dev/go", "QM1"], &["Published message to dev/go"]).map(drop)
    })?;
    ensure!(received.matches("Got message of length").count() == 1, "{received}");
    Ok(())
}
