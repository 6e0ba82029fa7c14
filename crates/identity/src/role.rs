//! The web roles, and the check that a route makes against them.
//!
//! A role opens a door; what its holder may do to an object is the queue manager's decision alone.
//! Source: IBM MQ 9.3, "Roles on the IBM MQ Console and REST API".

use bitflags::bitflags;

use super::identity::Identity;

bitflags! {
    /// Roles a user holds, or any one of which a route asks for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Roles: u8 {
        const MQWEB_ADMIN = 1 << 0;
        const MQWEB_ADMIN_RO = 1 << 1;
        const MQWEB_USER = 1 << 2;
        const MFTWEB_ADMIN = 1 << 3;
        const MFTWEB_ADMIN_RO = 1 << 4;
    }
}

impl Roles {
    /// The three roles that open MQ resources: any of them may log in and list queue managers.
    pub const ANY_MQ: Self = Self::MQWEB_ADMIN.union(Self::MQWEB_ADMIN_RO).union(Self::MQWEB_USER);

    /// The single role of a published name, compared exactly.
    pub fn parse(name: &str) -> Option<Self> {
        ROLE_NAMES.iter().find(|(_, known)| *known == name).map(|&(role, _)| role)
    }

    /// Published names of the roles held, in the order of the documentation.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        ROLE_NAMES.iter().filter(move |(role, _)| self.contains(*role)).map(|&(_, name)| name)
    }
}

/// Each role with the name that configuration files and answers use.
pub const ROLE_NAMES: [(Roles, &str); 5] = [
    (Roles::MQWEB_ADMIN, "MQWebAdmin"),
    (Roles::MQWEB_ADMIN_RO, "MQWebAdminRO"),
    (Roles::MQWEB_USER, "MQWebUser"),
    (Roles::MFTWEB_ADMIN, "MFTWebAdmin"),
    (Roles::MFTWEB_ADMIN_RO, "MFTWebAdminRO"),
];

/// The identity holds none of the roles a route asks for: 403 with MQWB0108E.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingRole {
    pub name: String,
    pub required: Roles,
}

/// Any one of `required` is enough.
///
/// # Errors
/// The identity has none of them.
pub fn require(identity: &Identity, required: Roles) -> Result<(), MissingRole> {
    if identity.roles.intersects(required) {
        return Ok(());
    }
    Err(MissingRole { name: identity.name.clone(), required })
}
