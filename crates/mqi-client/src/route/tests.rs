use super::*;

fn write(folder: &Path, name: &str, text: &[u8]) -> String {
    let path = folder.join(name);
    #[expect(clippy::disallowed_methods, reason = "makes a file in a temporary folder")]
    std::fs::write(&path, text).expect("written");
    path.display().to_string()
}

fn by(environment: &[(&str, &str)], file: &str) -> Result<(String, String), Reason> {
    find(&Settings::of(environment, file), "QM1", None, None, None)
        .map(|route| (route.options.channel.to_string(), route.options.connections.to_string()))
}

fn pair(channel: &str, names: &str) -> Result<(String, String), Reason> {
    Ok((channel.to_owned(), names.to_owned()))
}

const SERVER: (&str, &str) = ("MQSERVER", "A.CHANNEL/TCP/one(1414),two(1415)");

#[test]
fn the_environment_names_a_channel_before_the_file_does() {
    let file = "CHANNELS:\nServerConnectionParms=B.CHANNEL/tcp/three(1416)\n";
    assert_eq!(by(&[SERVER], file), pair("A.CHANNEL", "one(1414),two(1415)"));
    assert_eq!(by(&[], file), pair("B.CHANNEL", "three(1416)"));
    assert_eq!(by(&[], ""), Err(Reason::QMgrNameError));
}

#[test]
fn a_definition_of_the_program_goes_before_the_environment() {
    let channel = Channel {
        name: "C.CHANNEL".to_owned(),
        connection_name: "four(1417)".to_owned(),
        transport: MQXPT_TCP,
        ..Channel::default()
    };
    let route = find(&Settings::of(&[SERVER], ""), "QM1", Some(&channel), None, None).expect("a route");
    assert_eq!(route.options.channel.as_str(), "C.CHANNEL");
    let wrong = Channel { transport: 1, ..channel.clone() };
    assert_eq!(find(&Settings::of(&[], ""), "QM1", Some(&wrong), None, None).err(), Some(Reason::CdError));
    let with_exit = Channel { exit: Some("MINE".to_owned()), ..channel.clone() };
    assert_eq!(find(&Settings::of(&[], ""), "QM1", Some(&with_exit), None, None).err(), Some(Reason::CdError));
    let peer = Channel { cipher_specification: "ANY_TLS12".to_owned(), peer_name: "CN=X  ".to_owned(), ..channel };
    let route = find(&Settings::of(&[], ""), "QM1", Some(&peer), None, None).expect("a route");
    assert_eq!(route.options.tls.expect("TLS").peer_name, "CN=X");
}

#[test]
fn another_transport_or_form_of_mqserver_is_2058() {
    assert_eq!(by(&[("MQSERVER", "A.CHANNEL/LU62/one")], ""), Err(Reason::QMgrNameError));
    assert_eq!(by(&[("MQSERVER", "A.CHANNEL")], ""), Err(Reason::QMgrNameError));
    assert_eq!(by(&[("MQSERVER", "A.CHANNEL/TCP/one(x)")], ""), Err(Reason::QMgrNameError));
}

#[test]
fn a_table_in_json_is_read_and_a_binary_one_refused_with_a_line_in_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = br#"{"channel":[{"name":"T","type":"clientConnection","clientConnection":{"connection":[{"host":"h","port":1}],"queueManager":"QM1"}}]}"#;
    let file = write(folder.path(), "ccdt.json", json);
    let route = find(&Settings::of(&[("MQCCDTURL", &format!("file://{file}"))], ""), "QM1", None, None, None);
    assert_eq!(route.expect("a route").table.expect("a table").channels().len(), 1);
    let folder_name = folder.path().display().to_string();
    let by_folder = [("MQCHLLIB", folder_name.as_str()), ("MQCHLTAB", "ccdt.json")];
    assert!(find(&Settings::of(&by_folder, ""), "QM1", None, None, None).expect("a route").table.is_some());
    write(folder.path(), "AMQCLCHL.TAB", b"\0\x01AMQR");
    std::fs::create_dir(folder.path().join("errors")).expect("made");
    let logged = [("MQCHLLIB", folder_name.as_str()), ("MQ_OVERRIDE_DATA_PATH", folder_name.as_str())];
    let refused = find(&Settings::of(&logged, ""), "QM1", None, None, None);
    assert_eq!(refused.err(), Some(Reason::ClientConnError));
    let log = std::fs::read_to_string(folder.path().join("errors/AMQERR01.LOG")).expect("a log");
    assert!(log.contains("MQCCDTURL"), "{log}");
    assert_eq!(by(&[("MQCCDTURL", "https://example/ccdt.json")], ""), Err(Reason::CcdtUrlError));
}

#[test]
fn keys_are_a_pem_file_and_others_are_2381() {
    let folder = tempfile::tempdir().expect("a folder");
    let pem = write(folder.path(), "key.pem", b"-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n");
    let database = write(folder.path(), "other.kdb", b"\0\0");
    let channel = Channel {
        name: "C".to_owned(),
        connection_name: "h(1)".to_owned(),
        transport: MQXPT_TCP,
        cipher_specification: "ANY_TLS13".to_owned(),
        ..Channel::default()
    };
    let with = |repository: &str| {
        let keys = Keys { repository: repository.to_owned(), ..Keys::default() };
        find(&Settings::of(&[], ""), "QM1", Some(&channel), None, Some(&keys))
    };
    let tls = with(&pem).expect("a route").options.tls.expect("TLS");
    assert!(tls.certificate.is_some() && tls.cipher_specification == "ANY_TLS13");
    assert!(with(pem.trim_end_matches(".pem")).is_ok());
    assert_eq!(with(&database).err(), Some(Reason::KeyRepositoryError));
}
