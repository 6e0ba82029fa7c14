//! Words of authorities, object types and entities: AUTHREC in MQSC, and `setmqaut`, `dspmqaut`.
//!
//! What the words stand for, and which authorities an object type has, is said in `model::authority`.
//! Source: MQ reference, "SET AUTHREC", "setmqaut", 9.3.

use model::authority::{AUTHORITY_WORDS, Authority, AuthorityObject, Entity};

/// The authorities a word (in any case) stands for on an object; ALL, ALLADM, ALLMQI and NONE included.
pub fn authority(word: &str, object: AuthorityObject) -> Option<Authority> {
    let word = word.to_ascii_uppercase();
    match word.as_str() {
        "ALL" => Some(object.all_authorities()),
        "ALLMQI" => Some(object.mqi_authorities()),
        "ALLADM" => Some(object.administration_authorities()),
        "NONE" => Some(Authority::empty()),
        _ => AUTHORITY_WORDS.iter().find(|known| known.mqsc == word).map(|known| known.authority),
    }
}

/// Words of a set, as AUTHLIST shows them.
pub fn words(authorities: Authority) -> impl Iterator<Item = &'static str> {
    authorities.words().map(|word| word.mqsc)
}

/// An OBJTYPE word in any case, also as `setmqaut` abbreviates it.
pub fn object(word: &str) -> Option<AuthorityObject> {
    AuthorityObject::ALL.into_iter().find(|object| {
        let (full, short) = object.command_names();
        [object.mqsc(), full, short].iter().any(|name| name.eq_ignore_ascii_case(word))
    })
}

pub fn object_word(object: AuthorityObject) -> &'static str {
    object.mqsc()
}

/// ENTTYPE and the name.
pub fn entity_words(entity: &Entity) -> (&'static str, &str) {
    (entity.mqsc(), entity.name())
}
