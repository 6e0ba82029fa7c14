use super::*;

#[test]
fn messages_end_with_a_zero_byte_wherever_the_pipe_is_cut() {
    let bytes = b"{\"id\":1}\0{\"method\":\"a\"}\0not json\0{\"id\":2}";
    for size in 1..bytes.len() {
        let mut found = Vec::new();
        messages(BufReader::with_capacity(size, bytes.as_slice()), |message| {
            found.push(message);
            true
        });
        assert_eq!(found, [json!({ "id": 1 }), json!({ "method": "a" }), json!({ "id": 2 })], "in pieces of {size}");
    }
}
