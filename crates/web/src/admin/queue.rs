//! GET of queues: one by name, or a list of any length.
//!
//! Attributes, status, handles, type, name and filter are worked out before the first queue is looked at; then queue by
//! queue is read and written while the client takes what was written before.

use std::ops::Range;
use std::sync::LazyLock;

use ::queue_manager::QueueManager;
use ::queue_manager::queue_list::{ListedQueue, QueueList};
use command::command::Pattern;
use command::command::group::DispositionChoice;
use command::rest::{self, Live, Moment, QueueLive};
use identity::Identity;
use model::authority::Principal;
use model::definition::attribute::{Kind, Membership, View};

use crate::answer::Answer;
use crate::error::{self, ApiError};
use crate::query;
use crate::service::Call;

use super::etag;
use super::filter::Filter;
use super::kind::{KindPlan, KnownKind, Wanted};
use super::paging::{Key, Paging, Window};
use super::plan::Array;
use super::selection::Selection;
use super::source::{Entry, Source, Subject, live_entries, type_word};
use super::stream::{self, Elements};
use super::{Intent, Reached, acting_principal, decode};

/// Name of the array of open handles.
const HANDLES: &str = "applicationHandle";

static KINDS: LazyLock<[KnownKind; 4]> = LazyLock::new(|| Kind::QUEUES.map(|kind| known(Membership::Alone, kind)));
static KINDS_OF_MEMBERS: LazyLock<[KnownKind; 4]> =
    LazyLock::new(|| Kind::QUEUES.map(|kind| known(Membership::Member, kind)));

fn known(membership: Membership, kind: Kind) -> KnownKind {
    let live = if kind == Kind::QueueLocal { live_entries(rest::QUEUE_STATUS) } else { Vec::new() };
    KnownKind::at(membership, kind, live).with("name", Source::Live(&rest::QUEUE_NAME)).with("type", of_kind(kind))
}

/// What queues of a queue manager show that is in a queue-sharing group, or in none.
fn kinds_of(manager: &QueueManager) -> &'static [KnownKind; 4] {
    match manager.membership() {
        Membership::Alone => &KINDS,
        Membership::Member => &KINDS_OF_MEMBERS,
    }
}

/// The type, which is the same for all queues of a kind: a list of names and types reads no definition.
fn of_kind(kind: Kind) -> Source {
    Source::Constant(type_word(kind).expect("REST has a word for every kind of queue"))
}

/// Members of a handle, under the name of the array.
static HANDLE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let named = |row: &'static rest::Row| Entry { path: format!("{HANDLES}.{}", row.json), source: Source::Live(row) };
    rest::APPLICATION_HANDLE.iter().map(named).collect()
});

#[derive(Default)]
struct Query {
    attributes: Option<Selection>,
    status: Option<Selection>,
    handles: Option<Selection>,
    /// Queue types to show; `None` shows all.
    kinds: Option<Vec<Kind>>,
    name: Option<String>,
    /// Of members of a queue-sharing group.
    dispositions: Option<DispositionChoice>,
    filter: Option<Filter>,
    /// The filter, as it was written.
    filter_text: String,
    sort_text: String,
    paging: Paging,
}

/// GET of `queue` and of `queue/NAME`.
///
/// # Errors
/// 400 a parameter or a member that does not exist; 403 the caller may not see the queue; 404 no such queue or queue manager.
pub(crate) fn show(call: Call<'_>, identity: &Identity) -> Result<Answer, ApiError> {
    let reached = Reached::of(call)?;
    let manager = &reached.queue_manager;
    let is_member = manager.membership() == Membership::Member;
    let query = Query::read(&call, kinds_of(manager), is_member)?;
    let principal = acting_principal(call, identity, Intent::Look)?;
    let viewer = (!manager.is_administrator(principal)).then(|| principal.clone());
    let tag = (viewer.is_none() && query.is_of_definitions()).then(|| etag::of_queues(&call, manager));
    if let Some(answer) = tag.as_ref().and_then(|tag| tag.not_modified(call.headers())) {
        return Ok(answer);
    }
    let mut queues = Queues::new(manager, &query, viewer);
    if call.parameters[1].is_empty() {
        queues.range = queues.named(query.name.as_deref());
        queues.sort(query.paging.sort.as_ref().is_some_and(|sort| sort.is_descending));
    } else {
        queues.range = queues.only(&call, &query, principal)?;
    }
    let mut answer = stream::list("queue", queues);
    if let Some(tag) = tag {
        tag.decorate(&mut answer);
    }
    reached.decorate(&mut answer);
    Ok(answer)
}

impl Query {
    fn read(call: &Call<'_>, known: &'static [KnownKind; 4], is_member: bool) -> Result<Self, ApiError> {
        let defined = || known.iter().flat_map(KnownKind::defined);
        let live = || known.iter().flat_map(KnownKind::live);
        let all = || known.iter().flat_map(KnownKind::all);
        let is_list = call.parameters[1].is_empty();
        let mut query = Self::default();
        query::each(call.query(), |name, value| {
            match name {
                "attributes" => query::once(&mut query.attributes, name, Selection::parse(&value, defined())?)?,
                "status" => query::once(&mut query.status, name, Selection::parse(&value, live())?)?,
                HANDLES => query::once(&mut query.handles, name, Selection::parse(&value, HANDLE.iter())?)?,
                "type" => query::once(&mut query.kinds, name, kinds(&value)?)?,
                "queueSharingGroupDisposition" if is_member => {
                    query::once(&mut query.dispositions, name, dispositions(name, &value)?)?;
                }
                "name" if is_list => query::once(&mut query.name, name, value.into_owned())?,
                "filter" if is_list => {
                    query.filter_text.clone_from(&value.clone().into_owned());
                    query::once(&mut query.filter, name, Filter::parse(&value, all())?)?;
                }
                _ if is_list => {
                    query.paging.take(name, &value, all())?.ok_or_else(|| query::unknown(name))?;
                    if name == "sort" {
                        query.sort_text = value.into_owned();
                    }
                }
                _ => return Err(query::unknown(name)),
            }
            Ok(())
        })?;
        Ok(query)
    }

    /// Nothing in the answer changes without a definition changing.
    fn is_of_definitions(&self) -> bool {
        let is_live = |text: &str| text.trim_start_matches('-').starts_with("status");
        self.status.is_none() && self.handles.is_none() && !is_live(&self.filter_text) && !is_live(&self.sort_text)
    }

    fn shows(&self, kind: Kind) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind))
    }

    fn plan(&self, known: &KnownKind) -> Option<KindPlan> {
        if !self.shows(known.kind) {
            return None;
        }
        let wanted = Wanted {
            attributes: self.attributes.clone().unwrap_or_default(),
            status: self.status.clone().unwrap_or_default(),
            filter: self.filter.as_ref(),
            sort: self.paging.sort.as_ref(),
        };
        let handles = self.handles.as_ref().filter(|_| known.kind == Kind::QueueLocal);
        known.plan(&wanted, handles.map(array_of_handles).into_iter().collect())
    }
}

fn array_of_handles(selection: &Selection) -> Array {
    let members = HANDLE.iter().filter(|entry| selection.has(&entry.path));
    let inner = |entry: &Entry| Entry { path: entry.path[HANDLES.len() + 1..].to_owned(), source: entry.source };
    Array {
        name: HANDLES,
        each: |subject, see| {
            if let Live::Queue(queue) = subject.live {
                queue.each_handle(|live| see(live));
            }
        },
        members: members.map(inner).collect(),
    }
}

/// Which of the queues that programs can open.
///
/// # Errors
/// 400: none of these; the group's own definitions are not listed.
fn dispositions(name: &str, word: &str) -> Result<DispositionChoice, ApiError> {
    match word {
        "live" => Ok(DispositionChoice::Live),
        "private" => Ok(DispositionChoice::Private),
        "qmgr" => Ok(DispositionChoice::QueueManager),
        "copy" => Ok(DispositionChoice::Copy),
        "shared" => Ok(DispositionChoice::Shared),
        _ => Err(ApiError::parameter(name, word)),
    }
}

/// What `type=` stands for. There are no cluster queues here.
fn kinds(word: &str) -> Result<Vec<Kind>, ApiError> {
    match word {
        "all" => Ok(Kind::QUEUES.to_vec()),
        "cluster" => Ok(Vec::new()),
        _ => kind_of(word).map(|kind| vec![kind]).ok_or_else(|| ApiError::parameter("type", word)),
    }
}

/// The kind of queue that REST calls so.
pub(super) fn kind_of(word: &str) -> Option<Kind> {
    Kind::QUEUES.into_iter().find(|&kind| type_word(kind) == Some(word))
}

/// The queues of an answer, as far as they are still to be written.
struct Queues {
    list: QueueList,
    /// Places in the list, in order of names.
    range: Range<usize>,
    /// Places in another order, the last first.
    sorted: Option<Vec<usize>>,
    plans: [Option<KindPlan>; 4],
    moment: Moment,
    /// Whose authority is asked for each queue; `None` sees all.
    viewer: Option<Principal>,
    dispositions: Option<DispositionChoice>,
    window: Window,
}

impl Queues {
    fn new(manager: &QueueManager, query: &Query, viewer: Option<Principal>) -> Self {
        let handles = query.handles.as_ref().is_some_and(|handles| !handles.is_empty());
        Self {
            list: manager.queue_list(),
            range: 0..0,
            sorted: None,
            plans: kinds_of(manager).each_ref().map(|known| query.plan(known)),
            moment: Moment::of(manager, handles),
            viewer,
            dispositions: query.dispositions,
            window: query.paging.window(),
        }
    }

    /// Those whose names match a generic name.
    fn named(&self, name: Option<&str>) -> Range<usize> {
        let Some(name) = name else { return 0..self.list.len() };
        let pattern = Pattern::parse(name);
        let start = self.list.first_from(pattern.stem());
        let matching = (start..self.list.len())
            .take_while(|&place| self.list.get(place).is_some_and(|queue| pattern.matches(queue.name().as_str())));
        start..start + matching.count()
    }

    /// The one that the path names.
    fn only(&self, call: &Call<'_>, query: &Query, principal: &Principal) -> Result<Range<usize>, ApiError> {
        let name = decode(call.parameters[1])?;
        let unknown = || {
            let queue_manager = decode(call.parameters[0]).unwrap_or_default();
            ApiError::object_unknown("queue", &name, &queue_manager)
        };
        if model::name::QueueName::parse(&name).is_err() {
            return Err(ApiError::new(&error::NAME_NOT_VALID, &[&name]));
        }
        let place = self.list.first_from(&name);
        let queue = self.list.get(place).filter(|queue| queue.name().as_str() == name).ok_or_else(unknown)?;
        if self.viewer.as_ref().is_some_and(|viewer| !queue.may_be_displayed_to(viewer)) {
            return Err(ApiError::not_authorized("display", &name, &principal.user));
        }
        if !query.shows(queue.kind()) || !self.includes(queue) {
            return Err(unknown());
        }
        Ok(place..place + 1)
    }

    /// Gathers what to sort by, when anything is.
    fn sort(&mut self, is_descending: bool) {
        if self.plans.iter().flatten().all(|plan| plan.sort.is_none()) {
            return;
        }
        let mut keys: Vec<_> = self
            .range
            .clone()
            .filter_map(|place| {
                let queue = self.list.get(place)?;
                self.with(queue, |plan, subject| (Key::of(plan.sort.as_ref(), subject), place))
            })
            .collect();
        keys.sort();
        if !is_descending {
            keys.reverse();
        }
        self.sorted = Some(keys.into_iter().map(|(_, place)| place).collect());
    }

    fn next_place(&mut self) -> Option<usize> {
        match &mut self.sorted {
            Some(sorted) => sorted.pop(),
            None => self.range.next(),
        }
    }

    fn includes(&self, queue: ListedQueue<'_>) -> bool {
        self.dispositions.is_none_or(|dispositions| dispositions.includes(queue.definition().disposition))
    }

    /// Calls back for a queue that is wanted.
    fn with<R>(&self, queue: ListedQueue<'_>, see: impl FnOnce(&KindPlan, &Subject<'_>) -> R) -> Option<R> {
        if queue.is_deleted() || self.viewer.as_ref().is_some_and(|viewer| !queue.may_be_displayed_to(viewer)) {
            return None;
        }
        if !self.includes(queue) {
            return None;
        }
        let plan = self.plans.iter().zip(Kind::QUEUES).find(|(_, known)| *known == queue.kind())?.0.as_ref()?;
        let live = QueueLive::new(queue, &self.moment);
        let subject = Subject { view: Some(View::Queue(queue.definition(), None)), live: Live::Queue(&live) };
        let holds = plan.condition.as_ref().is_none_or(|condition| condition.holds(&subject));
        holds.then(|| see(plan, &subject))
    }
}

impl Elements for Queues {
    fn write_next(&mut self, out: &mut Vec<u8>) -> bool {
        while !self.window.is_over() {
            let Some(place) = self.next_place() else { return false };
            let mut window = self.window;
            let written = self.list.get(place).and_then(|queue| {
                self.with(queue, |plan, subject| {
                    let is_shown = window.admits();
                    if is_shown {
                        plan.plan.write(subject, out);
                    }
                    is_shown
                })
            });
            self.window = window;
            if written == Some(true) {
                return true;
            }
        }
        false
    }
}
