use super::*;

const FILE: &str = "\
# a comment
* another
CHANNELS:
   ServerConnectionParms=APP.SVRCONN/TCP/mq.example(1414)
   ccsid = 819
SSL:
   SSLKeyRepository=/keys/client.pem
   nonsense
";

#[test]
fn attributes_are_found_by_stanza_whatever_their_case() {
    let settings = Settings::of(&[], FILE);
    assert_eq!(settings.attribute("Channels", "serverconnectionparms"), Some("APP.SVRCONN/TCP/mq.example(1414)"));
    assert_eq!(settings.attribute("SSL", "SSLKeyRepository"), Some("/keys/client.pem"));
    assert_eq!(settings.attribute("TCP", "SSLKeyRepository"), None);
}

#[test]
fn the_environment_goes_before_the_file_and_the_file_before_the_locale() {
    assert_eq!(Settings::of(&[("MQCCSID", "850"), ("LANG", "de_DE.ISO-8859-15")], FILE).ccsid(), 850);
    assert_eq!(Settings::of(&[("LANG", "de_DE.ISO-8859-15")], FILE).ccsid(), 819);
    assert_eq!(Settings::of(&[("LANG", "de_DE.ISO-8859-15")], "").ccsid(), 923);
    assert_eq!(Settings::of(&[("LC_ALL", "C")], "").ccsid(), 1208);
}

#[test]
fn the_file_is_a_path_or_a_url_of_a_file() {
    assert_eq!(path_of("file:///a/b.ini"), PathBuf::from("/a/b.ini"));
    assert_eq!(path_of("/a/b.ini"), PathBuf::from("/a/b.ini"));
}
