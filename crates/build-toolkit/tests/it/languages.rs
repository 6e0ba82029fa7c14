//! Members as texts: comments, ways of storing texts, PL/I, code pages.

use expect_test::{Expect, expect};
use serde_json::json;

use crate::building::{built, code, with_margin};

/// An answer with a member of every kind.
fn description() -> String {
    json!({ "swagger": "2.0", "info": { "title": "T", "version": "1" }, "paths": { "/a": { "get": { "operationId": "getAll", "responses": {
        "200": { "description": "", "schema": {
            "type": "object", "required": ["title", "code", "count", "made", "rate", "lines"],
            "properties": {
                "title": { "type": "string", "maxLength": 10, "description": "What it is called, in a sentence that is longer than one line of the comment" },
                "code": { "type": "string", "minLength": 3, "maxLength": 3, "enum": ["AAA", "BBB"] },
                "count": { "type": "integer", "minimum": -5, "maximum": 100 },
                "made": { "type": "string", "format": "date-time" },
                "rate": { "type": "number", "format": "decimal", "minimum": 0 },
                "lines": { "type": "array", "maxItems": 3, "items": { "type": "object", "properties": {
                    "text": { "type": "string", "maxLength": 8 }, "flag": { "type": "boolean" } } } },
                "words": { "type": "array", "minItems": 1, "maxItems": 2, "items": { "type": "string", "maxLength": 4 } },
                "price": { "type": "number" },
                "note": { "type": "string", "maxLength": 40000, "nullable": true },
            },
        } } } } } } })
    .to_string()
}

fn check(properties: &str, expected: &Expect) {
    expected.assert_eq(&with_margin(&code(&built(properties, "a.json", &description()).members["API00P01"])));
}

#[test]
fn texts_stand_behind_their_length() {
    check(
        "",
        &expect![[r#"
        |             06 RespBody.
        |               09 Xtitle-length                 PIC S9999 COMP-5 SYNC.
        |               09 Xtitle                        PIC X(10).
        |               09 Xcode                         PIC X(3).
        |               09 Xcount                        PIC S9(3) DISPLAY.
        |               09 made-length                   PIC S9999 COMP-5 SYNC.
        |               09 made                          PIC X(32).
        |               09 rate                          PIC 9(16)V9(2) COMP-3.
        |               09 Xlines2-num                   PIC S9(9) COMP-5 SYNC.
        |               09 Xlines OCCURS 3.
        |                 12 Xtext-num                     PIC S9(9) COMP-5
        |            SYNC.
        |                 12 Xtext.
        |                   15 Xtext2-length                 PIC S9999 COMP-5
        |            SYNC.
        |                   15 Xtext2                        PIC X(8).
        |                 12 flag-num                      PIC S9(9) COMP-5
        |            SYNC.
        |                 12 flag                          PIC X DISPLAY.
        |               09 Xwords-num                    PIC S9(9) COMP-5 SYNC.
        |               09 Xwords OCCURS 2.
        |                 12 Xwords2-length                PIC S9999 COMP-5
        |            SYNC.
        |                 12 Xwords2                       PIC X(4).
        |               09 price-num                     PIC S9(9) COMP-5 SYNC.
        |               09 price                         COMP-2 SYNC.
        |               09 note-num                      PIC S9(9) COMP-5 SYNC.
        |               09 note.
        |                 12 note2-length                  PIC S9(9) COMP-5
        |            SYNC.
        |                 12 note2                         PIC X(40000).
    "#]],
    );
}

#[test]
fn texts_are_filled_up_with_blanks() {
    check(
        "characterVarying=NO\nwideComp3=YES",
        &expect![[r#"
        |             06 RespBody.
        |               09 Xtitle                        PIC X(10).
        |               09 Xcode                         PIC X(3).
        |               09 Xcount                        PIC S9(3) DISPLAY.
        |               09 made                          PIC X(32).
        |               09 rate                          PIC 9(29)V9(2) COMP-3.
        |               09 Xlines2-num                   PIC S9(9) COMP-5 SYNC.
        |               09 Xlines OCCURS 3.
        |                 12 Xtext-num                     PIC S9(9) COMP-5
        |            SYNC.
        |                 12 Xtext                         PIC X(8).
        |                 12 flag-num                      PIC S9(9) COMP-5
        |            SYNC.
        |                 12 flag                          PIC X DISPLAY.
        |               09 Xwords-num                    PIC S9(9) COMP-5 SYNC.
        |               09 Xwords OCCURS 2               PIC X(4).
        |               09 price-num                     PIC S9(9) COMP-5 SYNC.
        |               09 price                         COMP-2 SYNC.
        |               09 note-num                      PIC S9(9) COMP-5 SYNC.
        |               09 note                          PIC X(40000).
    "#]],
    );
}

#[test]
fn texts_are_ended_by_a_byte_of_zero() {
    check(
        "characterVarying=NULL\ncharacterMultiplier=2\ndateTimeFormat=PACKED15\ndefaultFractionDigits=4",
        &expect![[r#"
        |             06 RespBody.
        |               09 Xtitle                        PIC X(21).
        |               09 Xcode                         PIC X(6).
        |               09 Xcount                        PIC S9(3) DISPLAY.
        |               09 made                          PIC 9(15) COMP-3.
        |               09 rate                          PIC 9(14)V9(4) COMP-3.
        |               09 Xlines2-num                   PIC S9(9) COMP-5 SYNC.
        |               09 Xlines OCCURS 3.
        |                 12 Xtext-num                     PIC S9(9) COMP-5
        |            SYNC.
        |                 12 Xtext                         PIC X(17).
        |                 12 flag-num                      PIC S9(9) COMP-5
        |            SYNC.
        |                 12 flag                          PIC X DISPLAY.
        |               09 Xwords-num                    PIC S9(9) COMP-5 SYNC.
        |               09 Xwords OCCURS 2               PIC X(9).
        |               09 price-num                     PIC S9(9) COMP-5 SYNC.
        |               09 price                         COMP-2 SYNC.
        |               09 note-num                      PIC S9(9) COMP-5 SYNC.
        |               09 note                          PIC X(80001).
    "#]],
    );
}

#[test]
fn in_pli_a_text_with_its_length_is_one_item() {
    let made = built("language=PLI", "a.json", &description());
    expect![[r#"
        | /*----------------------------------------------------------------*/
        | /*| Structure of the response that the JSON schema                |*/
        | /*|  'getAll_200_response.json' describes.                        |*/
        | /*| Mapping level '4.1'. Made by Quaymaster's build toolkit.      |*/
        | /*| Field 'title':                                                |*/
        | /*| JSON 'RespBody->title'.                                       |*/
        | /*| What it is called, in a sentence that is longer than one line |*/
        | /*|  of the comment.                                              |*/
        | /*| Type 'string'.                                                |*/
        | /*| minLength '0', maxLength '10'.                                |*/
        | /*| The characters that count stand behind their length.          |*/
        | /*| Field 'code':                                                 |*/
        | /*| JSON 'RespBody->code'.                                        |*/
        | /*| Type 'string'.                                                |*/
        | /*| minLength '3', maxLength '3'.                                 |*/
        | /*| One of (AAA, BBB).                                            |*/
        | /*| Field 'count':                                                |*/
        | /*| JSON 'RespBody->count'.                                       |*/
        | /*| Type 'integer'.                                               |*/
        | /*| maximum '100'.                                                |*/
        | /*| minimum '-5'.                                                 |*/
        | /*| Field 'made':                                                 |*/
        | /*| JSON 'RespBody->made'.                                        |*/
        | /*| Type 'string'.                                                |*/
        | /*| format 'date-time'.                                           |*/
        | /*| The characters that count stand behind their length.          |*/
        | /*| Field 'rate':                                                 |*/
        | /*| JSON 'RespBody->rate'.                                        |*/
        | /*| Type 'number'.                                                |*/
        | /*| format 'decimal'.                                             |*/
        | /*| minimum '0'.                                                  |*/
        | /*| 'RespBody->lines' is an array; 'lines2_num' tells how many of |*/
        | /*|  its values there are, from 0 to 3.                           |*/
        | /*| 'RespBody->lines->text' is optional; in 'text_num' 1 stands   |*/
        | /*|  for present, 0 for absent.                                   |*/
        | /*| Field 'text':                                                 |*/
        | /*| JSON 'RespBody->lines->text'.                                 |*/
        | /*| Type 'string'.                                                |*/
        | /*| minLength '0', maxLength '8'.                                 |*/
        | /*| The characters that count stand behind their length.          |*/
        | /*| 'RespBody->lines->flag' is optional; in 'flag_num' 1 stands   |*/
        | /*|  for present, 0 for absent.                                   |*/
        | /*| Field 'flag':                                                 |*/
        | /*| JSON 'RespBody->lines->flag'.                                 |*/
        | /*| Type 'boolean'.                                               |*/
        | /*| X'00' is false, X'01' is true.                                |*/
        | /*| 'RespBody->words' is an array; 'words_num' tells how many of  |*/
        | /*|  its values there are, from 0 to 2.                           |*/
        | /*| Field 'words':                                                |*/
        | /*| JSON 'RespBody->words'.                                       |*/
        | /*| Type 'string'.                                                |*/
        | /*| minLength '0', maxLength '4'.                                 |*/
        | /*| The characters that count stand behind their length.          |*/
        | /*| 'RespBody->price' is optional; in 'price_num' 1 stands for    |*/
        | /*|  present, 0 for absent.                                       |*/
        | /*| Field 'price':                                                |*/
        | /*| JSON 'RespBody->price'.                                       |*/
        | /*| Type 'number'.                                                |*/
        | /*| Floating point; on z/OS in its hexadecimal form (HEXADEC).    |*/
        | /*| 'RespBody->note' is optional; in 'note_num' 1 stands for      |*/
        | /*|  present, 0 for absent.                                       |*/
        | /*| Field 'note':                                                 |*/
        | /*| JSON 'RespBody->note'.                                        |*/
        | /*| Type 'string'.                                                |*/
        | /*| minLength '0', maxLength '40000'.                             |*/
        | /*| The characters that count stand behind their length.          |*/
        | /*----------------------------------------------------------------*/
        |
        | 03 RespBody,
        |   06 title CHAR(10) VARYING UNALIGNED,
        |   06 code CHAR(3),
        |   06 count PIC '(2)9T',
        |   06 made CHAR(32) VARYING UNALIGNED,
        |   06 rate FIXED DECIMAL (18,2),
        |   06 lines2_num SIGNED FIXED BINARY(31) UNALIGNED,
        |   06 lines(3),
        |     09 text_num SIGNED FIXED BINARY(31) UNALIGNED,
        |     09 text CHAR(8) VARYING UNALIGNED,
        |     09 flag_num SIGNED FIXED BINARY(31) UNALIGNED,
        |     09 flag CHAR(1),
        |   06 words_num SIGNED FIXED BINARY(31) UNALIGNED,
        |   06 words(2) CHAR(4) VARYING UNALIGNED,
        |   06 price_num SIGNED FIXED BINARY(31) UNALIGNED,
        |   06 price BINARY FLOAT(53) UNALIGNED,
        |   06 note_num SIGNED FIXED BINARY(31) UNALIGNED,
        |   06 note CHAR(40000) VARYING4 UNALIGNED;
    "#]]
    .assert_eq(&with_margin(&made.members["API00P01"]));
    expect![[r#"
        | 03 BAQ_APINAME                 CHAR(255)
        |    INIT('T_1'),
        | 03 *                           CHAR(1),
        | 03 BAQ_APINAME_LEN             SIGNED FIXED BINARY(31) UNALIGNED
        |    INIT(3),
        | 03 BAQ_APIPATH                 CHAR(255)
        |    INIT('/a'),
        | 03 *                           CHAR(1),
        | 03 BAQ_APIPATH_LEN             SIGNED FIXED BINARY(31) UNALIGNED
        |    INIT(2),
        | 03 BAQ_APIMETHOD               CHAR(255)
        |    INIT('GET'),
        | 03 *                           CHAR(1),
        | 03 BAQ_APIMETHOD_LEN           SIGNED FIXED BINARY(31) UNALIGNED
        |    INIT(3);
    "#]]
    .assert_eq(&with_margin(&made.members["API00I01"]));
    let archive = made.archive.expect("an archive");
    let response = archive.operations[0].binding.response.as_ref().expect("an answer");
    // Nothing is aligned.
    assert_eq!(
        response.structure.length,
        12 + 3 + 3 + 34 + 10 + 4 + 3 * (4 + 10 + 4 + 1) + 4 + 2 * 6 + 4 + 8 + 4 + 40_004
    );
}

#[test]
fn comments_say_what_the_schema_says() {
    let made = built("", "a.json", &description());
    let member = &made.members["API00P01"];
    assert!(member.lines().all(|line| line.len() <= 71), "{member}");
    let comments: String = member.lines().take(40).map(|line| format!("{line}\n")).collect();
    expect![[r#"
        |      * ++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++
        |      * Structure of the response that the JSON schema
        |      *  'getAll_200_response.json' describes.
        |      * Mapping level '4.1'. Made by Quaymaster's build toolkit.
        |      *
        |      *
        |      *      06 RespBody.
        |      *
        |      * Field 'Xtitle':
        |      * JSON 'RespBody->title'.
        |      * What it is called, in a sentence that is longer than one line
        |      *  of the comment.
        |      * Type 'string'.
        |      * minLength '0', maxLength '10'.
        |      * The characters that count stand behind their length.
        |      *        09 Xtitle-length                 PIC S9999 COMP-5 SYNC.
        |      *        09 Xtitle                        PIC X(10).
        |      *
        |      * Field 'Xcode':
        |      * JSON 'RespBody->code'.
        |      * Type 'string'.
        |      * minLength '3', maxLength '3'.
        |      * One of (AAA, BBB).
        |      *        09 Xcode                         PIC X(3).
        |      *
        |      * Field 'Xcount':
        |      * JSON 'RespBody->count'.
        |      * Type 'integer'.
        |      * maximum '100'.
        |      * minimum '-5'.
        |      *        09 Xcount                        PIC S9(3) DISPLAY.
        |      *
        |      * Field 'made':
        |      * JSON 'RespBody->made'.
        |      * Type 'string'.
        |      * format 'date-time'.
        |      * The characters that count stand behind their length.
        |      *        09 made-length                   PIC S9999 COMP-5 SYNC.
        |      *        09 made                          PIC X(32).
        |      *
    "#]]
    .assert_eq(&with_margin(&comments));
    // The commented copy of the structure is the structure.
    let copied: Vec<String> = member
        .lines()
        .filter(|line| line.starts_with("      *      ") && line.ends_with('.') && line.contains(" PIC "))
        .map(|line| line[7..].to_owned())
        .collect();
    let declared: Vec<String> = code(member)
        .lines()
        .filter(|line| line.starts_with("        ") && line.ends_with('.') && line.contains(" PIC "))
        .map(|line| line[7..].to_owned())
        .collect();
    assert_eq!(copied, declared);
}

#[test]
fn members_are_written_in_the_code_page_that_is_asked_for() {
    // The sink of these tests keeps texts, so the bytes are looked at here.
    use build_toolkit::build::{Input, Location, Sink, build};
    struct First(Vec<u8>);
    impl Sink for First {
        fn file(&mut self, _: Location, name: &str, content: &[u8]) -> std::io::Result<()> {
            if name == "API00P01.cpy" {
                self.0 = content.to_vec();
            }
            Ok(())
        }
        fn line(&mut self, _: &str) {}
        fn progress(&mut self, _: usize, _: usize) {}
    }
    let options = crate::building::properties("generatedCodePage=1047\nrequesterExtension=cpy");
    let description = description();
    let mut first = First(Vec::new());
    build(
        &Input { options: &options, description_name: "a.json", description: description.as_bytes(), strict: false },
        &mut first,
    )
    .expect("built");
    let mut text = String::new();
    codepage::decode(1047, &first.0, &mut text).expect("EBCDIC");
    assert!(first.0.contains(&0x15), "lines end with NEL");
    let plain = built("", "a.json", &description);
    assert_eq!(text.replace('\u{85}', "\n"), plain.members["API00P01"]);
}
