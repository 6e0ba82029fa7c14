use workload::plan::{Choices, Login, Scenario};

use super::*;

#[test]
fn a_command_line_has_every_choice_and_no_temporary_name() {
    let choices = Choices {
        scenario: Some(Scenario::Administration),
        clients: Some(1),
        login: Some(Login::Ltpa),
        url: Some("https://127.0.0.1:40123".to_owned()),
        paths: Some(vec!["/ibmmq/rest/v1/admin/qmgr?status=*".to_owned()]),
        pid: [("server".to_owned(), 4711)].into(),
        ..Choices::default()
    };
    let load = Load::new("x", choices).showing("https://127.0.0.1:40123", "$URL").showing("server=4711", "server=$PID");
    let command = load.command(&load.choices);
    assert!(command.starts_with("quaymaster workload run --scenario administration"), "{command}");
    for part in ["--clients 1", "--url $URL", "--path '/ibmmq/rest/v1/admin/qmgr?status=*'", "--pid server=$PID"] {
        assert!(command.contains(part), "{part} is not in {command}");
    }
}

#[test]
fn a_load_that_says_nothing_of_time_gets_the_efforts() {
    let load = Load::new("x", Choices::default()).lasting(Length::Requests { full: 1000, quick: 50 });
    let (time, warmup) = (Duration::from_secs(4), Duration::from_secs(1));
    assert_eq!(load.settled(true, time, warmup).requests, Some(50));
    assert_eq!(load.settled(false, time, warmup).requests, Some(1000));
    assert_eq!(load.settled(false, time, warmup).warmup, Some(Span(warmup)));
    let counted = load.lasting(Length::Time).warmed_up_by(7).settled(false, time, warmup);
    assert_eq!((counted.duration, counted.warmup_requests, counted.warmup), (Some(Span(time)), Some(7), None));
}
