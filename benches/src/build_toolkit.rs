//! The build toolkit on a large description: OpenAPI 3.0 of 5 MB through the command `zconbt`, as a user calls it.
//!
//! The definitions refer to each other in pairs, and each is used by two operations.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use system_tests::program::quaymaster;

use crate::effort::Effort;
use crate::interleave::median;
use crate::report::{Bar, Report};

/// Bytes of the description, at least.
const SIZE: usize = 5_000_000;
/// Between two looks at the memory of the program.
const LOOK: Duration = Duration::from_millis(2);
const MIB: f64 = 1_048_576.0;
const PROPERTIES: &str = "apiDescriptionFile=large.json\nlanguage=COBOL\ndataStructuresLocation=out\napiInfoFileLocation=out\n\
    logFileDirectory=logs\nrequesterPrefix=LRG\nconnectionRef=Large\n";

pub fn run(effort: &Effort, report: &mut Report) -> Result<()> {
    let program = quaymaster()?;
    let folder = tempfile::tempdir_in(&effort.work)?;
    let file = |name: &str, content: &[u8]| fs::File::create(folder.path().join(name))?.write_all(content);
    let description = description();
    ensure!(description.len() >= SIZE, "the description has {} bytes", description.len());
    file("large.json", description.as_bytes())?;
    file("large.properties", PROPERTIES.as_bytes())?;
    let (mut seconds, mut mebibytes) = (Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        let (took, memory) = build(&program, folder.path())?;
        seconds.push(took.as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "some hundred megabytes")]
        mebibytes.push(memory as f64 / MIB);
    }
    report.add(Bar::at_most("zconbt: OpenAPI document of 5 MB", 2.0).value(median(seconds), "s"));
    report.add(Bar::at_most("zconbt: memory for a document of 5 MB", 300.0).value(median(mebibytes), "MiB"));
    Ok(())
}

/// How long the program took, and the most memory it had, in bytes.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn build(program: &Path, folder: &Path) -> Result<(Duration, u64)> {
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(["zconbt", "-p", "large.properties", "-f", "large.ara"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .context("zconbt cannot be started")?;
    let mut most = 0;
    loop {
        if let Some(status) = child.try_wait()? {
            ensure!(status.success(), "zconbt ended with {status}");
            return Ok((started.elapsed(), most));
        }
        most = most.max(highest(child.id()).unwrap_or_default());
        std::thread::sleep(LOOK);
    }
}

/// The most memory a process has had so far, in bytes.
fn highest(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

fn description() -> String {
    let mut paths = String::new();
    let mut schemas = String::new();
    let mut index = 0;
    while paths.len() + schemas.len() < SIZE {
        operations(&mut paths, index);
        schema(&mut schemas, index);
        index += 1;
    }
    // The last one may refer to what follows it.
    schema(&mut schemas, index);
    schema(&mut schemas, index + 1);
    format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"Large","version":"1"}},"servers":[{{"url":"https://api.example.com/v1"}}],
        "paths":{{{}}},"components":{{"schemas":{{{}}}}}}}"#,
        paths.trim_end_matches(','),
        schemas.trim_end_matches(',')
    )
}

fn operations(paths: &mut String, index: usize) {
    let content =
        format!(r##""content":{{"application/json":{{"schema":{{"$ref":"#/components/schemas/S{index}"}}}}}}"##);
    let parameter = r#"{"name":"id","in":"path","required":true,"schema":{"type":"string","maxLength":36}}"#;
    let summary = "What this operation is for, in a few words that say nothing. ".repeat(4);
    let _ = write!(
        paths,
        r#""/things{index}/{{id}}":{{"parameters":[{parameter}],
        "get":{{"operationId":"get{index}","summary":"{summary}","responses":{{"200":{{"description":"ok",{content}}}}}}},
        "put":{{"operationId":"put{index}","summary":"{summary}","requestBody":{{{content}}},"responses":{{"200":{{"description":"ok",{content}}}}}}}}},"#
    );
}

fn schema(schemas: &mut String, index: usize) {
    let _ = write!(schemas, r#""S{index}":{{"type":"object","required":["name","count"],"properties":{{"#);
    for member in 0..20 {
        let _ = write!(
            schemas,
            r#""member_{member}":{{"type":"string","maxLength":{},"description":"What member {member} holds, in a sentence."}},"#,
            8 + member
        );
    }
    if index.is_multiple_of(2) {
        let _ = write!(schemas, r##""next":{{"$ref":"#/components/schemas/S{}"}},"##, index + 1);
    }
    schemas.push_str(r#""lines":{"type":"array","maxItems":20,"items":{"type":"object","properties":{"text":{"type":"string"},"amount":{"type":"number"}}}},"#);
    schemas.push_str(r#""name":{"type":"string"},"count":{"type":"integer","format":"int32"}}},"#);
}
