//! Archives of services that were made by other tools.

use std::collections::BTreeMap;

use super::ServiceArchive;
use crate::names::Names;
use document::package::Package;

fn archive(provider: &str, properties: &str) -> ServiceArchive {
    let mut package = Package::default();
    let manifest = format!("name: s\nprovider: {provider}\nversion: \"2\"\nproviderProperties:\n{properties}");
    package.insert("manifest.yml", manifest.into_bytes()).expect("a name");
    package.insert("schemas/sRequest.json", &br#"{"type":"object"}"#[..]).expect("a name");
    ServiceArchive::read(&package.write().expect("written")).expect("an archive")
}

fn property(name: &str, value: &str) -> String {
    format!("- propertyName: {name}\n  value: \"{value}\"\n  type: STRING\n")
}

fn problem(provider: &str, properties: &str) -> Option<String> {
    archive(provider, properties).content(&Names::default(), &BTreeMap::new()).err().map(|error| error.to_string())
}

#[test]
fn defaults_of_the_toolkit_are_passed_over_and_what_is_not_done_here_is_refused() {
    let destination = property("destination", "Q");
    let defaults = [
        ("trimOutputTrailingWhitespace", "true"),
        ("omitOutputEmptyTags", "false"),
        ("omitOutputFieldsByValueByte", "0x00"),
    ];
    let all: String = defaults.iter().map(|(name, value)| property(name, value)).collect();
    assert_eq!(problem("mq", &format!("{destination}{all}")), None);
    let other = format!("{destination}{}", property("trimOutputTrailingWhitespace", "false"));
    assert_eq!(problem("mq", &other).as_deref(), Some("trimOutputTrailingWhitespace: 'false' is not supported"));
    let binding = format!("{destination}{}", property("dataXformType", "WSBIND"));
    assert_eq!(problem("mq", &binding).as_deref(), Some("dataXformType: 'WSBIND' is not supported"));
    let unknown = format!("{destination}{}", property("nonsense", "x"));
    assert_eq!(problem("mq", &unknown).as_deref(), Some("nonsense: there is no such property"));
}

#[test]
fn services_of_other_providers_are_refused_by_name() {
    let destination = property("destination", "Q");
    let sentence = "manifest.yml: the provider 'REST-1.0' is not supported, expected mq or cics";
    assert_eq!(problem("REST-1.0", &destination).as_deref(), Some(sentence));
    assert_eq!(problem("CICS-1.0", &destination).as_deref(), Some("program: it is required"));
    assert_eq!(problem("CICS-1.0", &property("program", "PROG")), None);
    assert_eq!(problem("MQ-1.0", &destination), None);
    assert_eq!(problem("IBM MQ for z/OS", &destination), None);
}
