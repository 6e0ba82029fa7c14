//! Users, groups, roles, single sign-on and certificates of a configuration.

use std::collections::BTreeMap;

use document::xml::Element;
use identity::Roles;
use identity::options::{CertificateMap, Realm};

use super::elements::{Server, is_true};
use super::{Imported, without_repeats};

const REST_APPLICATION: &str = "com.ibm.mq.rest";
const CONSOLE_APPLICATION: &str = "com.ibm.mq.console";
/// Liberty's realm for a basicRegistry that names none.
const UNNAMED_REALM: &str = "BasicRegistry";

pub(super) fn read(server: &Server, imported: &mut Imported) {
    for registry in server.named("basicRegistry") {
        basic_registry(registry, imported);
    }
    for application in server.named("enterpriseApplication") {
        enterprise_application(application, imported);
    }
    for element in server.named("ltpa") {
        ltpa(element, imported);
    }
    for element in server.named("webAppSecurity") {
        web_app_security(element, imported);
    }
    for element in server.elements() {
        registry_of_another_kind(element, imported);
        key_store_or_ssl(element, imported);
    }
    security_switched_off(server, imported);
    if !imported.console_roles.is_empty() && imported.console_roles != imported.web.roles {
        imported
            .leave_out(CONSOLE_APPLICATION, "its roles differ from those of REST, and web.roles holds those of REST");
    }
}

fn basic_registry(registry: &Element, imported: &mut Imported) {
    let web = &mut imported.web;
    web.realm = Realm(registry.attribute("realm").unwrap_or(UNNAMED_REALM).to_owned());
    web.ignore_case = is_true(registry.attribute("ignoreCaseForAuthentication"));
    match registry.attribute("certificateMapMode").map(str::to_ascii_uppercase).as_deref() {
        None | Some("PRINCIPAL_CN") => web.certificate_map = CertificateMap::PrincipalCn,
        Some("NOT_SUPPORTED") => web.certificate_map = CertificateMap::NotSupported,
        Some("EXACT_DN") => web.certificate_map = CertificateMap::ExactDn,
        Some(other) => {
            let why = "certificates are mapped by PRINCIPAL_CN, EXACT_DN or NOT_SUPPORTED only";
            imported.leave_out(format!("basicRegistry certificateMapMode {other}"), why);
            imported.web.certificate_map = CertificateMap::NotSupported;
        }
    }
    for user in registry.children_named("user") {
        match (user.attribute("name").filter(|name| !name.is_empty()), user.attribute("password")) {
            // Liberty would take the text itself for the password, which everybody can guess.
            (Some(name), Some(password)) if password.contains("${") => {
                imported.leave_out(format!("user {name}"), "its password is a variable that has no value");
            }
            (Some(name), None | Some("")) => imported.leave_out(format!("user {name}"), "it has no password"),
            (Some(name), Some(password)) => {
                imported.web.users.insert(name.to_owned(), password.to_owned());
            }
            (None, _) => imported.leave_out("basicRegistry user", "it has no name"),
        }
    }
    for group in registry.children_named("group") {
        let Some(name) = group.attribute("name") else { continue };
        let members = imported.web.groups.entry(name.to_owned()).or_default();
        members.extend(group.children_named("member").filter_map(|member| member.attribute("name")).map(str::to_owned));
        *members = without_repeats(std::mem::take(members));
    }
}

fn enterprise_application(application: &Element, imported: &mut Imported) {
    let id = application.attribute("id").unwrap_or_default().to_owned();
    if id != REST_APPLICATION && id != CONSOLE_APPLICATION {
        imported.leave_out(format!("enterpriseApplication {id}"), "it is not one of MQ's own applications");
        return;
    }
    let mut roles: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for role in application.children_named("application-bnd").flat_map(|binding| &binding.children) {
        let name = role.attribute("name").unwrap_or_default();
        if role.name != "security-role" || Roles::parse(name).is_none() {
            imported.leave_out(format!("{id} {} {name}", role.name), "it is not a role of MQ");
            continue;
        }
        let holders = roles.entry(name.to_owned()).or_default();
        for holder in &role.children {
            match holder_of(holder) {
                Some(holder) => holders.push(holder),
                None => {
                    imported.leave_out(format!("{id} {name} {}", holder.name), "it names no user or group");
                }
            }
        }
    }
    let target = if id == REST_APPLICATION { &mut imported.web.roles } else { &mut imported.console_roles };
    for (name, holders) in roles {
        let known = target.entry(name).or_default();
        known.extend(holders);
        *known = without_repeats(std::mem::take(known));
    }
}

fn holder_of(element: &Element) -> Option<String> {
    let name = element.attribute("name").filter(|name| !name.is_empty());
    match element.name.as_str() {
        "user" => Some(format!("user:{}", name?)),
        "group" => Some(format!("group:{}", name?)),
        "special-subject" => {
            let kind = element.attribute("type")?;
            matches!(kind, "ALL_AUTHENTICATED_USERS" | "EVERYONE").then(|| kind.to_owned())
        }
        _ => None,
    }
}

fn ltpa(element: &Element, imported: &mut Imported) {
    for (name, value) in &element.attributes {
        match name.as_str() {
            "id" => {}
            "keysPassword" => imported.ltpa.keys_password = Some(value.clone()),
            "keysFileName" if !value.contains("${") => imported.ltpa.keys_file = Some(value.into()),
            "keysFileName" => {
                imported.leave_out("ltpa keysFileName", "copy that file, and name the copy in ltpa.keys_file");
            }
            "expiration" => match minutes(value) {
                Some(minutes) => imported.ltpa.expiration = minutes,
                None => {
                    imported.leave_out(format!("ltpa expiration {value}"), "it is not a duration from one minute on");
                }
            },
            "expirationDifferenceAllowed" => {
                imported
                    .leave_out("ltpa expirationDifferenceAllowed", "the two times of a token may differ by 3000 ms");
            }
            "monitorInterval" | "updateTrigger" | "monitorValidationKeysDir" | "monitorDirectory" => {
                imported.leave_out(format!("ltpa {name}"), "the key file is read at start and on a reload only");
            }
            _ => imported.leave_out(format!("ltpa {name}"), "it has no counterpart"),
        }
    }
    if element.children_named("validationKeys").next().is_some() {
        imported.leave_out("ltpa validationKeys", "tokens are verified with one key file only");
    }
}

/// A duration in minutes, rounded up; a bare number is minutes.
fn minutes(text: &str) -> Option<u64> {
    let minutes = u32::try_from(milliseconds(text, 60_000)?.div_ceil(60_000)).ok()?;
    (minutes > 0).then_some(minutes.into())
}

/// Liberty's durations: `120m`, `2h`, `1h30m`, `7200s`, `500ms`; a bare number is of `unit` milliseconds.
pub(super) fn milliseconds(text: &str, unit: u64) -> Option<u64> {
    let mut rest = text.trim();
    if let Ok(number) = rest.parse::<u32>() {
        return u64::from(number).checked_mul(unit);
    }
    let mut milliseconds = 0_u64;
    while !rest.is_empty() {
        let digits = rest.find(|character: char| !character.is_ascii_digit())?;
        let (number, tail) = rest.split_at(digits);
        let unit = tail.find(|character: char| !character.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, after) = tail.split_at(unit);
        let factor = match unit.to_ascii_lowercase().as_str() {
            "d" => 86_400_000,
            "h" => 3_600_000,
            "m" => 60_000,
            "s" => 1000,
            "ms" => 1,
            _ => return None,
        };
        milliseconds = milliseconds.checked_add(number.parse::<u64>().ok()?.checked_mul(factor)?)?;
        rest = after;
    }
    Some(milliseconds)
}

fn web_app_security(element: &Element, imported: &mut Imported) {
    for (name, value) in &element.attributes {
        match name.as_str() {
            "ssoCookieName" => imported.ltpa.cookie_name = value.clone(),
            "ssoRequiresSSL" => imported.ltpa.secure = is_true(Some(value)),
            "httpOnlyCookies" if !is_true(Some(value)) => {
                imported.leave_out("webAppSecurity httpOnlyCookies", "scripts are never given the cookie");
            }
            "sameSiteCookie" if !value.eq_ignore_ascii_case("Strict") => {
                imported.leave_out("webAppSecurity sameSiteCookie", "the cookie is always SameSite=Strict");
            }
            "trackLoggedOutSSOCookies" if !is_true(Some(value)) => {
                imported.leave_out("webAppSecurity trackLoggedOutSSOCookies", "a logged-out cookie is always refused");
            }
            "id"
            | "httpOnlyCookies"
            | "sameSiteCookie"
            | "trackLoggedOutSSOCookies"
            | "useOnlyCustomCookieName"
            | "allowFailOverToBasicAuth"
            | "displayAuthenticationRealm" => {}
            _ => imported.leave_out(format!("webAppSecurity {name}"), "it has no counterpart"),
        }
    }
}

fn registry_of_another_kind(element: &Element, imported: &mut Imported) {
    let why = match element.name.as_str() {
        "safRegistry" | "safCredentials" | "safAuthorization" | "safRoleMapper" => "SAF is not supported",
        "customRegistry" | "quickStartSecurity" | "federatedRepository" => {
            "only basicRegistry and ldapRegistry are read"
        }
        "featureManager" => return features(element, imported),
        _ => return,
    };
    imported.leave_out(element.name.clone(), why);
}

fn features(manager: &Element, imported: &mut Imported) {
    for feature in manager.children_named("feature") {
        let name = feature.text.to_ascii_lowercase();
        if name.starts_with("localosauthenticationmq-") {
            imported
                .leave_out(feature.text.clone(), "users of the operating system are not read; list them in web.users");
        }
    }
}

fn key_store_or_ssl(element: &Element, imported: &mut Imported) {
    let id = element.attribute("id").unwrap_or_default();
    match element.name.as_str() {
        "keyStore" => {
            let why = "export its certificates as PEM and name them in tls.certificate, tls.key and tls.client_ca";
            let location = element.attribute("location").unwrap_or_default();
            imported.leave_out(format!("keyStore {id} {location}").trim_end().to_owned(), why);
        }
        "ssl" => {
            if is_true(element.attribute("clientAuthentication")) {
                let why = "set tls.client_ca to the signers of clients, and tls.client_required to true";
                imported.leave_out(format!("ssl {id} clientAuthentication"), why);
            } else if is_true(element.attribute("clientAuthenticationSupported")) {
                let why = "set tls.client_ca to the signers of clients";
                imported.leave_out(format!("ssl {id} clientAuthenticationSupported"), why);
            }
            for name in ["sslProtocol", "enabledCiphers"] {
                if element.attribute(name).is_some() {
                    imported
                        .leave_out(format!("ssl {id} {name}"), "TLS 1.2 and 1.3 are offered with their safe ciphers");
                }
            }
        }
        _ => {}
    }
}

/// The sample `no_security.xml`: features are listed, none of them secures anything, and there are no users.
fn security_switched_off(server: &Server, imported: &mut Imported) {
    let mut features = server.named("featureManager").flat_map(|manager| manager.children_named("feature")).peekable();
    let lists_features = features.peek().is_some();
    // Features of z/OS Connect bring security along.
    let words = ["security", "registry", "authentication", "zosconnect"];
    let secures = |name: &str| words.iter().any(|word| name.contains(word));
    let secured = features.any(|feature| secures(&feature.text.to_ascii_lowercase()));
    let knows_users = server.elements().any(|element| element.name.to_ascii_lowercase().contains("registry"));
    let binds_users = imported.web.roles.values().flatten().any(|holder| holder != "EVERYONE");
    let includes_more = imported.left_out.iter().any(|line| line.what.starts_with("include "));
    if lists_features && !secured && !knows_users && !binds_users && !includes_more {
        imported.web.no_security = true;
        imported
            .leave_out("security", "the file switches it off: everybody is admitted with every role (web.no_security)");
    }
}
