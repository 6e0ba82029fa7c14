use super::*;

#[test]
fn a_program_that_is_no_browser_is_not_taken_for_one() {
    for path in ["/no/such/chromium", "/bin/false", "/bin/true"] {
        let failure = BrowserProgram::find(Some(Path::new(path))).unwrap_err();
        assert!(matches!(&failure, TablesError::NoBrowser { looked_for } if looked_for == path), "{failure}");
    }
}
