//! Which user the server runs as, without asking the C library: /proc says the number, /etc/passwd the name.

/// Name of the effective user; its number where there is no such entry, `mqm` where nothing can be read.
pub(crate) fn name() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let Some(number) = effective_number(&status) else { return "mqm".to_owned() };
    of_number(number)
}

pub(crate) fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    effective_number(&status) == Some("0")
}

/// Name of the user with this number; the number where there is no such entry.
pub(crate) fn of_number(number: &str) -> String {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    name_of(number, &users).unwrap_or(number).to_owned()
}

/// The second number of the `Uid:` line: real, effective, saved, file system.
fn effective_number(status: &str) -> Option<&str> {
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_whitespace().nth(1)
}

fn name_of<'a>(number: &str, users: &'a str) -> Option<&'a str> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == number).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::{effective_number, name_of};

    #[test]
    fn the_effective_user_is_looked_up_by_number() {
        assert_eq!(effective_number("Name:\tx\nUid:\t5\t1000\t1000\t1000\n"), Some("1000"));
        let users = "root:x:0:0:root:/:/bin/sh\nfred:x:1000:1000::/:/bin/sh\n";
        assert_eq!(name_of("1000", users), Some("fred"));
        assert_eq!(name_of("1001", users), None);
    }
}
