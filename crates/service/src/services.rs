//! All that a server has of services: what is deployed, and what serving needs.

use crate::copybooks::CopybookFolder;
use crate::provider::environment::Environment;
use crate::registry::Registry;

pub struct Services {
    pub environment: Environment,
    pub registry: Registry,
    pub copybooks: CopybookFolder,
}
