//! The options of `workload provider`.

use std::net::SocketAddr;
use std::time::Duration;

use super::ProviderPlan;
use super::payload::ENTRIES_OF_ONE;
use crate::plan::Span;

/// Runs the remote API of z/OS Connect's report on the API requester, until SIGTERM or SIGINT.
///
/// POST /APIrequesterPerformanceRemoteAPI/apirRemote/varyRespPayload accepts {"count_in":1,"count_out":16} and answers
/// with 16 times count_out entries of 32 bytes: 1, 4 and 8 KiB for 2, 8 and 16. GET /ibm/api/docs is its Swagger
/// document, with the parameters root and compact, in YAML with Accept: application/yaml.
///
/// Prints `{"event":"ready","http":"ADDRESS:PORT"}` when it listens and `{"event":"end","answered":N,"refused":N}` when it ends.
#[derive(Debug, Clone, clap::Args)]
pub struct ProviderArguments {
    /// Address to listen on; port 0: any free port.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:3188")]
    pub listen: SocketAddr,
    /// Maximum number of entries of an answer, also in the Swagger document, 16 to 1048576.
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(i64::from(ENTRIES_OF_ONE)..=1 << 20))]
    pub max_entries: u32,
    /// Pause before each answer, such as 200ms [default: none].
    #[arg(long, value_name = "TIME")]
    pub delay: Option<Span>,
}

impl ProviderArguments {
    pub fn plan(&self) -> ProviderPlan {
        ProviderPlan {
            listen: self.listen,
            most_entries: self.max_entries,
            delay: self.delay.map_or(Duration::ZERO, |span| span.0),
        }
    }
}
