//! Rows of authentication information.
//!
//! Sources: MQ reference, "DEFINE AUTHINFO", 9.3 and 9.4;
//! numbers from the published constants (cmqc.h, cmqcfc.h).

use crate::definition::attribute::field::{Field, date_text, time_text};
use crate::definition::attribute::word::{DISPOSITIONS, NO_YES, plain};
use crate::definition::attribute::{Access, Attribute, Kind, Value, ValueType, Word};

const ALL: &[Kind] = &Kind::AUTHENTICATION;
const OCSP: &[Kind] = &[Kind::AuthenticationOcsp];
const OS: &[Kind] = &[Kind::AuthenticationOs];
const LDAP: &[Kind] = &[Kind::AuthenticationLdap];
const PASSWORDS: &[Kind] = &[Kind::AuthenticationOs, Kind::AuthenticationLdap];
const DIRECTORY: &[Kind] = &[Kind::AuthenticationCrl, Kind::AuthenticationLdap];

const TYPES: &[Word] = &[plain("CRLLDAP", 1), plain("OCSP", 2), plain("IDPWOS", 3), plain("IDPWLDAP", 4)];
const CHECKS: &[Word] = &[plain("NONE", 1), plain("OPTIONAL", 0), plain("REQDADM", 2), plain("REQUIRED", 3)];
const METHODS: &[Word] = &[plain("OS", 0), plain("PAM", 1)];
const SEARCHES: &[Word] = &[plain("OS", 0), plain("SEARCHGRP", 1), plain("SEARCHUSR", 2), plain("SRCHGRPSN", 3)];
const SECURE: &[Word] = &[plain("NO", 0), plain("YES", 1), plain("ANON", 2)];

/// MQAIT_* number.
fn authentication_type(kind: Kind) -> Option<i64> {
    let (_, word) = kind.type_parameter()?;
    TYPES.iter().find(|known| known.mqsc == word).map(|known| known.code)
}

const fn integer(minimum: i64, maximum: i64, unit: &'static str) -> ValueType {
    ValueType::Integer { minimum, maximum, unit, words: &[] }
}

pub(super) const ROWS: &[Attribute] = &[
    shown!(AUTHINFO = Some(2045), -, ALL, ValueType::Name,
        |view| Some(view.authentication()?.name.to_value()),
        "Name of the authentication information."),
    shown!(AUTHTYPE = Some(66), -, ALL, ValueType::Choice(TYPES),
        |view| authentication_type(view.kind()).map(Value::Integer),
        "Type of authentication information."),
    shown!(QSGDISP = Some(63), -, ALL, ValueType::Choice(DISPOSITIONS),
        |view| Some(view.authentication()?.disposition.to_value()),
        "Whether the definition is the queue manager's own, a copy of the group's, or the group's.")
    .of_members(),
    row!(ADOPTCTX = 260, -, PASSWORDS, ValueType::Choice(NO_YES), authentication.adopt_context,
        "Whether the authenticated user's authority is used."),
    row!(DESCR = 2046, -, ALL, ValueType::Text { maximum: 64 }, authentication.description,
        "Free text about the authentication information."),
    row!(CONNAME = 2053, -, DIRECTORY, ValueType::Text { maximum: 264 }, authentication.connection_name,
        "Address of the LDAP server: host(port), several separated by commas."),
    row!(CHCKCLNT = 258, -, PASSWORDS, ValueType::Choice(CHECKS), authentication.check_client,
        "Which clients need a password."),
    row!(CHCKLOCL = 257, -, PASSWORDS, ValueType::Choice(CHECKS), authentication.check_local,
        "Which local programs need a password."),
    row!(CLASSGRP = 2133, -, LDAP, ValueType::Text { maximum: 128 }, authentication.group_class,
        "LDAP object class of groups."),
    row!(CLASSUSR = 2128, -, LDAP, ValueType::Text { maximum: 128 }, authentication.user_class,
        "LDAP object class of users."),
    row!(FAILDLAY = 259, -, PASSWORDS, integer(0, 60, "seconds"), authentication.failure_delay_s,
        "Delay of the answer to a wrong password."),
    row!(FINDGRP = 2135, -, LDAP, ValueType::Text { maximum: 128 }, authentication.membership_field,
        "LDAP attribute for membership of groups."),
    row!(AUTHENMD = 266, -, OS, ValueType::Choice(METHODS), authentication.pluggable_modules,
        "How the operating system checks a password."),
    row!(BASEDNG = 2132, -, LDAP, ValueType::Text { maximum: 1024 }, authentication.group_base,
        "Base distinguished name of groups."),
    row!(BASEDNU = 2126, -, LDAP, ValueType::Text { maximum: 1024 }, authentication.user_base,
        "Base distinguished name of users."),
    row!(LDAPUSER = 2047, -, DIRECTORY, ValueType::Text { maximum: 1024 }, authentication.ldap_user,
        "Distinguished name for requests to the LDAP server."),
    row!(LDAPPWD = 2048, -, DIRECTORY, ValueType::Secret { maximum: 256 },
        |view| Some(Value::masked(&view.authentication()?.ldap_password)),
        |target, value| { target.authentication()?.ldap_password = Field::from_value(value)?; Some(()) },
        "Password for the LDAP server."),
    row!(OCSPURL = 2109, -, OCSP, ValueType::Text { maximum: 256 }, authentication.responder,
        "URL of the OCSP responder."),
    row!(SHORTUSR = 2127, -, LDAP, ValueType::Text { maximum: 128 }, authentication.short_user_field,
        "LDAP attribute with the short user name."),
    row!(GRPFIELD = 2134, -, LDAP, ValueType::Text { maximum: 128 }, authentication.group_field,
        "LDAP attribute with the name of a group."),
    row!(USRFIELD = 2129, -, LDAP, ValueType::Text { maximum: 128 }, authentication.user_field,
        "LDAP attribute with the name of a user."),
    row!(AUTHORMD = 263, -, LDAP, ValueType::Choice(SEARCHES), authentication.group_search,
        "Source of a user's groups."),
    row!(NESTGRP = 264, -, LDAP, ValueType::Choice(NO_YES), authentication.nested_groups,
        "Whether nested groups are searched."),
    row!(SECCOMM = 261, -, LDAP, ValueType::Choice(SECURE), authentication.secure,
        "Whether requests to the LDAP server use TLS."),
    shown!(ALTDATE = Some(2027), -, ALL, ValueType::Date,
        |view| Some(Value::Text(date_text(view.authentication()?.history.altered))),
        "Date of the last change, in UTC."),
    shown!(ALTTIME = Some(2028), -, ALL, ValueType::Time,
        |view| Some(Value::Text(time_text(view.authentication()?.history.altered))),
        "Time of the last change, in UTC."),
];
