//! An `ldapRegistry` and its filters, as `[ldap]`.
//!
//! A registry's type says which filters it has where it gives none; they are written out. Source: Open Liberty,
//! ldapRegistry and the filter properties of each type.

use document::xml::Element;
use identity::options::{Ldap, LdapCertificateMap, LdapTls};

use super::Imported;
use super::elements::{Server, is_true};

/// Liberty's realm for an ldapRegistry that names none.
const UNNAMED_REALM: &str = "LdapRegistry";

/// The filters of one `ldapType`.
struct Kind {
    /// Value of `ldapType`.
    name: &'static str,
    /// The element in or beside the registry that changes them, with `Filters` or `LdapFilterProperties` at its end.
    element: &'static str,
    user_filter: &'static str,
    group_filter: &'static str,
    user_id_map: &'static str,
    group_member_id_map: &'static str,
}

const IBM_MEMBERS: &str =
    "ibm-allGroups:member;ibm-allGroups:uniqueMember;groupOfNames:member;groupOfUniqueNames:uniqueMember";
const PERSON_OF_IBM: &str = "(&(uid=%v)(objectclass=ePerson))";
const GROUPS_AND_URLS: &str =
    "(&(cn=%v)(|(objectclass=groupOfNames)(objectclass=groupOfUniqueNames)(objectclass=groupOfURLs)))";

const KINDS: [Kind; 8] = [
    Kind {
        name: "Custom",
        element: "custom",
        user_filter: PERSON_OF_IBM,
        group_filter: GROUPS_AND_URLS,
        user_id_map: "*:uid",
        group_member_id_map: IBM_MEMBERS,
    },
    Kind {
        name: "IBM Tivoli Directory Server",
        element: "ids",
        user_filter: PERSON_OF_IBM,
        group_filter: GROUPS_AND_URLS,
        user_id_map: "*:uid",
        group_member_id_map: IBM_MEMBERS,
    },
    Kind {
        name: "Microsoft Active Directory",
        element: "actived",
        user_filter: "(&(sAMAccountName=%v)(objectcategory=user))",
        group_filter: "(&(cn=%v)(objectcategory=group))",
        user_id_map: "user:sAMAccountName",
        group_member_id_map: "memberOf:member",
    },
    Kind {
        name: "IBM SecureWay Directory Server",
        element: "secureway",
        user_filter: PERSON_OF_IBM,
        group_filter: "(&(cn=%v)(|(objectclass=groupOfNames)(objectclass=groupOfUniqueNames)))",
        user_id_map: "*:uid",
        group_member_id_map: "groupOfNames:member;groupOfUniqueNames:uniqueMember",
    },
    Kind {
        name: "IBM Lotus Domino",
        element: "domino50",
        user_filter: "(&(uid=%v)(objectclass=Person))",
        group_filter: "(&(cn=%v)(objectclass=dominoGroup))",
        user_id_map: "person:uid",
        group_member_id_map: "dominoGroup:member",
    },
    Kind {
        name: "Novell eDirectory",
        element: "edirectory",
        user_filter: "(&(cn=%v)(objectclass=Person))",
        group_filter: "(&(cn=%v)(objectclass=groupOfNames))",
        user_id_map: "person:cn",
        group_member_id_map: "groupOfNames:member",
    },
    Kind {
        name: "Sun Java System Directory Server",
        element: "iplanet",
        user_filter: "(&(uid=%v)(objectclass=inetOrgPerson))",
        group_filter: "(&(cn=%v)(objectclass=ldapsubentry))",
        user_id_map: "inetOrgPerson:uid",
        group_member_id_map: "nsRole:nsRole",
    },
    Kind {
        name: "Netscape Directory Server",
        element: "netscape",
        user_filter: "(&(uid=%v)(objectclass=inetOrgPerson))",
        group_filter: "(&(cn=%v)(|(objectclass=groupOfNames)(objectclass=groupOfUniqueNames)))",
        user_id_map: "inetOrgPerson:uid",
        group_member_id_map: "groupOfNames:member;groupOfUniqueNames:uniqueMember",
    },
];

pub(super) fn read(server: &Server, imported: &mut Imported) {
    let mut registries = server.named("ldapRegistry");
    let Some(registry) = registries.next() else { return };
    for another in registries {
        let id = another.attribute("id").unwrap_or_default();
        imported.leave_out(format!("ldapRegistry {id}").trim_end().to_owned(), "one directory is asked, the first");
    }
    let mut ldap = Ldap { tls: LdapTls::Off, ..Ldap::default() };
    filters(server, registry, &mut ldap, imported);
    for (name, value) in &registry.attributes {
        attribute(name, value, &mut ldap, imported);
    }
    for child in &registry.children {
        self::child(child, &mut ldap, imported);
    }
    if is_true(registry.attribute("sslEnabled")) {
        let why = "export the signers of its trust store as PEM and name them in ldap.ca_file";
        imported.leave_out("ldapRegistry sslEnabled", why);
    }
    if ldap.host.is_none() || ldap.base_dn.is_none() {
        imported.leave_out("ldapRegistry", "it has no host or no baseDN");
        return;
    }
    if server.named("basicRegistry").next().is_none() {
        imported.web.realm.0 = registry.attribute("realm").unwrap_or(UNNAMED_REALM).to_owned();
    }
    imported.ldap = ldap;
}

fn attribute(name: &str, value: &str, ldap: &mut Ldap, imported: &mut Imported) {
    let text = || Some(value.to_owned()).filter(|value| !value.is_empty());
    match name {
        "host" => ldap.host = text(),
        "port" => match value.trim().parse::<u16>().ok().filter(|&port| port > 0) {
            Some(port) => ldap.port = Some(port),
            None => imported.leave_out("ldapRegistry port", "it is not a port"),
        },
        "baseDN" => ldap.base_dn = text(),
        "bindDN" => ldap.bind_dn = text(),
        "bindPassword" => ldap.bind_password = text(),
        "sslEnabled" if is_true(Some(value)) => ldap.tls = LdapTls::Ldaps,
        "recursiveSearch" => ldap.nested_groups = is_true(Some(value)),
        "ignoreCase" => ldap.ignore_case = is_true(Some(value)),
        "certificateMapMode" => match certificate_map(value) {
            Some(map) => ldap.certificate_map = map,
            None => {
                ldap.certificate_map = LdapCertificateMap::NotSupported;
                let why = "certificates are mapped by EXACT_DN, CERTIFICATE_FILTER or NOT_SUPPORTED only";
                imported.leave_out(format!("ldapRegistry certificateMapMode {value}"), why);
            }
        },
        "certificateFilter" => ldap.certificate_filter = text(),
        "connectTimeout" => time_limit(name, value, &mut ldap.connect_timeout_seconds, imported),
        "searchTimeout" => time_limit(name, value, &mut ldap.timeout_seconds, imported),
        "id" | "name" | "realm" | "ldapType" | "sslEnabled" | "reuseConnection" => {}
        _ if name.ends_with("FiltersRef") => {}
        _ => imported.leave_out(format!("ldapRegistry {name}"), "it has no counterpart"),
    }
}

fn certificate_map(value: &str) -> Option<LdapCertificateMap> {
    match value.to_ascii_uppercase().as_str() {
        "EXACT_DN" => Some(LdapCertificateMap::ExactDn),
        "CERTIFICATE_FILTER" => Some(LdapCertificateMap::CertificateFilter),
        "NOT_SUPPORTED" => Some(LdapCertificateMap::NotSupported),
        _ => None,
    }
}

/// A duration of which a bare number is milliseconds, in whole seconds from 1 to 300.
fn time_limit(name: &str, value: &str, seconds: &mut u64, imported: &mut Imported) {
    match super::security::milliseconds(value, 1) {
        Some(milliseconds) => *seconds = milliseconds.div_ceil(1000).clamp(1, 300),
        None => imported.leave_out(format!("ldapRegistry {name}"), "it is not a duration"),
    }
}

fn child(child: &Element, ldap: &mut Ldap, imported: &mut Imported) {
    match child.name.as_str() {
        "failoverServers" => {
            for server in child.children_named("server") {
                let Some(host) = server.attribute("host") else { continue };
                ldap.failover.push(match server.attribute("port") {
                    Some(port) => format!("{host}:{port}"),
                    None => host.to_owned(),
                });
            }
        }
        name if KINDS.iter().any(|kind| filter_elements(kind).contains(&name.to_owned())) => {}
        name => imported.leave_out(format!("ldapRegistry {name}"), "it has no counterpart"),
    }
}

fn filter_elements(kind: &Kind) -> [String; 2] {
    [format!("{}Filters", kind.element), format!("{}LdapFilterProperties", kind.element)]
}

/// Filters of the registry's type, then what its own elements, or those it refers to, say.
fn filters(server: &Server, registry: &Element, ldap: &mut Ldap, imported: &mut Imported) {
    let name = registry.attribute("ldapType").unwrap_or("Custom");
    let kind = KINDS.iter().find(|kind| kind.name.eq_ignore_ascii_case(name)).unwrap_or_else(|| {
        imported.leave_out(
            format!("ldapRegistry ldapType {name}"),
            "its filters are not known; those of Custom were taken",
        );
        &KINDS[0]
    });
    kind.user_filter.clone_into(&mut ldap.user_filter);
    kind.group_filter.clone_into(&mut ldap.group_filter);
    kind.user_id_map.clone_into(&mut ldap.user_id_map);
    kind.group_member_id_map.clone_into(&mut ldap.group_member_id_map);
    let [inside, beside] = filter_elements(kind);
    let reference = registry.attribute(&format!("{inside}Ref"));
    let referred = server.named(&beside).filter(|element| reference.is_some() && element.attribute("id") == reference);
    let own = [inside.as_str(), beside.as_str()];
    let own = registry.children.iter().filter(|child| own.contains(&child.name.as_str()));
    for (name, value) in referred.chain(own).flat_map(|element| &element.attributes) {
        match name.as_str() {
            "userFilter" => value.clone_into(&mut ldap.user_filter),
            "groupFilter" => value.clone_into(&mut ldap.group_filter),
            "userIdMap" => value.clone_into(&mut ldap.user_id_map),
            "groupIdMap" => value.clone_into(&mut ldap.group_id_map),
            "groupMemberIdMap" => value.clone_into(&mut ldap.group_member_id_map),
            "id" => {}
            _ => imported.leave_out(format!("ldapRegistry {inside} {name}"), "it has no counterpart"),
        }
    }
}
