//! A user's name in a message descriptor, whole: `UserIdentifier` has room for its first 12 bytes, `AccountingToken` holds the rest.
//!
//! Authority is decided by the whole name. Two users whose names begin with the same 12 bytes are two users here, as they are
//! on Windows, where the token of IBM MQ holds the security identifier.
//!
//! ```text
//! offset width  AccountingToken of a user whose name has more than 12 bytes
//!      0     1  number of bytes of the rest of the name, 1 to 30; 31: the name cannot be told from the descriptor
//!      1    30  the rest, then zero bytes
//!     31     1  0x19, MQACTT_USER
//! ```
//! The token of every other user is MQACT_NONE.
//!
//! Invariant: for every name, `user_of` what `of_user` returns is that name or `None`, never the name of another user. Only who
//! may set identity context, and so may name any user, can choose the two fields.

use crate::authority::Principal;
use crate::descriptor::MessageDescriptor;
use crate::identifier::AccountingToken;
use crate::text::Text;

const IN_IDENTIFIER: usize = 12;
/// Longest rest of a name, in bytes.
const REST: usize = 30;
/// In place of a length: the rest does not fit.
const UNTOLD: u8 = 31;
/// MQACTT_USER.
const TOKEN_OF_USER: u8 = 0x19;

/// The two fields for a message put by `user`.
pub fn of_user(user: &str) -> (Text<12>, AccountingToken) {
    let identifier = Text::new(user);
    if identifier.trimmed() == user.as_bytes() {
        return (identifier, AccountingToken::NONE);
    }
    let mut token = [0; 32];
    token[31] = TOKEN_OF_USER;
    match user.as_bytes().get(IN_IDENTIFIER..) {
        // An identifier that ends in a blank is read as a shorter name, whatever the token holds.
        Some(rest @ [_, ..]) if rest.len() <= REST && identifier.trimmed().len() == IN_IDENTIFIER => {
            token[0] = u8::try_from(rest.len()).expect("at most 30");
            token[1..=rest.len()].copy_from_slice(rest);
        }
        // Too long, or a name that padding changes.
        _ => token[0] = UNTOLD,
    }
    (identifier, AccountingToken::new(token))
}

/// As `of_user`, with a token of the user's choice where that leaves no doubt about the name.
pub fn of_user_with_token(user: &str, wished: AccountingToken) -> (Text<12>, AccountingToken) {
    let (identifier, own) = of_user(user);
    let is_free = own == AccountingToken::NONE && user_in(&identifier, &wished).as_deref() == Some(user);
    (identifier, if is_free { wished } else { own })
}

/// Whose message it is; `None` where the descriptor does not tell. Empty for a message without context.
pub fn user_of(descriptor: &MessageDescriptor) -> Option<String> {
    user_in(&descriptor.user_identifier, &descriptor.accounting_token)
}

/// Whether a principal is more than the user whom these two fields tell: a member of groups, an administrator of a door, or
/// somebody else.
pub fn beyond(principal: &Principal, (identifier, token): &(Text<12>, AccountingToken)) -> bool {
    // Nearly every user of nearly every message.
    let is_whole = *token == AccountingToken::NONE && identifier.trimmed() == principal.user.as_bytes();
    principal.is_administrator
        || !principal.groups.is_empty()
        || !is_whole && user_in(identifier, token).as_deref() != Some(&*principal.user)
}

fn user_in(identifier: &Text<12>, token: &AccountingToken) -> Option<String> {
    let token = token.as_bytes();
    let length = if token[31] == TOKEN_OF_USER { token[0] } else { 0 };
    let name = match length {
        UNTOLD => return None,
        1.. if usize::from(length) <= REST && identifier.trimmed().len() == IN_IDENTIFIER => {
            [identifier.as_bytes(), &token[1..=usize::from(length)]].concat()
        }
        _ => identifier.trimmed().to_vec(),
    };
    String::from_utf8(name).ok()
}

#[cfg(test)]
mod tests;
