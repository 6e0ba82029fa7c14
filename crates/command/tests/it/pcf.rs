//! Commands as PCF: every family, on the same queue manager and beside the same commands in MQSC.

use command::pcf;
use model::authority::Principal;
use model::definition::attribute::{self, Access, Attribute, Kind, Value, ValueType};
use model::pcf::{Header, Message, MessageKind, Parameter, ParameterValue};
use proptest::prelude::*;
use queue_manager::QueueManager;
use queue_manager::event::command::{Issuer, Origin};

use crate::support::{administrator, connect, run_script, start, try_script, wait_for};

const MQIACF_ALL: i32 = 1009;
const MQIACF_PARAMETER_ID: i32 = 1012;
const MQIACF_SELECTOR: i32 = 1014;

fn text(id: i32, text: &str) -> Parameter {
    Parameter::text(id, text)
}

fn number(id: i32, number: i32) -> Parameter {
    Parameter::integer(id, number)
}

fn numbers(id: i32, numbers: &[i32]) -> Parameter {
    Parameter::integers(id, numbers.to_vec())
}

fn issuer(principal: &Principal) -> Issuer<'_> {
    Issuer::new(principal, Origin::Message)
}

fn run_as(queue_manager: &QueueManager, caller: &Principal, command: i32, parameters: Vec<Parameter>) -> Vec<Message> {
    let request = Message { header: Header::command(command), parameters };
    let answers = wait_for(pcf::run(queue_manager, &issuer(caller), &request));
    let count = answers.len();
    for (index, answer) in answers.iter().enumerate() {
        let header = &answer.header;
        assert_eq!((header.kind, header.version, header.command), (MessageKind::RESPONSE, 1, command));
        assert_eq!(usize::try_from(header.sequence), Ok(index + 1));
        assert_eq!(header.is_last, index + 1 == count);
        assert_eq!(header.completion, if header.reason == 0 { 0 } else { 2 });
    }
    answers
}

fn run(queue_manager: &QueueManager, command: i32, parameters: Vec<Parameter>) -> Vec<Message> {
    run_as(queue_manager, &administrator(), command, parameters)
}

/// Runs a command that must succeed.
fn done(queue_manager: &QueueManager, command: i32, parameters: Vec<Parameter>) -> Vec<Message> {
    let shown = format!("{parameters:?}");
    let answers = run(queue_manager, command, parameters);
    assert!(answers.iter().all(|answer| answer.header.reason == 0), "{command} {shown}: {answers:?}");
    answers
}

/// Reason of a command that must fail, and what its one parameter says.
fn refused(queue_manager: &QueueManager, command: i32, parameters: Vec<Parameter>) -> (i32, Option<(i32, i32)>) {
    let answers = run(queue_manager, command, parameters);
    assert_eq!(answers.len(), 1, "{answers:?}");
    let about = match answers[0].parameters.as_slice() {
        [] => None,
        [Parameter { id, value: ParameterValue::Integer(value) }] => Some((*id, *value)),
        other => panic!("{other:?}"),
    };
    (answers[0].header.reason, about)
}

/// The text of a parameter, without its padding.
fn text_of(message: &Message, id: i32) -> String {
    let text = message.parameter(id).and_then(ParameterValue::as_text);
    text.unwrap_or_else(|| panic!("{id} is no text in {message:?}")).trim_end().to_owned()
}

fn names(answers: &[Message], id: i32) -> Vec<String> {
    answers.iter().map(|answer| text_of(answer, id)).collect()
}

/// Numbers of the commands of an object: create or change, inquire, and the parameter that names it.
fn commands(kind: Kind) -> (i32, i32, i32) {
    match kind.mqsc() {
        "QMGR" => (1, 2, 2015),
        "TOPIC" => (172, 174, 2092),
        "SUB" => (177, 176, 3152),
        "CHANNEL" => (23, 25, 3501),
        "LISTENER" => (95, 97, 3554),
        "PROCESS" => (5, 7, 2012),
        "NAMELIST" => (34, 36, 2010),
        "SERVICE" => (151, 153, 2077),
        "AUTHINFO" => (81, 83, 2045),
        "COMMINFO" => (190, 191, 2110),
        _ => (11, 13, 2016),
    }
}

/// A value that differs from the default, as PCF sets and shows it and as MQSC shows it.
fn other_than_default(row: &Attribute, kind: Kind) -> (ParameterValue, String) {
    let default = row.default_value(kind).unwrap();
    let different = |word: &&attribute::Word| default.number() != Some(word.code);
    let code = |code: i64| i32::try_from(code).unwrap();
    let parenthesised = |text: &str| format!("{}({text})", row.mqsc);
    match row.value {
        // Suite B strengths are a list in PCF.
        ValueType::Choice(words) if row.mqsc == "SUITEB" => {
            (ParameterValue::Integers(vec![2, 4]), parenthesised(words.last().unwrap().mqsc))
        }
        ValueType::Flag(words) => {
            let word = words.iter().find(different).unwrap();
            (ParameterValue::Integer(code(word.code)), word.mqsc.to_owned())
        }
        ValueType::Choice(words) => {
            let word = words.iter().rfind(different).unwrap();
            (ParameterValue::Integer(code(word.code)), parenthesised(word.mqsc))
        }
        ValueType::Integer { minimum, maximum, .. } => {
            let number = if default.number() == Some(maximum) { minimum } else { maximum };
            (ParameterValue::Integer(code(number)), parenthesised(&number.to_string()))
        }
        ValueType::Words { words, .. } => {
            let word = words.last().unwrap();
            (ParameterValue::Integers(vec![code(word.code)]), parenthesised(word.mqsc))
        }
        ValueType::Names { .. } => {
            let names = vec!["A.NAME".to_owned(), "Some.Name".to_owned()];
            (ParameterValue::Texts(names), parenthesised("A.NAME,Some.Name"))
        }
        ValueType::Texts { .. } => {
            (ParameterValue::Texts(vec!["a(b)".to_owned(), "c".to_owned()]), parenthesised("a(b),c"))
        }
        ValueType::Secret { .. } => (ParameterValue::Text("********".to_owned()), parenthesised("********")),
        ValueType::Name => (ParameterValue::Text("Some.Name".to_owned()), parenthesised("Some.Name")),
        ValueType::Text { .. } if row.mqsc == "SELECTOR" => {
            (ParameterValue::Text("it = 'ok'".to_owned()), parenthesised("it = 'ok'"))
        }
        ValueType::Text { .. } => (ParameterValue::Text("it's ok".to_owned()), parenthesised("it's ok")),
        ValueType::Hexadecimal { bytes } => {
            (ParameterValue::Bytes(vec![0xAB; bytes]), parenthesised(&"AB".repeat(bytes)))
        }
        ValueType::Date | ValueType::Time | ValueType::List => unreachable!("{} is read only", row.mqsc),
    }
}

/// The parameter that says of which kind an object is, where several share their commands.
fn type_of(kind: Kind) -> Option<Parameter> {
    let keyword = match kind.type_parameter() {
        Some((keyword, _)) => keyword,
        None if kind.is_queue() || kind == Kind::Topic => "TYPE",
        None => return None,
    };
    let row = attribute::find(kind, keyword).unwrap();
    let Some(Value::Integer(code)) = row.default_value(kind) else { panic!("{kind:?} has no type") };
    Some(number(row.pcf.unwrap(), i32::try_from(code).unwrap()))
}

/// Name and type of an object to make, and what it needs whatever is tried on it.
fn basics(kind: Kind, row: &Attribute) -> Vec<Parameter> {
    if kind == Kind::QueueManager {
        return Vec::new();
    }
    let (_, _, name) = commands(kind);
    let mut parameters = vec![text(name, "X")];
    parameters.extend(type_of(kind));
    let needs: &[(&str, &str)] = match kind {
        Kind::Topic => &[("TOPICSTR", "node/of/x")],
        Kind::Subscription => &[("TOPICSTR", "some/topic"), ("DEST", "TARGET.Q")],
        Kind::SenderChannel => &[("CONNAME", "host(1414)"), ("XMITQ", "X")],
        Kind::ServerChannel => &[("XMITQ", "X")],
        Kind::RequesterChannel | Kind::ClientConnection | Kind::ClusterSender | Kind::AuthenticationCrl => {
            &[("CONNAME", "host(1414)")]
        }
        Kind::AuthenticationOcsp => &[("OCSPURL", "http://host")],
        Kind::AuthenticationLdap => &[("CONNAME", "HOST"), ("SHORTUSR", "sn")],
        _ => &[],
    };
    for (keyword, value) in needs.iter().filter(|(keyword, _)| *keyword != row.mqsc) {
        parameters.push(text(attribute::find(kind, keyword).unwrap().pcf.unwrap(), value));
    }
    parameters
}

#[test]
fn every_settable_attribute_is_set_by_its_number_and_shown_as_mqsc_shows_it() {
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Structure) {
        let (create, inquire, name) = commands(kind);
        for row in attribute::of(kind).filter(|row| row.access != Access::ReadOnly && row.pcf.is_some()) {
            if (kind, row.mqsc) == (Kind::QueueManager, "CCSID") {
                continue; // It has one value only.
            }
            let id = row.pcf.unwrap();
            let queue_manager = start();
            run_script(&queue_manager, "DEFINE QLOCAL(TARGET.Q)\nDEFINE TOPIC('Some.Name') TOPICSTR('some/name')");
            let (value, mut shown) = other_than_default(row, kind);
            let mut parameters = basics(kind, row);
            parameters.push(Parameter { id, value: value.clone() });
            done(&queue_manager, create, parameters);
            let asked = if kind == Kind::QueueManager { Vec::new() } else { vec![text(name, "X")] };
            let all = done(&queue_manager, inquire, asked.clone());
            let named = done(&queue_manager, inquire, [asked, vec![numbers(selectors(kind), &[id])]].concat());
            if kind == Kind::Subscription && row.mqsc == "TOPICOBJ" {
                // The object's topic string then stands before the command's.
                shown = "TOPICSTR(some/name/some/topic)".to_owned();
            } else {
                assert_eq!(trimmed(all[0].parameter(id)), Some(value.clone()), "{} of {kind:?}", row.mqsc);
                assert_eq!(trimmed(named[0].parameter(id)), Some(value), "{} of {kind:?}", row.mqsc);
                assert!(named[0].parameters.len() <= 4, "{named:?}");
            }
            let display = match kind {
                Kind::QueueManager => "DISPLAY QMGR ALL".to_owned(),
                other => format!("DISPLAY {}(X) ALL", other.mqsc()),
            };
            let lines = run_script(&queue_manager, &display);
            assert!(lines.iter().any(|line| line.contains(&shown)), "{shown} is not in\n{}", lines.join("\n"));
        }
    }
}

fn trimmed(value: Option<&ParameterValue>) -> Option<ParameterValue> {
    Some(match value? {
        ParameterValue::Text(text) => ParameterValue::Text(text.trim_end().to_owned()),
        other => other.clone(),
    })
}

fn selectors(kind: Kind) -> i32 {
    match kind.mqsc() {
        "QMGR" => 1001,
        "TOPIC" => 1269,
        "SUB" => 1287,
        "CHANNEL" => 1015,
        "LISTENER" => 1222,
        "PROCESS" => 1003,
        "NAMELIST" => 1004,
        "SERVICE" => 1224,
        "AUTHINFO" => 1019,
        "COMMINFO" => 1327,
        _ => 1002,
    }
}

#[test]
fn a_queue_is_made_copied_changed_and_deleted() {
    let queue_manager = start();
    done(&queue_manager, 11, vec![text(2016, "PCF.Q"), number(20, 1), number(15, 7), text(2013, "made by PCF")]);
    assert_eq!(refused(&queue_manager, 11, vec![text(2016, "PCF.Q"), number(20, 1)]), (4001, None));
    done(&queue_manager, 11, vec![text(2016, "PCF.Q"), number(20, 1), number(1006, 1), number(15, 8)]);
    done(&queue_manager, 10, vec![text(3001, "PCF.Q"), text(3002, "PCF.COPY"), number(20, 1), number(13, 100)]);
    let copy = &done(&queue_manager, 13, vec![text(2016, "PCF.COPY")])[0];
    assert_eq!(
        (copy.parameter(15), copy.parameter(13)),
        (Some(&ParameterValue::Integer(8)), Some(&ParameterValue::Integer(100)),)
    );
    done(&queue_manager, 8, vec![text(2016, "PCF.COPY"), number(20, 1), number(15, 9), number(1005, 0)]);
    let lines = run_script(&queue_manager, "DISPLAY QLOCAL(PCF.COPY) MAXDEPTH").join("\n");
    assert!(lines.contains("MAXDEPTH(9)"), "{lines}");
    done(&queue_manager, 9, vec![text(2016, "PCF.COPY")]);
    done(&queue_manager, 12, vec![text(2016, "PCF.COPY")]);
    done(&queue_manager, 12, vec![text(2016, "PCF.Q"), number(20, 1), number(1007, 1), number(1398, 1)]);
    assert_eq!(refused(&queue_manager, 12, vec![text(2016, "PCF.Q")]), (2085, None));
}

#[test]
fn a_queue_of_any_type_is_deleted_without_saying_its_type() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QALIAS(A) TARGET(B)\nDEFINE QREMOTE(R)\nDEFINE QMODEL(M)");
    for name in ["A", "R", "M"] {
        done(&queue_manager, 12, vec![text(2016, name)]);
    }
    run_script(&queue_manager, "DEFINE QALIAS(A) TARGET(B)");
    assert_ne!(refused(&queue_manager, 12, vec![text(2016, "A"), number(20, 1)]).0, 0);
}

#[test]
fn an_inquiry_selects_by_generic_name_type_filter_and_attributes() {
    let queue_manager = start();
    run_script(
        &queue_manager,
        "DEFINE QLOCAL(T.A) MAXDEPTH(10)\nDEFINE QLOCAL(T.B) MAXDEPTH(20) DESCR('b')\nDEFINE QALIAS(T.C) TARGET(T.A)",
    );
    let inquire = |parameters: Vec<Parameter>| done(&queue_manager, 13, parameters);
    let all = || text(2016, "T.*");
    assert_eq!(names(&inquire(vec![all()]), 2016), ["T.A", "T.B", "T.C"]);
    assert_eq!(names(&inquire(vec![all(), number(20, 3)]), 2016), ["T.C"]);
    assert_eq!(names(&inquire(vec![all(), number(20, 1001)]), 2016), ["T.A", "T.B", "T.C"]);
    let two = inquire(vec![text(2016, "T.B"), numbers(1002, &[15, 2013])]);
    let ids: Vec<_> = two[0].parameters.iter().map(|parameter| parameter.id).collect();
    assert_eq!(ids, [2016, 20, 2013, 15]);
    assert_eq!(inquire(vec![text(2016, "T.B"), numbers(1002, &[MQIACF_ALL])]), inquire(vec![text(2016, "T.B")]));
    let filter = |value: ParameterValue, id: i32| names(&inquire(vec![all(), Parameter { id, value }]), 2016);
    assert_eq!(filter(ParameterValue::IntegerFilter { operator: 4, value: 10 }, 15), ["T.B"]);
    assert_eq!(filter(ParameterValue::IntegerFilter { operator: 2, value: 10 }, 15), ["T.A"]);
    assert_eq!(filter(ParameterValue::TextFilter { operator: 2, text: "b".to_owned() }, 2013), ["T.B"]);
    assert_eq!(filter(ParameterValue::TextFilter { operator: 18, text: "T.*".to_owned() }, 2002), ["T.C"]);
    assert_eq!(refused(&queue_manager, 13, vec![text(2016, "NONE.*")]), (2085, None));
}

#[test]
fn names_are_padded_to_their_full_length_and_topic_strings_are_not() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(Q)\nDEFINE TOPIC(T) TOPICSTR('a/b')");
    let queue = &done(&queue_manager, 13, vec![text(2016, "Q")])[0];
    let length = |message: &Message, id| message.parameter(id).and_then(ParameterValue::as_text).map(str::len);
    assert_eq!((length(queue, 2016), length(queue, 2013), length(queue, 2004)), (Some(48), Some(64), Some(12)));
    let topic = &done(&queue_manager, 174, vec![text(2092, "T")])[0];
    assert_eq!(length(topic, 2094), Some(3));
}

#[test]
fn names_alone_come_in_one_message() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(N.A)\nDEFINE QALIAS(N.B) TARGET(N.A)\nDEFINE TOPIC(N.T) TOPICSTR('n')");
    let list = |names: &[&str]| ParameterValue::Texts(names.iter().map(|name| (*name).to_owned()).collect());
    let answer = done(&queue_manager, 18, vec![text(2016, "N.*")]);
    assert_eq!(answer.len(), 1);
    assert_eq!(answer[0].parameter(3011), Some(&list(&["N.A", "N.B"])));
    assert_eq!(answer[0].parameter(1261), Some(&ParameterValue::Integers(vec![1, 3])));
    let alias = done(&queue_manager, 18, vec![text(2016, "N.*"), number(20, 3)]);
    assert_eq!(alias[0].parameter(3011), Some(&list(&["N.B"])));
    let none = done(&queue_manager, 18, vec![text(2016, "NOTHING.*")]);
    assert_eq!(none[0].parameter(3011), Some(&list(&[])));
    let topics = done(&queue_manager, 175, vec![text(2092, "N.*")]);
    assert_eq!(topics[0].parameter(3151), Some(&list(&["N.T"])));
}

#[test]
fn topics_and_subscriptions_have_their_commands() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(TARGET.Q)");
    done(&queue_manager, 172, vec![text(2092, "T"), text(2094, "a/b"), number(208, 0)]);
    done(&queue_manager, 171, vec![text(3150, "T"), text(3149, "T2"), text(2094, "a/c")]);
    done(&queue_manager, 170, vec![text(2092, "T2"), number(208, 0), text(2093, "changed")]);
    assert_eq!(text_of(&done(&queue_manager, 174, vec![text(2092, "T2")])[0], 2093), "changed");
    done(&queue_manager, 177, vec![text(3152, "my sub"), text(2094, "a/b/#"), text(3154, "TARGET.Q")]);
    let subscription = done(&queue_manager, 176, vec![text(3152, "my sub")]);
    let Some(ParameterValue::Bytes(identifier)) = subscription[0].parameter(7016) else { panic!("{subscription:?}") };
    let by_identifier = || Parameter::bytes(7016, identifier.clone());
    assert_eq!(names(&done(&queue_manager, 176, vec![by_identifier()]), 3152), ["my sub"]);
    done(&queue_manager, 178, vec![by_identifier(), text(3159, "data")]);
    assert_eq!(text_of(&done(&queue_manager, 176, vec![text(3152, "my*")])[0], 3159), "data");
    let status = done(&queue_manager, 182, vec![by_identifier()]);
    assert_eq!(
        (names(&status, 3152), status[0].parameter(1289)),
        (vec!["my sub".to_owned()], Some(&ParameterValue::Integer(2)),)
    );
    for command in [176, 182] {
        let chosen = |parameters: &[Parameter]| [vec![text(3152, "my*")], parameters.to_vec()].concat();
        for found in
            [&[number(1289, -2), number(1274, -1)][..], &[number(1289, -1)], &[number(1289, 2), number(1274, 1)]]
        {
            assert_eq!(names(&done(&queue_manager, command, chosen(found)), 3152), ["my sub"], "{command} {found:?}");
        }
        for none in [number(1289, 1), number(1289, 3), number(1274, 2)] {
            let reason = if command == 176 { 2428 } else { 2085 };
            assert_eq!(refused(&queue_manager, command, chosen(&[none])), (reason, None));
        }
        assert_eq!(refused(&queue_manager, command, chosen(&[number(1289, 9)])).0, 3229);
    }
    let selected = done(&queue_manager, 176, vec![by_identifier(), number(1274, 1), numbers(1287, &[1274, 2094])]);
    assert_eq!(selected[0].parameter(1274), Some(&ParameterValue::Integer(1)));
    done(&queue_manager, 177, vec![text(3152, "of t"), text(2092, "T"), text(2094, "x"), text(3154, "TARGET.Q")]);
    let topic_string = |parameters: &[Parameter]| {
        let all = [vec![text(3152, "of t")], parameters.to_vec()].concat();
        text_of(&done(&queue_manager, 176, all)[0], 2094)
    };
    assert_eq!(
        (topic_string(&[number(262, 0)]), topic_string(&[number(262, 1)])),
        ("a/b/x".to_owned(), "x".to_owned())
    );
    done(&queue_manager, 179, vec![by_identifier()]);
    assert_eq!(refused(&queue_manager, 176, vec![text(3152, "my sub")]), (2428, None));
    done(&queue_manager, 173, vec![text(2092, "T2")]);
}

#[test]
fn texts_with_control_characters_are_refused() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(Q)");
    let description = vec![text(2016, "A"), number(20, 1), text(2013, "x\nDELETE QLOCAL(Q)")];
    assert_eq!(refused(&queue_manager, 11, description), (4005, Some((MQIACF_PARAMETER_ID, 2013))));
    let name = vec![text(3152, "x\nDELETE QLOCAL(Q)"), text(2094, "a/b"), text(3154, "Q")];
    assert_eq!(refused(&queue_manager, 177, name), (4008, None));
    let principal = Parameter { id: 3065, value: ParameterValue::Texts(vec!["x\ny".to_owned()]) };
    let record = vec![text(3067, "Q"), number(1016, 1), principal, numbers(1116, &[9])];
    assert_eq!(refused(&queue_manager, 90, record), (3229, None));
}

#[test]
fn a_state_that_is_as_wanted_already_can_be_ignored() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE LISTENER(L) TRPTYPE(TCP)\nDEFINE SERVICE(S)");
    for (command, id, name) in [(142, 3554, "L"), (156, 2077, "S"), (12, 2016, "NONE"), (96, 3554, "NONE")] {
        assert_ne!(refused(&queue_manager, command, vec![text(id, name)]).0, 0);
        assert_ne!(refused(&queue_manager, command, vec![text(id, name), number(1423, 0)]).0, 0);
        done(&queue_manager, command, vec![text(id, name), number(1423, 1)]);
    }
    // Start Channel Listener means the default listener, Stop has to be told.
    done(&queue_manager, 31, Vec::new());
    assert_eq!(refused(&queue_manager, 142, Vec::new()), (3019, None));
}

#[test]
fn statuses_are_shown_by_number() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(S.Q)");
    let queue = done(&queue_manager, 41, vec![text(2016, "S.Q")]);
    assert_eq!((queue.len(), text_of(&queue[0], 2016)), (1, "S.Q".to_owned()));
    let number_of = |message: &Message, id| message.parameter(id).and_then(ParameterValue::number);
    assert_eq!((number_of(&queue[0], 1103), number_of(&queue[0], 3)), (Some(1105), Some(0)));
    assert_eq!(queue[0].parameter(1226), Some(&ParameterValue::Integers(vec![-1, -1])));
    assert_eq!((number_of(&queue[0], 1227), number_of(&queue[0], 123)), (Some(-1), Some(0)));
    let some = done(&queue_manager, 41, vec![text(2016, "S.*"), numbers(1026, &[3, 17])]);
    let ids: Vec<_> = some[0].parameters.iter().map(|parameter| parameter.id).collect();
    assert_eq!(ids, [2016, 1103, 3, 17]);
    assert_eq!(refused(&queue_manager, 41, vec![text(2016, "S.Q"), number(1103, 1104)]).0, 4091);
    let manager = done(&queue_manager, 161, Vec::new());
    assert_eq!((text_of(&manager[0], 2015), number_of(&manager[0], 1149)), ("QM1".to_owned(), Some(2)));
    assert_eq!(number_of(&manager[0], 1233), Some(0));
}

#[test]
fn connections_and_handles_come_by_their_whole_identifier() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(C.Q)");
    let connection = connect(&queue_manager, administrator(), "test");
    let object = model::options::ObjectDescriptor {
        name: model::name::QueueName::literal("C.Q"),
        ..model::options::ObjectDescriptor::default()
    };
    let options = model::options::OpenOptions::OUTPUT;
    wait_for(connection.open(&administrator(), &object, options)).unwrap();
    let identifier = connection.identifier();
    let by_identifier = || Parameter::bytes(7006, identifier);
    let answers = done(&queue_manager, 85, vec![by_identifier()]);
    assert_eq!((answers.len(), text_of(&answers[0], 3058)), (1, "test".to_owned()));
    assert_eq!(answers[0].parameter(7006), Some(&ParameterValue::Bytes(identifier.to_vec())));
    let generic = done(&queue_manager, 85, vec![Parameter::bytes(7007, Vec::new()), number(1110, 1113)]);
    assert_eq!(generic.len(), 2);
    let handle = done(&queue_manager, 85, vec![by_identifier(), number(1110, 1112)]);
    assert_eq!((handle.len(), text_of(&handle[0], 3046)), (1, "C.Q".to_owned()));
    assert_eq!(handle[0].parameter(1022), Some(&ParameterValue::Integer(16)));
    assert_eq!(handle[0].parameter(1016), Some(&ParameterValue::Integer(1)));
    let of_queue = done(&queue_manager, 41, vec![text(2016, "C.Q"), number(1103, 1104), number(1023, 3)]);
    assert_eq!((of_queue.len(), text_of(&of_queue[0], 3058)), (1, "test".to_owned()));
    assert_eq!(of_queue[0].parameter(1099), Some(&ParameterValue::Integer(1)));
}

#[test]
fn authority_records_are_set_shown_and_deleted() {
    let queue_manager = start();
    let key = || vec![text(3067, "APP.**"), number(1016, 1)];
    let principals = || Parameter { id: 3065, value: ParameterValue::Texts(vec!["alice".to_owned()]) };
    let groups = || Parameter { id: 3066, value: ParameterValue::Texts(vec!["staff".to_owned()]) };
    done(&queue_manager, 90, [key(), vec![numbers(1116, &[11, 9]), principals(), groups()]].concat());
    done(&queue_manager, 90, [key(), vec![numbers(1117, &[9]), principals()]].concat());
    let shown = done(&queue_manager, 87, [key(), vec![text(3068, "alice"), number(1118, 1)]].concat());
    assert_eq!(shown.len(), 1);
    assert_eq!(shown[0].parameter(1115), Some(&ParameterValue::Integers(vec![11])));
    assert_eq!((text_of(&shown[0], 3067), text_of(&shown[0], 3068)), ("APP.**".to_owned(), "alice".to_owned()));
    assert_eq!(shown[0].parameter(1118), Some(&ParameterValue::Integer(1)));
    done(&queue_manager, 89, [key(), vec![principals(), groups()]].concat());
    assert_ne!(refused(&queue_manager, 89, [key(), vec![principals()]].concat()).0, 0);
}

#[test]
fn the_queue_manager_answers_a_ping_and_changes() {
    let queue_manager = start();
    assert_eq!(done(&queue_manager, 40, Vec::new())[0].parameters, []);
    done(&queue_manager, 78, vec![number(1106, 1)]);
    done(&queue_manager, 1, vec![text(2014, "a description"), number(25, 5)]);
    let shown = done(&queue_manager, 2, vec![numbers(1001, &[2014, 25])]);
    assert_eq!(text_of(&shown[0], 2014), "a description");
    assert_eq!(shown[0].parameter(25), Some(&ParameterValue::Integer(5)));
    // A selector for a group of attributes shows all.
    assert_eq!(done(&queue_manager, 2, vec![numbers(1001, &[1123])]), done(&queue_manager, 2, Vec::new()));
}

#[test]
fn channel_authentication_records_are_set_shown_and_removed() {
    let queue_manager = start();
    let channel = |name: &str| text(3501, name);
    let texts = |id, texts: &[&str]| Parameter {
        id,
        value: ParameterValue::Texts(texts.iter().map(|text| (*text).to_owned()).collect()),
    };
    done(&queue_manager, 203, vec![channel("APP.*"), number(1352, 1), texts(3568, &["bob", "carol"])]);
    let map = || vec![channel("APP.*"), number(1352, 4), text(3506, "10.0.0.*")];
    done(&queue_manager, 203, [map(), vec![number(1638, 0), text(3527, "alice"), number(1639, 1)]].concat());
    let shown = done(&queue_manager, 204, vec![channel("APP.*")]);
    assert_eq!(shown.len(), 2);
    let of_type = |code| {
        let found = shown.iter().find(|answer| answer.parameter(1352).and_then(ParameterValue::number) == Some(code));
        found.unwrap_or_else(|| panic!("{code} in {shown:?}"))
    };
    let users = ParameterValue::Texts(vec!["bob".to_owned(), "carol".to_owned()]);
    assert_eq!(of_type(1).parameter(3568), Some(&users));
    assert_eq!((text_of(of_type(4), 3506), text_of(of_type(4), 3527)), ("10.0.0.*".to_owned(), "alice".to_owned()));
    assert_eq!(of_type(4).parameter(1639), Some(&ParameterValue::Integer(1)));
    done(&queue_manager, 203, [map(), vec![number(1086, 7)]].concat());
    assert_eq!(done(&queue_manager, 204, vec![channel("APP.*")]).len(), 1);
}

#[test]
fn topic_status_and_figures_of_queues_are_shown_by_number() {
    let queue_manager = start();
    run_script(
        &queue_manager,
        "DEFINE QLOCAL(T.Q)\nDEFINE TOPIC(T) TOPICSTR('a/b')\nDEFINE SUB(S) TOPICSTR('a/b') DEST(T.Q)",
    );
    let topic = done(&queue_manager, 183, vec![text(2094, "a/b")]);
    assert_eq!((text_of(&topic[0], 2094), text_of(&topic[0], 2105)), ("a/b".to_owned(), "T".to_owned()));
    assert_eq!(topic[0].parameter(204), Some(&ParameterValue::Integer(1)));
    let subscribers = done(&queue_manager, 183, vec![text(2094, "a/b"), number(1302, 1296)]);
    assert_eq!(subscribers[0].parameter(1289), Some(&ParameterValue::Integer(2)));
    let all = done(&queue_manager, 185, Vec::new());
    assert_eq!(all[0].parameter(1311), Some(&ParameterValue::Integer(3)));
    let figures = done(&queue_manager, 17, vec![text(2016, "T.Q")]);
    let ids: Vec<_> = figures[0].parameters.iter().map(|parameter| parameter.id).collect();
    assert_eq!((ids, figures[0].parameter(36)), (vec![2016, 35, 36, 37, 38], Some(&ParameterValue::Integer(0))));
    let service = done(&queue_manager, 169, Vec::new());
    assert_eq!(service[0].parameter(1262), Some(&ParameterValue::Integer(1)));
}

#[test]
fn the_server_and_the_system_have_their_commands() {
    let queue_manager = start();
    let status = |queue_manager: &QueueManager| done(queue_manager, 117, Vec::new())[0].parameter(1233).cloned();
    assert_eq!(status(&queue_manager), Some(ParameterValue::Integer(2)));
    done(&queue_manager, 143, Vec::new());
    assert_eq!(status(&queue_manager), Some(ParameterValue::Integer(0)));
    done(&queue_manager, 138, Vec::new());
    // What is left out is a matter of the whole process, so that another test sets it.
    assert_eq!(done(&queue_manager, 123, Vec::new())[0].parameters[0].id, 3205);
    assert_eq!(refused(&queue_manager, 137, Vec::new()).1, None);
    let connection = connect(&queue_manager, administrator(), "to be stopped");
    done(&queue_manager, 86, vec![Parameter::bytes(7006, connection.identifier())]);
    assert_ne!(refused(&queue_manager, 85, vec![Parameter::bytes(7006, vec![0x41; 24])]).0, 0);
}

#[test]
fn mqsc_text_comes_in_an_escape() {
    let queue_manager = start();
    let escape = |script: &str| run(&queue_manager, 38, vec![number(1017, 1), text(3014, script)]);
    let made = escape("DEFINE QLOCAL(E.Q) MAXDEPTH(3)");
    assert_eq!((made.len(), made[0].header.reason), (1, 0));
    assert!(text_of(&made[0], 3014).starts_with("AMQ8006I"), "{made:?}");
    let shown = escape("DISPLAY QLOCAL(E.Q) MAXDEPTH");
    assert!(text_of(&shown[0], 3014).contains("MAXDEPTH(3)"), "{shown:?}");
    let wrong = escape("DEFINE NOTHING");
    assert_ne!(wrong[0].header.reason, 0);
    assert!(text_of(&wrong[0], 3014).contains("AMQ8405I"), "{wrong:?}");
    assert_eq!(refused(&queue_manager, 38, vec![number(1017, 2), text(3014, "X")]).0, 3054);
}

#[test]
fn mistakes_are_told_by_number_and_parameter() {
    let queue_manager = start();
    run_script(&queue_manager, "DEFINE QLOCAL(Q)");
    let about = |parameter| Some((MQIACF_PARAMETER_ID, parameter));
    let check = |command, parameters, expected| {
        assert_eq!(refused(&queue_manager, command, parameters), expected);
    };
    check(9999, Vec::new(), (3007, None));
    check(13, Vec::new(), (3019, None));
    check(13, vec![number(20, 1)], (3228, about(2016)));
    check(13, vec![number(2016, 1)], (3014, about(2016)));
    check(13, vec![text(2016, "Q"), number(4711, 1)], (3014, about(4711)));
    check(13, vec![text(2016, "Q"), text(4711, "x")], (3015, about(4711)));
    check(13, vec![text(2016, "Q"), numbers(4711, &[1])], (3047, about(4711)));
    check(13, vec![text(2016, "Q"), Parameter::bytes(4711, vec![1])], (3256, about(4711)));
    check(13, vec![text(2016, "Q"), Parameter::group(8001, Vec::new())], (3240, about(8001)));
    check(13, vec![text(2016, "Q"), text(2016, "Q")], (3018, about(2016)));
    check(13, vec![text(2016, "Q"), number(20, 1), number(20, 1)], (3017, about(20)));
    check(13, vec![text(2016, "Q"), number(20, 99)], (3022, about(20)));
    check(13, vec![text(2016, "Q"), numbers(1002, &[15, 4711])], (2067, Some((MQIACF_SELECTOR, 4711))));
    let filter = |operator| Parameter { id: 15, value: ParameterValue::IntegerFilter { operator, value: 1 } };
    check(13, vec![text(2016, "Q"), filter(99)], (3242, about(15)));
    let other = Parameter { id: 13, value: ParameterValue::IntegerFilter { operator: 2, value: 1 } };
    check(13, vec![text(2016, "Q"), filter(2), other], (3248, None));
    check(11, vec![text(2016, "N"), number(20, 1), number(15, -5)], (4005, about(15)));
    check(11, vec![text(2016, "N"), number(20, 1), text(2013, &"x".repeat(65))], (3011, about(2013)));
    check(11, vec![text(2016, "N"), number(20, 1), text(2019, "no name")], (4008, about(2019)));
    check(11, vec![text(2016, "N"), number(20, 1), number(3, 1)], (3014, about(3)));
    check(11, vec![text(2016, "N"), number(20, 1), number(1006, 7)], (3229, about(1006)));
    check(11, vec![text(2016, "N"), number(20, 42)], (3022, about(20)));
    check(11, vec![text(2016, "N")], (3228, about(20)));
    check(85, vec![Parameter::bytes(7006, vec![1, 2])], (3174, about(7006)));
    let (_, outcomes) = try_script(&queue_manager, &administrator(), "DISPLAY QUEUE(N)");
    assert_eq!(outcomes, [command::Outcome::Failed], "nothing was made");
}

#[test]
fn only_whole_commands_are_taken() {
    let queue_manager = start();
    let refused = |header: Header| {
        let request = Message { header, parameters: Vec::new() };
        wait_for(pcf::run(&queue_manager, &issuer(&administrator()), &request))[0].header.reason
    };
    let good = Header::command(40);
    assert_eq!(refused(Header { kind: MessageKind::RESPONSE, ..good }), 3001);
    assert_eq!(refused(Header { sequence: 2, ..good }), 3004);
    assert_eq!(refused(Header { is_last: false, ..good }), 3005);
    assert_eq!(refused(Header { kind: MessageKind::COMMAND_EXTENDED, version: 3, ..good }), 0);
}

#[test]
fn authority_is_that_of_the_caller() {
    let queue_manager = start();
    run_script(
        &queue_manager,
        "DEFINE QLOCAL(MINE.Q)\nDEFINE QLOCAL(OTHER.Q)\n\
         SET AUTHREC PROFILE('MINE.**') OBJTYPE(QUEUE) PRINCIPAL('alice') AUTHADD(DSP,CHG)",
    );
    let alice = Principal::user("alice");
    let seen = run_as(&queue_manager, &alice, 13, vec![text(2016, "OTHER.*")]);
    assert_eq!(seen[0].header.reason, 2085);
    let seen = run_as(&queue_manager, &alice, 13, vec![text(2016, "*")]);
    assert_eq!(names(&seen, 2016), ["MINE.Q"]);
    let refused = run_as(&queue_manager, &alice, 8, vec![text(2016, "OTHER.Q"), number(20, 1), number(15, 1)]);
    assert_eq!(refused[0].header.reason, 2035);
    let allowed = run_as(&queue_manager, &alice, 8, vec![text(2016, "MINE.Q"), number(20, 1), number(15, 1)]);
    assert_eq!(allowed[0].header.reason, 0);
}

#[test]
fn channels_and_their_kin_are_made_listed_changed_and_deleted() {
    let queue_manager = start();
    let svrconn = || vec![text(3501, "APP.SVRCONN"), number(1511, 7)];
    done(&queue_manager, 23, [svrconn(), vec![number(1501, 2), text(3527, "app"), number(1615, 5)]].concat());
    done(&queue_manager, 21, [svrconn(), vec![text(3502, "for applications")]].concat());
    done(&queue_manager, 22, vec![text(3007, "APP.SVRCONN"), text(3008, "APP.COPY"), number(1511, 7)]);
    done(&queue_manager, 23, vec![text(3501, "APP.CLNTCONN"), number(1511, 6), text(3506, "host(1414)")]);
    // Not an attribute of such a channel.
    assert_eq!(refused(&queue_manager, 21, [svrconn(), vec![number(1502, 5)]].concat()).0, 3014);
    let copy = &done(&queue_manager, 25, vec![text(3501, "APP.COPY")])[0];
    assert_eq!((text_of(copy, 3502), text_of(copy, 3527)), ("for applications".to_owned(), "app".to_owned()));
    assert_eq!(copy.parameter(3501).and_then(ParameterValue::as_text).map(str::len), Some(20));
    let of_type = |code| names(&done(&queue_manager, 25, vec![text(3501, "APP.*"), number(1511, code)]), 3501);
    assert_eq!(of_type(6), ["APP.CLNTCONN"]);
    assert_eq!(of_type(5).len(), 3);
    let listed = done(&queue_manager, 20, vec![text(3501, "APP.*"), number(1511, 7)]);
    let expected = ParameterValue::Texts(vec!["APP.COPY".to_owned(), "APP.SVRCONN".to_owned()]);
    assert_eq!(listed[0].parameter(3512), Some(&expected));
    assert_eq!(listed[0].parameter(1582), Some(&ParameterValue::Integers(vec![7, 7])));
    done(&queue_manager, 24, vec![text(3501, "APP.CLNTCONN"), number(1526, 2)]);
    done(&queue_manager, 24, vec![text(3501, "APP.COPY"), number(1511, 7)]);
    assert_eq!(refused(&queue_manager, 24, vec![text(3501, "APP.COPY")]).0, 2085);

    let list = ParameterValue::Texts(vec!["Q1".to_owned(), "Q2".to_owned()]);
    done(&queue_manager, 34, vec![text(2010, "LIST"), Parameter { id: 2020, value: list.clone() }]);
    let shown = &done(&queue_manager, 36, vec![text(2010, "LIST")])[0];
    assert_eq!((shown.parameter(2020), shown.parameter(19)), (Some(&list), Some(&ParameterValue::Integer(2))));
    let one = |command, id, list_id| {
        let answer = done(&queue_manager, command, vec![text(id, "SYSTEM.*")]);
        let Some(ParameterValue::Texts(names)) = answer[0].parameter(list_id) else { panic!("{answer:?}") };
        assert!(!names.is_empty(), "{command}");
    };
    one(19, 2012, 3012);
    one(37, 2010, 3013);
    one(84, 2045, 3048);
    for (create, delete, name) in [(5, 6, 2012), (95, 96, 3554), (151, 152, 2077), (190, 194, 2110)] {
        let transport = if create == 95 { vec![number(1501, 2)] } else { Vec::new() };
        let kind = if create == 190 { vec![number(223, 1)] } else { Vec::new() };
        done(&queue_manager, create, [vec![text(name, "X")], transport, kind].concat());
        done(&queue_manager, delete, vec![text(name, "X")]);
        assert_eq!(refused(&queue_manager, delete, vec![text(name, "X")]).0, 2085);
    }
    done(&queue_manager, 81, vec![text(2045, "AUTH"), number(66, 3)]);
    assert_eq!(names(&done(&queue_manager, 83, vec![text(2045, "AUTH")]), 2045), ["AUTH"]);
    done(&queue_manager, 82, vec![text(2045, "AUTH")]);
}

#[test]
fn what_does_not_run_has_no_status() {
    let queue_manager = start();
    done(&queue_manager, 23, vec![text(3501, "C"), number(1511, 7)]);
    done(&queue_manager, 95, vec![text(3554, "L"), number(1501, 2)]);
    done(&queue_manager, 151, vec![text(2077, "S")]);
    for (command, name, object, reason) in [(42, 3501, "C", 3065), (98, 3554, "L", 3250), (154, 2077, "S", 3252)] {
        assert_eq!(refused(&queue_manager, command, vec![text(name, object)]).0, reason, "{command}");
    }
    assert_eq!(refused(&queue_manager, 42, vec![text(3501, "C"), number(1523, 1)]).0, 3229);
    // A channel that only takes calls is not started; nor is one that is not there.
    assert_ne!(refused(&queue_manager, 28, vec![text(3501, "NONE")]).0, 0);
    assert_ne!(refused(&queue_manager, 31, vec![text(3554, "NONE")]).0, 0);
    assert_ne!(refused(&queue_manager, 155, vec![text(2077, "NONE")]).0, 0);
}

/// Parameters as programs may get them wrong: known and unknown numbers, in every structure.
fn arbitrary_parameter() -> impl Strategy<Value = Parameter> {
    let ids = prop_oneof![
        prop::sample::select(vec![
            2016, 20, 15, 1002, 1009, 2092, 2094, 3152, 7016, 3501, 1511, 7006, 7007, 1110, 3067, 1016, 1116, 3065,
            3068, 1118, 1017, 3014, 1103, 1302, 1352, 1086, 3506, 3001, 3002, 1006, 1007, 2045, 66, 2010, 2020, 1523,
        ]),
        any::<i32>(),
    ];
    let texts = "[A-Z.*' ()]{0,12}|é*";
    let values = prop_oneof![
        prop_oneof![-3..10, 1001..1120, any::<i32>()].prop_map(ParameterValue::Integer),
        prop::collection::vec(prop_oneof![0..50, any::<i32>()], 0..4).prop_map(ParameterValue::Integers),
        texts.prop_map(ParameterValue::Text),
        prop::collection::vec(texts, 0..3).prop_map(ParameterValue::Texts),
        prop::collection::vec(any::<u8>(), 0..30).prop_map(ParameterValue::Bytes),
        any::<i64>().prop_map(ParameterValue::Integer64),
        (0..30, any::<i32>()).prop_map(|(operator, value)| ParameterValue::IntegerFilter { operator, value }),
        (0..30, texts).prop_map(|(operator, text)| ParameterValue::TextFilter { operator, text }),
        Just(ParameterValue::Group(Vec::new())),
    ];
    (ids, values).prop_map(|(id, value)| Parameter { id, value })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn every_request_has_a_last_answer(
        requests in prop::collection::vec((0..222, prop::collection::vec(arbitrary_parameter(), 0..5)), 40)
    ) {
        let queue_manager = start();
        for (command, parameters) in requests {
            // Commands that do away with what others need have their own tests.
            if ![86, 137].contains(&command) {
                prop_assert!(!run(&queue_manager, command, parameters).is_empty());
            }
        }
    }
}

#[test]
fn statistics_are_switched_on_by_their_numbers_and_written_on_command() {
    const STATISTICS: &str = "SYSTEM.ADMIN.STATISTICS.QUEUE";
    let queue_manager = start();
    // MQIA_STATISTICS_MQI, MQIA_STATISTICS_Q to MQMON_ON; MQIACF_ACTION to MQACT_COLLECT_STATISTICS.
    done(&queue_manager, 1, vec![number(127, 1), number(128, 1)]);
    run_script(&queue_manager, "DEFINE QLOCAL(Q) STATQ(OFF)");
    done(&queue_manager, 92, vec![number(1086, 3)]);
    let connection = connect(&queue_manager, administrator(), "pcf");
    let object = model::options::ObjectDescriptor {
        name: model::name::ObjectName::literal(STATISTICS),
        ..model::options::ObjectDescriptor::default()
    };
    let input = model::options::OpenOptions::INPUT_SHARED;
    let opened = wait_for(connection.open(&administrator(), &object, input)).unwrap();
    let got = wait_for(connection.get(opened.handle, &model::options::GetOptions::default())).unwrap();
    let (record, _) = model::pcf::decode(&got.body, got.descriptor.encoding, got.descriptor.ccsid).unwrap();
    assert_eq!((record.header.kind, record.header.command), (MessageKind::STATISTICS, 164));
    assert_eq!(text_of(&record, 2015), "QM1");
    assert_eq!(refused(&queue_manager, 92, vec![]).0, 3228, "MQRCCF_PARM_MISSING");
}
