use proptest::prelude::*;

use super::*;

fn back(user: &str) -> Option<String> {
    let (identifier, token) = of_user(user);
    user_in(&identifier, &token)
}

#[test]
fn names_of_up_to_42_bytes_are_told_whole() {
    for user in
        ["", "app", "exactlytwelv", "exactlytwelve", "żółćżó łódź", "a name of forty-two bytes that fits as one"]
    {
        assert_eq!(back(user).as_deref(), Some(user));
    }
    assert_eq!(of_user("exactlytwelv").1, AccountingToken::NONE, "the usual token stays as it was");
}

#[test]
fn a_name_that_is_not_told_is_nobodys() {
    for user in ["a name of forty-three bytes, one more than 42", "admin ", "admin\0x", "admin\t", "exactlytwel "] {
        assert_eq!(back(user), None, "{user:?}");
    }
}

#[test]
fn a_name_with_a_blank_as_its_twelfth_character_is_not_told_as_a_shorter_one() {
    for user in ["elevenchars x", "elevenchars  and more", "eleven      x", "short\0       x"] {
        let (identifier, token) = of_user(user);
        assert_eq!(user_in(&identifier, &token), None, "{user:?}");
    }
}

#[test]
fn a_chosen_token_names_no_other_user() {
    let (_, longer) = of_user("exactlytwelve");
    assert_eq!(of_user_with_token("exactlytwelv", longer).1, AccountingToken::NONE);
    assert_eq!(of_user_with_token("app", longer).1, longer, "a short name is told by the identifier alone");
    let own = of_user("exactlytwelve and more").1;
    assert_eq!(of_user_with_token("exactlytwelve and more", longer).1, own);
    assert_eq!(of_user_with_token("exactlytwelve and more", AccountingToken::NONE).1, own);
    let untold = of_user("admin ").1;
    assert_eq!(of_user_with_token("admin", untold).1, AccountingToken::NONE);
}

proptest! {
    #[test]
    fn no_name_is_taken_for_another(user in "\\PC{0,60}", wished in any::<[u8; 32]>()) {
        for (identifier, token) in [of_user(&user), of_user_with_token(&user, AccountingToken::new(wished))] {
            if let Some(told) = user_in(&identifier, &token) {
                prop_assert_eq!(told, user.clone());
            }
        }
    }

    #[test]
    fn names_without_blanks_at_their_end_are_told(user in "[a-z.]{0,42}") {
        prop_assert_eq!(back(&user), Some(user));
    }
}
