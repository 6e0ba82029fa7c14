//! Units of work in which a put failed without an answer: their programs cannot know, so they must not be committed.
//!
//! A connection works on a unit of its own or on a branch of XA. A branch that is spoilt is ended as one that failed,
//! which the queue manager remembers; a suspension ends it too, for whoever resumes it may be another connection.

use storage::Xid;

/// Of what one connection works on.
#[derive(Default)]
pub(crate) struct Spoilt {
    /// The unit of work outside branches is.
    unit: bool,
    branch: Option<Branch>,
}

/// The branch that the connection works on.
struct Branch {
    xid: Xid,
    is_spoilt: bool,
}

impl Spoilt {
    /// A put under syncpoint has failed, and its program is not told.
    pub(crate) fn put_failed(&mut self) {
        match &mut self.branch {
            Some(branch) => branch.is_spoilt = true,
            None => self.unit = true,
        }
    }

    /// Whether the unit of work that is about to be ended is spoilt; the next one is not. In a branch there is none.
    pub(crate) fn take_unit(&mut self) -> bool {
        self.branch.is_none() && std::mem::take(&mut self.unit)
    }

    pub(crate) fn branch_started(&mut self, xid: Xid) {
        self.branch = Some(Branch { xid, is_spoilt: false });
    }

    pub(crate) fn is_branch_spoilt(&self, xid: &Xid) -> bool {
        self.branch.as_ref().is_some_and(|branch| branch.is_spoilt && branch.xid == *xid)
    }

    /// The connection works on that branch no more.
    pub(crate) fn branch_ended(&mut self, xid: &Xid) {
        self.branch.take_if(|branch| branch.xid == *xid);
    }
}
