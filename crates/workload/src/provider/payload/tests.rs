use serde_json::{Value, json};

use super::*;

fn answer(answers: &Answers, count_in: i32, count_out: i32) -> Result<Value, String> {
    let request = json!({ "count_in": count_in, "count_out": count_out }).to_string();
    let text = answers.answer(request.as_bytes()).map_err(|error| error.to_string())?;
    Ok(serde_json::from_slice(&text).unwrap())
}

#[test]
fn two_eight_and_sixteen_ask_for_one_four_and_eight_kibibytes() {
    let answers = Answers::new(512);
    for (count_out, bytes) in [(0, 0), (2, 1024), (8, 4096), (16, 8192), (32, 16384)] {
        let answer = answer(&answers, 1, count_out).unwrap();
        assert_eq!(answer["send_size"], bytes);
        assert_eq!(answer["recv_size"], 16, "the report's request has 16 bytes");
        let entries = answer["user_data"].as_array().unwrap();
        assert_eq!(entries.len() * 32, bytes);
        for (number, entry) in entries.iter().enumerate() {
            assert_eq!(*entry, format!("{number:04}-ABCDEFGHIJKLMNOPQRSTUVWXYZ-"));
        }
    }
}

#[test]
fn each_answer_has_a_number_of_its_own_and_texts_of_fixed_length() {
    let answers = Answers::new(512);
    let (first, second) = (answer(&answers, 7, 1).unwrap(), answer(&answers, 7, 1).unwrap());
    assert_ne!(first["taskid"], second["taskid"]);
    assert_eq!(first["recv_size"], 112);
    assert_eq!((first["tranid"].as_str().unwrap().len(), first["rs_spare"].as_str().unwrap().len()), (4, 16));
}

#[test]
fn what_is_no_such_request_or_asks_for_too_much_is_refused_by_name() {
    let answers = Answers::new(512);
    assert!(answer(&answers, 1, 33).unwrap_err().contains("count_out is 33, expected 0 to 32"));
    assert!(answer(&answers, 1, -1).unwrap_err().contains("count_out is -1"));
    assert!(answer(&answers, -1, 1).unwrap_err().contains("count_in is -1"));
    assert!(answer(&answers, i32::MAX, 1).unwrap_err().contains("count_in is 2147483647"));
    for text in ["", "[]", "{}", r#"{"count_in":1}"#, r#"{"count_in":1,"count_out":"2"}"#] {
        assert!(answers.answer(text.as_bytes()).is_err(), "{text}");
    }
    let unknown = answers.answer(br#"{"count_in":1,"count_out":2,"count":3}"#).unwrap_err();
    assert!(unknown.to_string().contains("`count`"), "{unknown}");
}

#[test]
fn more_entries_than_four_digits_can_name_begin_with_zero_again() {
    let answers = Answers::new(32_768);
    let answer = answer(&answers, 1, 2048).unwrap();
    let entries = answer["user_data"].as_array().unwrap();
    assert_eq!((entries.len(), &answer["send_size"]), (32_768, &json!(1 << 20)));
    assert_eq!(entries[10_001], "0001-ABCDEFGHIJKLMNOPQRSTUVWXYZ-");
}
