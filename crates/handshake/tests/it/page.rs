//! `docs/tls.md` says what is true: its table of CipherSpecs is the table.

use std::path::Path;

use handshake::cipher_spec::ALL;

#[test]
fn the_page_has_the_table_of_cipher_specs() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tls.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let rows: Vec<&str> = page.lines().filter(|line| line.contains("| TLS 1.")).collect();
    let expected: Vec<String> = ALL
        .iter()
        .map(|one| {
            let protocol = if one.protocol == "TLSV13" { "TLS 1.3" } else { "TLS 1.2" };
            let (library, served) = if one.is_old() { ("s2n-tls", "if configured") } else { ("rustls", "always") };
            format!("| `{}` | {protocol} | {} | {library} | {served} |", one.name, one.family.name())
        })
        .collect();
    assert_eq!(rows, expected);
}
