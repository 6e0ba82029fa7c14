//! MQINQ and MQSET by selector numbers.

use expect_test::expect;
use model::options::{ObjectDescriptor, OpenOptions};

use crate::script::{FakeClock, administrator, check, connect, ephemeral, name};

#[test]
fn attributes_and_counts_are_read_by_selector() {
    check(
        "put A; @2 open o Q output; inquire 3 15 17 18 20 2016; inquire 2013",
        expect![[r#"[1, 5000, 1, 2, 1] "Q" [] """#]],
    );
}

#[test]
fn an_attribute_of_another_type_is_not_applicable_and_unknown_selectors_are_refused() {
    check(
        "define A alias TARGET=Q; open a A inquire; inquire on=a 2002 15; inquire 999; inquire 5000",
        expect![[r#"[-1] "Q" !2068 2067 2067"#]],
    );
}

#[test]
fn inhibit_and_trigger_attributes_can_be_set() {
    check(
        "set 10:1; put A; set 10:0 9:1; put A; get; set 9:0; get; set 24:1 29:5; inquire 24 29",
        expect![[r#"2051 2016 A [1, 5] """#]],
    );
}

#[test]
fn wrong_values_and_selectors_are_refused() {
    check(
        "set 9:7; set 24:7; set 29:0; set 28:9; set 26:10; set 15:1; define A alias TARGET=Q; open a A set; set on=a 24:1",
        expect!["2020 2075 2076 2078 2077 2067 2068"],
    );
}

#[tokio::test]
async fn trigger_data_ends_with_a_zero_byte_or_with_blanks() {
    let queue_manager = ephemeral(FakeClock::new());
    let connection = connect(&queue_manager, administrator());
    let object = ObjectDescriptor { name: name("SYSTEM.DEFAULT.LOCAL.QUEUE"), ..ObjectDescriptor::default() };
    let options = OpenOptions::SET | OpenOptions::INQUIRE;
    let handle = connection.open(&administrator(), &object, options).await.unwrap().handle;
    for (end, filling) in [(0, 0), (b' ', b' '), (0, 0xFF)] {
        let mut characters = vec![filling; 64];
        characters[..4].copy_from_slice(b"DATA");
        characters[4] = end;
        connection.set(handle, &[2023], &[], &characters).await.unwrap();
        let inquired = connection.inquire(handle, &[2023]).unwrap();
        assert_eq!(String::from_utf8(inquired.characters).unwrap().trim_end(), "DATA");
    }
}
