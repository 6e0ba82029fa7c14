//! The server as the rules of problems ask it: what is deployed, its pools and its certificates.

use std::time::Duration;

use ::service::definition::{Destination, Service};
use connection::connections::Connections;
use connection::target::Target;
use operations::activity::{Observed, Sort};
use operations::problems::around::{Around, Certificate, Pool};

use crate::server::Shared;

impl Around for Shared {
    fn deployed(&self) -> Vec<Observed> {
        let registry = &self.services.registry;
        let (services, apis, requesters) = (registry.services.all(), registry.apis.all(), self.requesters.shelf.all());
        let services = services.iter().map(|(name, deployed)| {
            let service = &deployed.content.service;
            Observed {
                requests_go_to: requests_go_to(self, service),
                is_two_way: service.provider.kind.is_two_way(),
                ..Observed::of(Sort::Service, name, &deployed.activity)
            }
        });
        let apis = apis.iter().map(|(name, deployed)| Observed::of(Sort::Api, name, &deployed.activity));
        let requesters =
            requesters.iter().map(|(name, deployed)| Observed::of(Sort::Requester, name, &deployed.activity));
        services.chain(apis).chain(requesters).collect()
    }

    fn pools(&self) -> Vec<Pool> {
        let of = |connections: &Connections, purpose: &'static str| -> Vec<Pool> {
            connections.pools().iter().map(|pool| pool_of(pool, purpose)).collect()
        };
        let mut pools = of(&self.messaging, "messaging");
        pools.extend(of(&self.services.environment.connections, "services"));
        pools
    }

    fn certificates(&self) -> Vec<Certificate> {
        let kept = self.certificates.read();
        let certificate = |one: &crate::CertificateEnd| Certificate {
            file: one.file.clone(),
            subject: one.subject.clone(),
            ends: Duration::from_secs(u64::try_from(one.seconds).unwrap_or_default()),
        };
        kept.iter().map(certificate).collect()
    }

    fn initial_users(&self) -> Vec<String> {
        self.initial_users.read().clone()
    }
}

/// `None`: a queue manager elsewhere.
fn requests_go_to(shared: &Shared, service: &Service) -> Option<(String, String)> {
    let queue_manager = match &service.provider.target {
        Target::Local(name) if name.trim().is_empty() => shared.queue_managers.default_name()?.to_string(),
        Target::Local(name) => name.clone(),
        Target::Remote(_) => return None,
    };
    let queue = match &service.provider.destination {
        Destination::Queue(address) => address.queue.to_string(),
        Destination::Topic(_) => String::new(),
    };
    Some((queue_manager, queue))
}

fn pool_of(pool: &connection::pool::Pool, purpose: &'static str) -> Pool {
    let seen = pool.statistics();
    Pool {
        purpose,
        name: pool.name().to_owned(),
        is_remote: pool.is_remote(),
        is_reachable: pool.is_reachable(),
        in_use: seen.in_use,
        waiting: seen.waiting,
        refused: seen.refused,
        overflowed: seen.overflowed,
    }
}
