//! Authentication information: where revoked certificates are listed, and how passwords of clients are checked.
//!
//! One structure holds the attributes of all types; the attribute table says which type has which.
//! Source: MQ reference, "DEFINE AUTHINFO", 9.3.

use serde::{Deserialize, Serialize};

use crate::definition::History;
use crate::definition::attribute::Kind;
use crate::definition::queue::Disposition;
use crate::name::ObjectName;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuthenticationDefinition {
    pub name: ObjectName,
    /// AUTHTYPE; fixed once defined.
    pub authentication_type: AuthenticationType,
    /// DESCR, at most 64 characters.
    pub description: String,
    /// ADOPTCTX: what a client may do is what the checked user may do.
    pub adopt_context: bool,
    /// CHCKCLNT and CHCKLOCL: which users need a password.
    pub check_client: CheckPassword,
    pub check_local: CheckPassword,
    /// FAILDLAY, 0 to 60 seconds.
    pub failure_delay_s: u32,
    /// AUTHENMD(PAM).
    pub pluggable_modules: bool,
    /// CONNAME: `host(port)`.
    pub connection_name: String,
    /// LDAPUSER and LDAPPWD.
    pub ldap_user: String,
    pub ldap_password: String,
    /// SECCOMM.
    pub secure: SecureCommunication,
    /// OCSPURL.
    pub responder: String,
    /// AUTHORMD and NESTGRP.
    pub group_search: GroupSearch,
    pub nested_groups: bool,
    /// BASEDNU, CLASSUSR, USRFIELD, SHORTUSR.
    pub user_base: String,
    pub user_class: String,
    pub user_field: String,
    pub short_user_field: String,
    /// BASEDNG, CLASSGRP, GRPFIELD, FINDGRP.
    pub group_base: String,
    pub group_class: String,
    pub group_field: String,
    pub membership_field: String,
    /// QSGDISP: not that of a shared queue.
    pub disposition: Disposition,
    pub history: History,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum AuthenticationType {
    #[default]
    CrlLdap,
    Ocsp,
    OperatingSystem,
    Ldap,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum CheckPassword {
    #[default]
    Optional,
    None,
    RequiredOfAdministrators,
    Required,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SecureCommunication {
    #[default]
    No,
    Yes,
    /// Encrypted, without a certificate of our own.
    Anonymous,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum GroupSearch {
    #[default]
    OperatingSystem,
    Group,
    User,
    GroupShortName,
}

impl AuthenticationType {
    pub const fn kind(self) -> Kind {
        match self {
            Self::CrlLdap => Kind::AuthenticationCrl,
            Self::Ocsp => Kind::AuthenticationOcsp,
            Self::OperatingSystem => Kind::AuthenticationOs,
            Self::Ldap => Kind::AuthenticationLdap,
        }
    }

    pub const fn of(kind: Kind) -> Option<Self> {
        Some(match kind {
            Kind::AuthenticationCrl => Self::CrlLdap,
            Kind::AuthenticationOcsp => Self::Ocsp,
            Kind::AuthenticationOs => Self::OperatingSystem,
            Kind::AuthenticationLdap => Self::Ldap,
            _ => return None,
        })
    }
}

impl Default for AuthenticationDefinition {
    fn default() -> Self {
        Self::blank(AuthenticationType::default())
    }
}

impl AuthenticationDefinition {
    /// The MQSC keyword of an attribute that this type cannot do without and that is blank, if there is one.
    ///
    /// Source: MQ reference, "DEFINE AUTHINFO", CONNAME, OCSPURL and SHORTUSR, 9.3.
    pub fn missing(&self) -> Option<&'static str> {
        let needed: &[(&'static str, &str)] = match self.authentication_type {
            AuthenticationType::CrlLdap => &[("CONNAME", &self.connection_name)],
            AuthenticationType::Ocsp => &[("OCSPURL", &self.responder)],
            AuthenticationType::OperatingSystem => &[],
            AuthenticationType::Ldap => &[("CONNAME", &self.connection_name), ("SHORTUSR", &self.short_user_field)],
        };
        needed.iter().find(|(_, value)| value.trim().is_empty()).map(|(keyword, _)| *keyword)
    }

    /// An object of this type as DEFINE starts from.
    pub fn blank(authentication_type: AuthenticationType) -> Self {
        let check_client = match authentication_type {
            AuthenticationType::OperatingSystem => CheckPassword::RequiredOfAdministrators,
            AuthenticationType::Ldap => CheckPassword::Required,
            AuthenticationType::CrlLdap | AuthenticationType::Ocsp => CheckPassword::Optional,
        };
        Self {
            name: ObjectName::BLANK,
            authentication_type,
            description: String::new(),
            adopt_context: true,
            check_client,
            check_local: CheckPassword::Optional,
            failure_delay_s: 1,
            pluggable_modules: false,
            connection_name: String::new(),
            ldap_user: String::new(),
            ldap_password: String::new(),
            secure: SecureCommunication::No,
            responder: String::new(),
            group_search: GroupSearch::OperatingSystem,
            nested_groups: false,
            user_base: String::new(),
            user_class: String::new(),
            user_field: String::new(),
            short_user_field: String::new(),
            group_base: String::new(),
            group_class: String::new(),
            group_field: String::new(),
            membership_field: String::new(),
            disposition: Disposition::QueueManager,
            history: History::default(),
        }
    }
}
