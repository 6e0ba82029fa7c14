//! The copybooks of a server as the message API asks for them: structures of services and of the folder `copybooks`.

use std::sync::Arc;

use ::service::Services;
use ::service::copybooks::{NoStructure, find};
use ::service::record::{RecordError, RecordStructure};
use message_api::copybooks::{Copybooks, NoCopybook, NotARecord, Record, Structure};
use model::descriptor::{Ccsid, Encoding};

pub(crate) struct OfServer(pub(crate) Arc<Services>);

impl Copybooks for OfServer {
    fn find(&self, name: &str) -> Result<Arc<dyn Structure>, NoCopybook> {
        match find(&self.0.registry, &self.0.copybooks, name) {
            Ok(structure) => Ok(Arc::new(OfServices(structure))),
            Err(NoStructure::Unknown) => Err(NoCopybook::Unknown(name.to_owned())),
            Err(NoStructure::Unusable(problem)) => Err(NoCopybook::Unusable { name: name.to_owned(), problem }),
        }
    }
}

struct OfServices(Arc<RecordStructure>);

impl OfServices {
    fn flaw(&self, error: RecordError) -> NotARecord {
        match error {
            RecordError::Data(error) => {
                let at = error.json_offset.map(|at| format!(" (byte {at} of the record in JSON)")).unwrap_or_default();
                let detail = format!("{}{at}", error.problem);
                NotARecord { pointer: error.pointer, field: error.item, offset: error.offset, detail }
            }
            other => {
                let field = self.0.name().unwrap_or_default().to_owned();
                NotARecord { pointer: String::new(), field, offset: 0, detail: model::causes::chain(&other) }
            }
        }
    }
}

impl Structure for OfServices {
    fn encode(&self, json: &[u8], ccsid: Option<Ccsid>, encoding: Option<Encoding>) -> Result<Record, NotARecord> {
        let written = self.0.encode(json, ccsid, encoding).map_err(|error| self.flaw(error))?;
        Ok(Record { data: written.data, ccsid: written.ccsid, encoding: written.encoding })
    }

    fn decode(&self, record: &[u8], ccsid: Ccsid, encoding: Encoding) -> Result<Vec<u8>, NotARecord> {
        self.0.decode(record, ccsid, encoding).map_err(|error| self.flaw(error))
    }
}
