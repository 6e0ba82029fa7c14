use super::*;

fn values(parameters: &[Parameter], id: i32) -> Vec<i64> {
    match &parameters.iter().find(|parameter| parameter.id == id).expect("every figure is told").value {
        ParameterValue::Integer(value) => vec![i64::from(*value)],
        ParameterValue::Integers(values) => values.iter().map(|value| i64::from(*value)).collect(),
        ParameterValue::Integers64(values) => values.clone(),
        other => panic!("{other:?} is no figure"),
    }
}

#[test]
fn least_and_most_are_of_each_persistence_and_zero_without_messages() {
    let mut activity = Activity::default();
    for bytes in [7, 3, 5] {
        activity.put(false, Some(Passed { persistence: Persistence::Persistent, bytes }));
    }
    let told = activity.accounted();
    assert_eq!(values(&told, n::MQIAMO_PUTS), [0, 3]);
    assert_eq!(values(&told, n::MQIAMO64_PUT_BYTES), [0, 15]);
    assert_eq!(values(&told, n::MQIAMO_PUT_MIN_BYTES), [0, 3]);
    assert_eq!(values(&told, n::MQIAMO_PUT_MAX_BYTES), [0, 7]);
    assert_eq!(values(&told, n::MQIAMO64_Q_TIME_AVG), [0, 0]);
}

#[test]
fn an_empty_message_is_the_least_there_is() {
    let mut activity = Activity::default();
    for bytes in [0, 9] {
        activity.browsed(Some(Passed { persistence: Persistence::NonPersistent, bytes }));
    }
    assert_eq!(values(&activity.accounted(), n::MQIAMO_BROWSE_MIN_BYTES), [0, 0]);
    assert_eq!(values(&activity.accounted(), n::MQIAMO_BROWSE_MAX_BYTES), [9, 0]);
}

#[test]
fn time_on_the_queue_is_told_in_microseconds() {
    let mut activity = Activity::default();
    let passed = Passed { persistence: Persistence::NonPersistent, bytes: 1 };
    for microseconds in [10, 40] {
        activity.got(Some(passed), Duration::from_micros(microseconds));
    }
    let told = activity.accounted();
    assert_eq!(values(&told, n::MQIAMO64_Q_TIME_MIN), [10, 0]);
    assert_eq!(values(&told, n::MQIAMO64_Q_TIME_AVG), [25, 0]);
    assert_eq!(values(&told, n::MQIAMO64_Q_TIME_MAX), [40, 0]);
    assert_eq!(values(&activity.counted(), n::MQIAMO64_AVG_Q_TIME), [25, 0]);
}
