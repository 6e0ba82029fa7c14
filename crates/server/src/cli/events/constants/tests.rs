use super::{VALUES, key, name, parameter, value, words};

#[test]
fn constants_are_told_as_words_and_keys() {
    assert_eq!(words("MQRC_Q_MGR_ACTIVE"), "Queue Mgr Active");
    assert_eq!(words("MQCMD_Q_MGR_EVENT"), "Queue Mgr Event");
    assert_eq!(words("MQOT_Q"), "Queue");
    assert_eq!(key("MQCA_Q_MGR_NAME"), "queueMgrName");
    assert_eq!(key("MQIACF_REASON_QUALIFIER"), "reasonQualifier");
}

#[test]
fn numbers_are_found_by_their_family() {
    assert_eq!(parameter(2015), Some("MQCA_Q_MGR_NAME"));
    assert_eq!(parameter(8001), Some("MQGACF_COMMAND_CONTEXT"));
    assert_eq!(name("MQRC", 2222), Some("MQRC_Q_MGR_ACTIVE"));
    assert_eq!(value("MQIACF_REASON_QUALIFIER", 2), Some("MQRQ_OPEN_NOT_AUTHORIZED"));
    assert_eq!(value("MQIA_CURRENT_Q_DEPTH", 2), None);
    assert_eq!(parameter(i32::MAX), None);
}

#[test]
fn every_parameter_with_words_is_in_the_table() {
    for (known, family) in VALUES {
        assert!((0..10_000).any(|id| parameter(id) == Some(known)), "{known}");
        assert!((0..2000).any(|number| name(family, number).is_some()), "{family}");
    }
}
