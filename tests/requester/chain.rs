//! The report's COBOL program, compiled with the generated members, calls through stub, server and remote API.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use system_tests::program::quaymaster;
use system_tests::requester::{API_NAME, Chain, Provider, compile, configuration, environment, run_orders};
use system_tests::server::{Server, ServerOptions};

use crate::client::write;

fn chain(most_entries: u32) -> Result<Chain> {
    Chain::start(&std::env::temp_dir(), most_entries)
}

/// The line of a call that went well.
fn well(count_in: u32, count_out: u32) -> String {
    format!("00 000200 {:010} {:09} {:06} Y", count_in * 16, count_out * 512, count_out * 16)
}

#[test]
fn a_cobol_program_gets_answers_of_one_four_and_eight_kibibytes() -> Result<()> {
    let chain = chain(512)?;
    let (lines, errors) = chain.orders(&chain.compile()?, &[(1, 2), (2, 8), (3, 16), (4, 0), (5, 32)])?;
    ensure!(lines == [well(1, 2), well(2, 8), well(3, 16), well(4, 0), well(5, 32)], "{lines:?} {errors}");
    ensure!(errors.is_empty(), "{errors}");
    Ok(())
}

#[test]
fn a_cobol_program_gets_answers_of_64_kibibytes_and_of_a_mebibyte() -> Result<()> {
    let chain = chain(32_768)?;
    let (lines, errors) = chain.orders(&chain.compile()?, &[(1, 128), (2, 2048), (3, 2)])?;
    ensure!(lines == [well(1, 128), well(2, 2048), well(3, 2)], "{lines:?} {errors}");
    Ok(())
}

#[test]
fn the_log_says_which_archive_is_installed_and_what_its_requester_is_called() -> Result<()> {
    let chain = chain(512)?;
    let line = chain.server.error_line("BAQR1102I")?;
    ensure!(line.contains("APIRPERF.ara") && line.contains(API_NAME), "{line}");
    Ok(())
}

#[test]
fn what_the_api_refuses_reaches_the_program_with_the_apis_own_words() -> Result<()> {
    let chain = chain(512)?;
    // The call after it goes well.
    let (lines, errors) = chain.orders(&chain.compile()?, &[(1, 33), (2, 2)])?;
    ensure!(lines.first().is_some_and(|line| line.starts_with("01 000400 ") && line.ends_with(" N")), "{lines:?}");
    ensure!(lines.get(1) == Some(&well(2, 2)), "{lines:?}");
    ensure!(errors.contains("the API answered 000400: {\"error\":\"count_out is 33"), "{errors}");
    Ok(())
}

#[test]
fn each_way_to_fail_has_its_return_code() -> Result<()> {
    let Chain { folder, provider, server } = chain(512)?;
    let program = compile(folder.path())?;
    let settings = configuration(provider.address);
    let call = |address| run_orders(&program, &environment(address)?, &[(1, 2)]);
    // The API is gone: the server says so.
    let address = server.ready.http.context("http")?;
    drop(provider);
    let (lines, errors) = call(address)?;
    ensure!(lines[0].starts_with("02 000503 "), "{lines:?} {errors}");
    // A server that has no such archive.
    let other = tempfile::tempdir()?;
    write(&other.path().join("quaymaster.toml"), &settings)?;
    let empty = Server::start(&ServerOptions::on(other.path()))?;
    let (lines, errors) = call(empty.ready.http.context("http")?)?;
    ensure!(lines[0].starts_with("02 000404 "), "{lines:?} {errors}");
    // The server is gone: the stub says so.
    drop(server);
    let (lines, errors) = call(address)?;
    ensure!(lines[0].starts_with("03 ") && errors.contains("the communication stub says"), "{lines:?} {errors}");
    Ok(())
}

#[test]
fn an_api_that_comes_back_is_called_again() -> Result<()> {
    let Chain { folder, provider, server } = chain(512)?;
    let program = compile(folder.path())?;
    let environment = environment(server.ready.http.context("http")?)?;
    let address = provider.address.to_string();
    ensure!(run_orders(&program, &environment, &[(1, 2)])?.0 == [well(1, 2)], "before");
    drop(provider);
    // Kept connections of the server to the old one are dead.
    let _provider = Provider::start_on(&address, 512)?;
    let (lines, errors) = run_orders(&program, &environment, &[(1, 2), (2, 2)])?;
    ensure!(lines.last() == Some(&well(2, 2)), "{lines:?} {errors}");
    Ok(())
}

#[test]
fn the_driver_has_a_pool_of_the_programs_call_under_load() -> Result<()> {
    let chain = chain(512)?;
    let program = chain.compile()?;
    let mut run = Command::new(quaymaster()?);
    run.args(["workload", "run", "--scenario", "requester", "--program", "env"]);
    for variable in chain.environment()? {
        run.args(["--program-argument", &variable]);
    }
    run.arg("--program-argument").arg(&program);
    run.args(["--clients", "20", "--processes", "5", "--think-time", "20ms", "--response-size", "4096"]);
    run.args(["--warmup", "200ms", "--duration", "1s", "--json", "-"]);
    run.args(["--pid", &format!("server={}", chain.server.pid()), "--pid", &format!("api={}", chain.provider.pid())]);
    let output = run.output()?;
    let report: Value =
        serde_json::from_slice(&output.stdout).with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    ensure!(report["errors"] == 0 && report["transactions"].as_u64() > Some(20), "{report}");
    ensure!(report["verdict"]["damaged"] == 0 && report["verdict"]["duplicated"] == 0, "{report}");
    let names: Vec<_> = report["processes"].as_array().context("processes")?.iter().map(|one| &one["name"]).collect();
    ensure!(names.len() == 4 && names.iter().any(|name| **name == "programs"), "{names:?}");
    Ok(())
}
