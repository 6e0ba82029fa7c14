//! Properties files.

use super::{
    HONOURED, Language, Level, OF_LEVEL_5_0, Options, PropertyError, REFUSED, Varying, ccsid, distance, parse,
};
use crate::archive::{Place, WhiteSpace};

const FIGURE_7: &str = "apiDescriptionFile=/u/zosconn/btFiles/APIRPERF.json\nlanguage=COBOL\n\
    dataStructuresLocation=/u/zosconn/btFiles/APIRPerformance\napiInfoFileLocation=/u/zosconn/btFiles/APIRPerformance\n\
    requesterPrefix=PER\nconnectionRef=Server2Ref\nlogFileDirectory=/u/zosconn/btFiles/APIRPerformance\n";

fn with(more: &str) -> Result<Options, Vec<PropertyError>> {
    parse(format!("{FIGURE_7}{more}\n").as_bytes())
}

fn refused(more: &str) -> String {
    with(more).expect_err(more).iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn the_properties_of_the_report_are_read_and_the_others_have_their_defaults() {
    let options = with("").expect("read");
    assert_eq!((options.language, options.requester_prefix.as_str()), (Language::Cobol, "PER"));
    assert_eq!((options.default_character_max_length, options.default_array_max_items), (255, 255));
    assert_eq!((options.character_varying, options.white_space), (Varying::Yes, WhiteSpace::Preserve));
    assert_eq!((options.generated_ccsid, options.runtime_ccsid), (1208, 37));
    assert_eq!((options.mapping_level, options.wide_comp3), (Level::V4_1, false));
}

#[test]
fn values_are_read_without_the_blanks_behind_them_and_whatever_their_case() {
    let options = with("characterVarying=no  \nruntimeCodePage = IBM-1047 \nrequesterPrefix=csc ").expect("read");
    assert_eq!((options.character_varying, options.white_space), (Varying::No, WhiteSpace::Collapse));
    assert_eq!((options.runtime_ccsid, options.requester_prefix.as_str()), (1047, "CSC"));
}

#[test]
fn both_spellings_of_white_space_are_accepted() {
    for name in ["characterWhitespace", "characterWhiteSpace"] {
        assert_eq!(with(&format!("{name}=REPLACE")).expect("read").white_space, WhiteSpace::Replace);
    }
}

#[test]
fn every_property_of_the_table_is_honoured_or_refused_by_its_name() {
    let table = "apiDescriptionFile dataStructuresLocation apiInfoFileLocation logFileDirectory language connectionRef \
        requesterPrefix defaultCharacterMaxLength defaultArrayMaxItems characterMultiplier characterVarying characterWhitespace \
        dataTruncation dateTimeFormat generatedCodePage runtimeCodePage nameTruncation wideComp3 ignoreMIMETypeCheck \
        apiKeyParmNameInHeader apiKeyParmNameInQuery apiKeyParmNameInCookie apiKeyMaxLength additionalPropertiesSize additionalPropertiesMax apiName \
        inlineMaxOccursLimit";
    for property in table.split_whitespace() {
        let is_refused = REFUSED.iter().any(|(name, _)| *name == property);
        assert!(HONOURED.contains(&property) != is_refused, "{property}");
        if is_refused {
            assert!(refused(&format!("{property}=20")).starts_with(property));
        }
    }
}

#[test]
fn the_page_about_the_command_has_every_property_and_no_other() {
    let page = include_str!("../../../../docs/zconbt.md");
    let (_, section) = page.split_once("\n## Properties\n").expect("a section");
    let (section, _) = section.split_once("\n## ").expect("another section");
    let (table, refused) = section.split_once("Refused by name").expect("a list");
    let mut rows: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    // The one that is spelled in two ways has one row.
    assert!(table.contains("also spelled `characterWhiteSpace`"));
    rows.push("characterWhiteSpace");
    let mut honoured = HONOURED.to_vec();
    rows.sort_unstable();
    honoured.sort_unstable();
    assert_eq!(rows, honoured);
    let mut named: Vec<&str> = refused.split('`').skip(1).step_by(2).collect();
    let mut known: Vec<&str> = REFUSED.iter().map(|(name, _)| *name).collect();
    named.sort_unstable();
    known.sort_unstable();
    assert_eq!(named, known);
}

#[test]
fn a_property_that_there_is_not_names_the_nearest_one() {
    assert!(refused("defaultCharacterMaxLenght=3").contains("nearest one is defaultCharacterMaxLength"));
    assert_eq!(distance("connectionref", "connectionRef"), 0);
}

#[test]
fn every_value_that_cannot_be_is_told_of() {
    let all = parse(b"language=C\ncharacterVarying=MAYBE\ndefaultArrayMaxItems=32768\ngeneratedCodePage=latin\n")
        .expect_err("refused");
    let properties: Vec<_> = all.iter().map(|error| error.property.as_str()).collect();
    for property in [
        "language",
        "characterVarying",
        "defaultArrayMaxItems",
        "generatedCodePage",
        "apiDescriptionFile",
        "dataStructuresLocation",
        "apiInfoFileLocation",
        "logFileDirectory",
        "connectionRef",
    ] {
        assert_eq!(properties.iter().filter(|one| **one == property).count(), 1, "{property}: {all:?}");
    }
    assert!(refused("requesterPrefix=LONG").contains("three"));
    assert!(parse(b"\xff").is_err());
}

#[test]
fn records_have_no_code_page_whose_digits_are_longer_than_a_byte() {
    for page in ["1200", "1201", "1202", "13488", "17584"] {
        let told = refused(&format!("runtimeCodePage={page}"));
        assert!(told.starts_with("runtimeCodePage: "), "{told}");
        with(&format!("generatedCodePage={page}")).expect("read");
    }
    assert_eq!(with("runtimeCodePage=UTF-8").expect("read").runtime_ccsid, 1208);
}

#[test]
fn api_keys_stand_in_headers_in_the_query_or_in_cookies_and_are_two_at_most() {
    let keys =
        with("apiKeyParmNameInHeader=X-IBM-Client-ID, X-IBM-Client-Secret\napiKeyMaxLength=36").expect("read").api_keys;
    let keys = keys.expect("keys");
    assert_eq!(
        (keys.place, keys.names, keys.max_length),
        (Place::Header, vec!["X-IBM-Client-ID".to_owned(), "X-IBM-Client-Secret".to_owned()], 36)
    );
    assert!(refused("apiKeyParmNameInHeader=a,b,c").contains("one or two"));
    assert!(refused("apiKeyParmNameInHeader=a\napiKeyParmNameInQuery=b").contains("together"));
    let keys = with("apiKeyParmNameInCookie=key,secret\nmappingLevel=5.0").expect("read").api_keys.expect("keys");
    assert_eq!((keys.place, keys.names.len()), (Place::Cookie, 2));
    assert!(refused("apiKeyParmNameInQuery=a\napiKeyParmNameInCookie=b\nmappingLevel=5.0").contains("together"));
    assert!(refused("apiKeyParmNameInCookie=a;b\nmappingLevel=5.0").contains("one or two"));
}

#[test]
fn what_only_level_5_0_has_a_place_for_is_refused_below_it() {
    for (property, _) in OF_LEVEL_5_0 {
        let value = if *property == "programInterface" { "CHANNEL" } else { "20" };
        for level in ["4.1", "4.3"] {
            let told = refused(&format!("{property}={value}\nmappingLevel={level}"));
            assert!(told.starts_with(property) && told.contains("mappingLevel=5.0"), "{told}");
        }
        with(&format!("{property}={value}\nmappingLevel=5.0")).expect("read");
    }
}

#[test]
fn code_pages_have_several_names() {
    for (name, expected) in
        [("UTF-8", Some(1208)), ("CP037", Some(37)), ("ibm-1140", Some(1140)), ("1047", Some(1047)), ("x", None)]
    {
        assert_eq!(ccsid(name), expected, "{name}");
    }
}
