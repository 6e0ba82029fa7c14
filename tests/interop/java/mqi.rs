//! The classes for Java.

use anyhow::Result;

use crate::interop::java::certificates::Certificates;
use crate::interop::java::program::{Client, Program};
use crate::interop::java::{Site, check, told};

#[test]
fn classes_for_java_use_every_verb_of_messages() -> Result<()> {
    check(Client::Jakarta, "mqi.Verbs")
}

#[test]
fn classes_for_java_of_the_older_client_use_every_verb_of_messages() -> Result<()> {
    check(Client::Javax, "mqi.Verbs")
}

#[test]
fn classes_for_java_inquire_and_set_and_use_dynamic_queues_and_properties() -> Result<()> {
    check(Client::Jakarta, "mqi.Objects")
}

#[test]
fn classes_for_java_are_refused_what_they_must_be() -> Result<()> {
    check(Client::Jakarta, "mqi.Refusals")
}

#[test]
fn classes_for_java_put_and_get_10_and_99_mebibytes() -> Result<()> {
    check(Client::Jakarta, "mqi.LargeMessages")
}

#[test]
fn two_hundred_conversations_share_twenty_sockets() -> Result<()> {
    check(Client::Jakarta, "mqi.Sharing")
}

#[test]
fn many_threads_of_a_java_program_use_the_server_at_once() -> Result<()> {
    check(Client::Jakarta, "mqi.Threads")
}

#[test]
fn classes_for_java_publish_and_subscribe() -> Result<()> {
    check(Client::Jakarta, "mqi.Topics")
}

#[test]
fn the_pcf_agent_of_the_public_client_administers_over_the_channel() -> Result<()> {
    check(Client::Jakarta, "mqi.Pcf")
}

#[test]
fn a_java_program_killed_in_its_unit_of_work_leaves_its_messages_where_they_were() -> Result<()> {
    let data = tempfile::tempdir()?;
    let site = Site::on(data.path())?;
    let server = site.start()?;
    let address = server.mq_address()?;
    let program = |role| Program::new(Client::Jakarta, "mqi.Killed", address, data.path()).argument(role);
    let mut victim = program("victim").start()?;
    told(&server, victim.await_line("in the middle"))?;
    victim.kill()?;
    told(&server, program("after").run())
}

#[test]
fn classes_for_java_use_tls_with_certificates_of_the_server_and_of_both() -> Result<()> {
    let data = tempfile::tempdir()?;
    let folder = tempfile::tempdir()?;
    let certificates = Certificates::make(folder.path(), &["orders", "payments"])?;
    let old = "old_cipherspecs = ['TLS_RSA_WITH_AES_128_CBC_SHA256', 'TLS_RSA_WITH_AES_256_GCM_SHA384', \
               'ECDHE_RSA_AES_128_CBC_SHA256', 'ECDHE_ECDSA_AES_256_CBC_SHA384']";
    let configuration = format!("[tls]\nclient_ca = \"{}\"\n{old}\n", certificates.authority().display());
    let site = Site::on(data.path())?;
    crate::client::write(&data.path().join("quaymaster.toml"), &configuration)?;
    let server = site.start()?;
    certificates.trust(&server.ca_file())?;
    let program = Program::new(Client::Jakarta, "mqi.Tls", server.mq_address()?, data.path());
    told(&server, program.property("mq.stores", &folder.path().display().to_string()).run())
}
