use super::*;

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + seconds * 1000)
}

fn address(last: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, last])
}

/// Seconds that a try has to wait; 0: it may be made.
fn wait(attempts: &Attempts, user: &str, from: IpAddr, second: u64) -> u64 {
    wait_with(attempts, user, "wrong", from, second)
}

fn wait_with(attempts: &Attempts, user: &str, password: &str, from: IpAddr, second: u64) -> u64 {
    let password = attempts.fingerprint(user, password);
    attempts.admit(&Lockout::default(), user, password, from, at(second)).map_or_else(Locked::seconds, |()| 0)
}

/// A right password.
fn sign_in(attempts: &Attempts, user: &str, from: IpAddr, second: u64) {
    attempts.succeeded(user, attempts.fingerprint(user, "right"), from, at(second));
}

/// A wrong password, if it may be tried at all.
fn guess(attempts: &Attempts, user: &str, from: IpAddr, second: u64) -> bool {
    let may = wait(attempts, user, from, second) == 0;
    if may {
        attempts.failed(&Lockout::default(), user, from, at(second));
    }
    may
}

#[test]
fn a_pair_waits_twice_as_long_each_time_and_never_for_good() {
    let attempts = Attempts::default();
    let mut second = 0;
    let mut waits = Vec::new();
    for _ in 0..16 {
        assert!(guess(&attempts, "app", address(1), second));
        waits.push(wait(&attempts, "app", address(1), second));
        second += waits[waits.len() - 1];
    }
    assert_eq!(waits, [0, 0, 0, 0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300]);
    assert_eq!(wait(&attempts, "APP ", address(1), second - 1), 1, "spellings of a name are one user");
    assert_eq!(wait(&attempts, "app", address(2), second - 1), 0, "another address is not concerned");
    assert_eq!(wait(&attempts, "bob", address(1), second - 1), 0, "nor another user");
    assert!(guess(&attempts, "app", address(1), second + 601));
    assert_eq!(wait(&attempts, "app", address(1), second + 601), 0, "forgotten after ten minutes");
}

#[test]
fn a_right_password_ends_the_count() {
    let attempts = Attempts::default();
    for second in 0..20 {
        for _ in 0..4 {
            assert!(guess(&attempts, "app", address(1), second * 30), "{second}");
        }
        sign_in(&attempts, "app", address(1), second * 30);
    }
}

#[test]
fn a_guesser_in_a_hurry_has_few_tries_an_hour() {
    let attempts = Attempts::default();
    let tries = (0..3600).filter(|&second| guess(&attempts, "app", address(1), second)).count();
    assert_eq!(tries, 23);
    // Names do not matter: one address, a user a try.
    let sprayed = (0..3600).flat_map(|second| (0..10).map(move |number| (second, number)));
    let tries =
        sprayed.filter(|&(second, number)| guess(&attempts, &format!("{second} {number}"), address(9), second)).count();
    assert!((690..=705).contains(&tries), "100, and then one in 6 s: {tries}");
}

#[test]
fn guessers_at_many_addresses_keep_nobody_out() {
    let attempts = Attempts::default();
    sign_in(&attempts, "app", address(200), 0);
    let mut tries = 0;
    for second in 1..600 {
        for number in 0..100 {
            tries += usize::from(guess(&attempts, "app", IpAddr::from([198, 51, 100, number]), second));
        }
        // The user mistypes once a minute where it signed in before.
        if second % 60 == 0 {
            assert!(guess(&attempts, "app", address(200), second));
            assert_eq!(wait(&attempts, "app", address(200), second), 0, "{second}");
            sign_in(&attempts, "app", address(200), second);
        }
    }
    // Ten minutes of 100 addresses: 2 + 4 + ... + 256 is 510 seconds.
    assert!((900..=1000).contains(&tries), "{tries}");
    assert_eq!(wait(&attempts, "app", address(201), 600), 0, "a new address has a try of its own");
    // They pause: a tenth of the budget has been given back since.
    for number in 0..10 {
        attempts.failed(&Lockout::default(), "app", address(210 + number), at(600));
    }
    attempts.failed(&Lockout::default(), "app", address(201), at(600));
    assert_eq!(wait(&attempts, "app", address(201), 600), 2, "and waits at once");
}

#[test]
fn users_known_at_an_address_get_in_though_its_budget_is_spent() {
    let attempts = Attempts::default();
    sign_in(&attempts, "app", address(1), 0);
    while guess(&attempts, "nobody", address(1), 1) {}
    for number in 0..200 {
        guess(&attempts, &number.to_string(), address(1), 1);
    }
    assert_eq!(wait(&attempts, "newcomer", address(1), 1), 6);
    assert_eq!(wait(&attempts, "newcomer", address(2), 1), 0);
    assert_eq!(wait(&attempts, "app", address(1), 1), 0);
    assert_eq!(wait(&attempts, "newcomer", address(1), 8), 0, "given back in time");
}

#[test]
fn an_ipv6_subscriber_is_one_address() {
    let attempts = Attempts::default();
    let of = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, last, 0, 0, last]);
    let tries = (0..100).filter(|&number| guess(&attempts, "app", of(number), 0)).count();
    assert_eq!(tries, 5);
    assert_eq!(wait(&attempts, "app", IpAddr::from([0x2001, 0xdb8, 0, 2, 0, 0, 0, 1]), 0), 0);
}

#[test]
fn without_a_number_of_failures_nobody_waits() {
    let attempts = Attempts::default();
    let off = Lockout { failures: 0, ..Lockout::default() };
    for _ in 0..1000 {
        assert_eq!(attempts.admit(&off, "app", attempts.fingerprint("app", "wrong"), address(1), at(0)), Ok(()));
        attempts.failed(&off, "app", address(1), at(0));
    }
    assert_eq!(attempts.largest_table(), 0);
}

#[test]
fn tables_stay_bounded_and_what_lasts_longest_stays() {
    let attempts = Attempts::default();
    let lockout = Lockout::default();
    for _ in 0..12 {
        attempts.failed(&lockout, "app", address(1), at(10));
    }
    for number in 0..u32::try_from(MOST * 2).expect("a small table") {
        let from = IpAddr::from(number.to_be_bytes());
        attempts.failed(&lockout, &number.to_string(), from, at(u64::from(number) / 10_000));
        sign_in(&attempts, &format!("other {number}"), from, 0);
        assert!(attempts.largest_table() <= MOST);
    }
    assert_eq!(wait(&attempts, "app", address(1), 10), 256, "the longest lock was not pushed out");
}

#[test]
fn a_guesser_at_the_same_address_does_not_keep_the_user_out() {
    let attempts = Attempts::default();
    sign_in(&attempts, "app", address(1), 0);
    let mut tries = 0;
    for second in 1..7200 {
        tries += usize::from(guess(&attempts, "app", address(1), second));
        if second % 600 == 0 {
            assert_eq!(wait_with(&attempts, "app", "right", address(1), second), 0, "{second}");
            sign_in(&attempts, "app", address(1), second);
        }
    }
    assert!(tries <= 40, "the user's own sign-ins give the guesser no new tries: {tries}");
    while guess(&attempts, "bob", address(1), 7200) {}
    assert_eq!(wait_with(&attempts, "bob", "right", address(1), 7200), 2, "the password of another user");
}

#[test]
fn a_clock_that_is_set_back_keeps_nobody_out_for_long() {
    const LATER: u64 = 100_000;
    let attempts = Attempts::default();
    for _ in 0..20 {
        attempts.failed(&Lockout::default(), "app", address(1), at(LATER));
    }
    for number in 0..200 {
        attempts.failed(&Lockout::default(), &number.to_string(), address(2), at(LATER));
    }
    assert_eq!((wait(&attempts, "app", address(1), 0), wait(&attempts, "newcomer", address(2), 0)), (300, 6));
    assert_eq!(wait(&attempts, "newcomer", address(2), 6), 0);
    assert_eq!((wait(&attempts, "app", address(1), 300), wait(&attempts, "app", address(1), 306)), (6, 0));
    attempts.failed(&Lockout::default(), "app", address(1), at(300));
    assert_eq!(wait(&attempts, "app", address(1), 600), 0);
}

#[test]
fn what_a_crowd_spends_beyond_a_budget_is_given_back_in_ten_minutes() {
    let attempts = Attempts::default();
    for number in 0..2000_u32 {
        attempts.failed(&Lockout::default(), "app", IpAddr::from(number.to_be_bytes()), at(0));
    }
    attempts.failed(&Lockout::default(), "app", address(1), at(0));
    assert_eq!(wait(&attempts, "app", address(1), 0), 2, "a new address waits at once");
    attempts.failed(&Lockout::default(), "app", address(2), at(601));
    assert_eq!(wait(&attempts, "app", address(2), 601), 0, "and does not ten minutes later");
}

#[test]
fn a_crowd_of_addresses_writes_few_lines() {
    let mut lines = Lines::default();
    let written = (0..10_000).filter(|_| lines.take(at(100)).is_some()).count();
    assert_eq!(written, 100);
    assert_eq!((lines.take(at(159)), lines.take(at(160)), lines.take(at(161))), (None, Some(9901), Some(0)));
    assert_eq!(lines.take(at(0)), Some(0), "the clock is set back");
}
