//! Attributes that hold passwords: no command shows them, whoever asks.

use command::DumpOptions;
use command::json::Request;
use command::pcf;
use model::authority::Principal;
use model::definition::attribute::Membership;
use model::pcf::{Header, Message, Parameter, ParameterValue};
use queue_manager::event::command::{Issuer, Origin};

use crate::support::{administrator, run_script, start, try_script, wait_for};

const SET: &str = "ALTER QMGR SSLCRYP('GSK_PKCS11=/lib/token.so;label;hunter2;SYMMETRIC_CIPHER_ON;')";

#[test]
fn the_password_of_cryptographic_hardware_is_shown_by_no_form_of_a_command() {
    let queue_manager = start();
    run_script(&queue_manager, SET);
    run_script(&queue_manager, "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('reader') AUTHADD(CONNECT,DSP,INQ)");
    for caller in [Principal::user("reader"), administrator()] {
        let mut shown = String::new();
        for text in ["DISPLAY QMGR SSLCRYP", "DISPLAY QMGR ALL"] {
            let (lines, _) = try_script(&queue_manager, &caller, text);
            let lines = lines.join("\n");
            assert!(lines.contains("SSLCRYP(********)"), "{text}: {lines}");
            shown.push_str(&lines);
        }
        for request in [
            r#"{"type":"runCommandJSON","command":"display","qualifier":"qmgr","responseParameters":["sslcryp"]}"#,
            r#"{"type":"runCommandJSON","command":"display","qualifier":"qmgr","responseParameters":["all"]}"#,
        ] {
            let prepared =
                Request::read(request.as_bytes()).and_then(|request| request.prepare(Membership::Alone)).unwrap();
            let body =
                String::from_utf8(wait_for(prepared.run(&queue_manager, &Issuer::new(&caller, Origin::Rest)))).unwrap();
            assert!(body.contains(r#""sslcryp": "********""#), "{body}");
            shown.push_str(&body);
        }
        for parameters in [Vec::new(), vec![Parameter::integers(1001, vec![2051])]] {
            let request = Message { header: Header::command(2), parameters };
            let issuer = Issuer::new(&caller, Origin::Message);
            let answers = wait_for(pcf::run(&queue_manager, &issuer, &request));
            let Some(ParameterValue::Text(text)) = answers[0].parameter(2051) else { panic!("{answers:?}") };
            assert_eq!(text.trim_end(), "********");
            shown.push_str(&format!("{answers:?}"));
        }
        assert!(!shown.contains("hunter2") && !shown.contains("GSK_PKCS11"), "{shown}");
    }
}

#[test]
fn a_dump_says_that_the_text_about_cryptographic_hardware_is_left_out() {
    let queue_manager = start();
    let options = DumpOptions {
        all_attributes: true,
        one_line: false,
        name: None,
        export: Some("qmgr".to_owned()),
        include_defaults: false,
    };
    let blank = command::dump(&queue_manager, &options);
    assert!(!blank.contains("SSLCRYP"), "{blank}");
    run_script(&queue_manager, SET);
    let script = command::dump(&queue_manager, &options);
    assert!(script.contains("* SSLCRYP of QM1 is set, and is not written here\n"), "{script}");
    assert!(!script.contains("hunter2"), "{script}");
    run_script(&queue_manager, "ALTER QMGR SSLCRYP(' ')");
    assert_eq!(
        run_script(&queue_manager, "DISPLAY QMGR SSLCRYP").last().map(|line| line.contains("SSLCRYP( )")),
        Some(true)
    );
}
