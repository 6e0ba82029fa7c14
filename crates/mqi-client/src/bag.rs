//! Bags of the MQAI: lists of items, each with a selector.
//!
//! A bag has system items, which it is made with and which say what message it is, and the program's items behind them.
//! `message` makes PCF of a bag and back; `exchange` puts, gets and executes.
//!
//! Invariants
//! - System items come first, each once, and are never deleted.
//! - Items of one selector are of one kind.
//! - A bag that `mqExecute` made is changed by no call of the program, and goes with the bag that holds it.
//!
//! Source: MQ reference, "MQ Administration Interface", 9.4.

pub mod exchange;
pub mod message;

use std::collections::HashMap;
use std::sync::atomic::{AtomicI32, Ordering};

use model::reason::Reason;
use parking_lot::Mutex;

use crate::constant::{
    MQBA_FIRST, MQBA_LAST, MQCA_FIRST, MQCA_LAST, MQCBO_ADMIN_BAG, MQCBO_CHECK_SELECTORS, MQCBO_COMMAND_BAG,
    MQCBO_GROUP_BAG, MQCBO_LIST_FORM_ALLOWED, MQCBO_REORDER_AS_REQUIRED, MQCBO_SYSTEM_BAG, MQCFC_LAST, MQCFH_VERSION_1,
    MQCFT_COMMAND, MQCFT_USER, MQGA_FIRST, MQGA_LAST, MQIA_FIRST, MQIA_LAST, MQIACF_INQUIRY, MQIASY_BAG_OPTIONS,
    MQIASY_CODED_CHAR_SET_ID, MQIASY_COMMAND, MQIASY_COMP_CODE, MQIASY_CONTROL, MQIASY_FIRST, MQIASY_LAST_USED,
    MQIASY_MSG_SEQ_NUMBER, MQIASY_REASON, MQIASY_TYPE, MQIASY_VERSION, MQIND_ALL, MQIND_NONE, MQITEM_BAG,
    MQITEM_BYTE_STRING, MQITEM_BYTE_STRING_FILTER, MQITEM_INTEGER, MQITEM_INTEGER_FILTER, MQITEM_INTEGER64,
    MQITEM_STRING, MQITEM_STRING_FILTER, MQSEL_ALL_SELECTORS, MQSEL_ALL_SYSTEM_SELECTORS, MQSEL_ALL_USER_SELECTORS,
};
use crate::per_process::PerProcess;
use crate::{Ended, failed};

static BAGS: PerProcess<Mutex<HashMap<i32, Bag>>> = PerProcess::new();
static NEXT_NUMBER: AtomicI32 = AtomicI32::new(1);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bag {
    options: i32,
    items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub selector: i32,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Integer(i32),
    Integer64(i64),
    Text(Text),
    Bytes(Vec<u8>),
    IntegerFilter {
        value: i32,
        operator: i32,
    },
    TextFilter {
        text: Text,
        operator: i32,
    },
    BytesFilter {
        bytes: Vec<u8>,
        operator: i32,
    },
    /// A bag within the bag.
    Bag(i32),
}

/// Characters, and the coded character set in which the program sees them; 0 is that of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub characters: String,
    pub ccsid: i32,
}

impl Text {
    /// As the queue manager sent it.
    fn received(characters: String) -> Self {
        Self { characters, ccsid: 0 }
    }
}

impl Value {
    /// MQITEM_*.
    pub fn kind(&self) -> i32 {
        match self {
            Self::Integer(_) => MQITEM_INTEGER,
            Self::Integer64(_) => MQITEM_INTEGER64,
            Self::Text(_) => MQITEM_STRING,
            Self::Bytes(_) => MQITEM_BYTE_STRING,
            Self::IntegerFilter { .. } => MQITEM_INTEGER_FILTER,
            Self::TextFilter { .. } => MQITEM_STRING_FILTER,
            Self::BytesFilter { .. } => MQITEM_BYTE_STRING_FILTER,
            Self::Bag(_) => MQITEM_BAG,
        }
    }

    /// Whether the selector is of those that attributes of this kind have.
    fn suits(&self, selector: i32) -> bool {
        let (first, last) = match self {
            Self::Integer(_) | Self::Integer64(_) | Self::IntegerFilter { .. } => (MQIA_FIRST, MQIA_LAST),
            Self::Text(_) | Self::TextFilter { .. } => (MQCA_FIRST, MQCA_LAST),
            Self::Bytes(_) | Self::BytesFilter { .. } => (MQBA_FIRST, MQBA_LAST),
            Self::Bag(_) => (MQGA_FIRST, MQGA_LAST),
        };
        (first..=last).contains(&selector)
    }
}

impl Bag {
    fn new(options: i32) -> Self {
        let item = |(selector, value)| Item { selector, value: Value::Integer(value) };
        let is_command = options & (MQCBO_ADMIN_BAG | MQCBO_COMMAND_BAG) != 0;
        let all = [
            (MQIASY_CODED_CHAR_SET_ID, 0),
            (MQIASY_BAG_OPTIONS, options),
            (MQIASY_TYPE, if is_command { MQCFT_COMMAND } else { MQCFT_USER }),
            (MQIASY_COMMAND, 0),
            (MQIASY_MSG_SEQ_NUMBER, 1),
            (MQIASY_CONTROL, MQCFC_LAST),
            (MQIASY_COMP_CODE, 0),
            (MQIASY_REASON, 0),
            (MQIASY_VERSION, MQCFH_VERSION_1),
        ];
        // A group is a part of a message, and says nothing about the whole.
        let count = if options & MQCBO_GROUP_BAG != 0 { 2 } else { all.len() };
        Self { options, items: all.into_iter().take(count).map(item).collect() }
    }

    fn users(&self) -> &[Item] {
        let system = self.items.iter().take_while(|item| item.selector < 0).count();
        &self.items[system..]
    }

    fn is_group(&self) -> bool {
        self.options & MQCBO_GROUP_BAG != 0
    }

    fn is_system(&self) -> bool {
        self.options & MQCBO_SYSTEM_BAG != 0
    }

    /// A system item; its first value where the bag has none.
    fn system(&self, selector: i32) -> i32 {
        match self.items.iter().find(|item| item.selector == selector) {
            Some(Item { value: Value::Integer(value), .. }) => *value,
            _ => 0,
        }
    }

    fn set_system(&mut self, selector: i32, value: i32) {
        if let Some(item) = self.items.iter_mut().find(|item| item.selector == selector) {
            item.value = Value::Integer(value);
        }
    }

    /// # Errors
    /// 2304 the selector is negative, or not of the value's kind in a bag that checks; 2313 other items of it have another kind.
    fn check_new(&self, selector: i32, value: &Value) -> Result<(), Reason> {
        let checks = self.options & (MQCBO_ADMIN_BAG | MQCBO_CHECK_SELECTORS) != 0;
        if selector < 0 || checks && !value.suits(selector) {
            return Err(Reason::SelectorOutOfRange);
        }
        let known = self.items.iter().find(|item| item.selector == selector);
        if known.is_some_and(|known| known.value.kind() != value.kind()) {
            return Err(Reason::InconsistentItemType);
        }
        Ok(())
    }

    /// Where the item is that a selector and an index name: MQIND_NONE where there is one alone.
    ///
    /// # Errors
    /// 2318 no selector of the system, 2309 no such item, 2306 no such index, 2305 several without an index, 2314.
    fn place(&self, selector: i32, index: i32) -> Result<usize, Reason> {
        check_known(selector)?;
        let mut places = (0..self.items.len()).filter(|at| is_meant(&self.items[*at], selector));
        let wanted = match index {
            MQIND_NONE if is_any(selector) => return Err(Reason::IndexError),
            MQIND_NONE => {
                let first = places.next().ok_or(Reason::SelectorNotPresent)?;
                return if places.next().is_some() { Err(Reason::SelectorNotUnique) } else { Ok(first) };
            }
            index => usize::try_from(index).map_err(|_| Reason::IndexError)?,
        };
        let mut places = places.peekable();
        places.peek().ok_or(Reason::SelectorNotPresent)?;
        places.nth(wanted).ok_or(Reason::IndexNotPresent)
    }
}

/// mqCreateBag.
///
/// # Errors
/// 2046: options that contradict each other, or that are not known.
pub fn create(options: i32) -> Result<i32, Ended> {
    const KINDS: i32 = MQCBO_ADMIN_BAG | MQCBO_COMMAND_BAG | MQCBO_GROUP_BAG;
    const OTHERS: i32 = MQCBO_LIST_FORM_ALLOWED | MQCBO_REORDER_AS_REQUIRED | MQCBO_CHECK_SELECTORS;
    if options & !(KINDS | OTHERS) != 0 || (options & KINDS).count_ones() > 1 {
        return Err(failed(Reason::OptionsError));
    }
    Ok(keep(Bag::new(options)))
}

fn keep(bag: Bag) -> i32 {
    let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
    BAGS.get().lock().insert(number, bag);
    number
}

/// mqDeleteBag; bags of the system within it go too.
///
/// # Errors
/// 2320, 2328 a bag of the system.
pub fn delete(number: i32) -> Result<Ended, Ended> {
    let gone = {
        let mut bags = BAGS.get().lock();
        if bags.get(&number).ok_or(failed(Reason::HbagError))?.is_system() {
            return Err(failed(Reason::SystemBagNotDeletable));
        }
        bags.remove(&number)
    };
    delete_within(gone.as_ref().map_or(&[], Bag::users));
    Ok(Ended::WELL)
}

/// Deletes the bags of the system that items name. The program deletes those that it made.
fn delete_within(items: &[Item]) {
    for item in items {
        let Value::Bag(within) = item.value else { continue };
        let gone = {
            let mut bags = BAGS.get().lock();
            let is_system = bags.get(&within).is_some_and(Bag::is_system);
            if is_system { bags.remove(&within) } else { None }
        };
        delete_within(gone.as_ref().map_or(&[], Bag::users));
    }
}

/// Reads a bag.
///
/// # Errors
/// 2320, and what `work` says.
pub fn with<R>(number: i32, work: impl FnOnce(&Bag) -> Result<R, Reason>) -> Result<R, Ended> {
    let bags = BAGS.get().lock();
    work(bags.get(&number).ok_or(failed(Reason::HbagError))?).map_err(failed)
}

/// Changes a bag of the program.
///
/// # Errors
/// 2320, 2315 a bag of the system, and what `work` says.
fn change<R>(number: i32, work: impl FnOnce(&mut Bag) -> Result<R, Reason>) -> Result<R, Ended> {
    let mut bags = BAGS.get().lock();
    let bag = bags.get_mut(&number).ok_or(failed(Reason::HbagError))?;
    if bag.is_system() {
        return Err(failed(Reason::SystemBagNotAlterable));
    }
    work(bag).map_err(failed)
}

/// mqClearBag: the program's items go, and system items have their first values.
///
/// # Errors
/// 2320, 2315.
pub fn clear(number: i32) -> Result<Ended, Ended> {
    let cleared = change(number, |bag| {
        let fresh = Bag::new(bag.options);
        Ok(std::mem::replace(bag, fresh))
    })?;
    delete_within(cleared.users());
    Ok(Ended::WELL)
}

/// mqTruncateBag: keeps as many of the program's items.
///
/// # Errors
/// 2320, 2315, 2316 the bag has fewer.
pub fn truncate(number: i32, count: i32) -> Result<Ended, Ended> {
    let gone = change(number, |bag| {
        let users = bag.users().len();
        let count = usize::try_from(count).ok().filter(|count| *count <= users).ok_or(Reason::ItemCountError)?;
        let kept = bag.items.len() - users + count;
        Ok(bag.items.split_off(kept))
    })?;
    delete_within(&gone);
    Ok(Ended::WELL)
}

/// mqAddInteger and its kin.
///
/// # Errors
/// 2320, 2315, 2304, 2313.
pub fn add(number: i32, selector: i32, value: Value) -> Result<Ended, Ended> {
    change(number, |bag| {
        bag.check_new(selector, &value)?;
        bag.items.push(Item { selector, value });
        Ok(Ended::WELL)
    })
}

/// mqAddBag: a group within a bag.
///
/// # Errors
/// As `add`; 2326 the inner one is no group, 2325 it is the outer one.
pub fn add_bag(number: i32, selector: i32, within: i32) -> Result<Ended, Ended> {
    if number == within {
        return Err(failed(Reason::NestedBagNotSupported));
    }
    with(within, |bag| if bag.is_group() { Ok(()) } else { Err(Reason::BagWrongType) })?;
    add(number, selector, Value::Bag(within))
}

/// mqAddInquiry: an attribute that an inquiry asks for.
///
/// # Errors
/// 2320, 2315, 2326 no bag for administration, 2304 no attribute.
pub fn add_inquiry(number: i32, attribute: i32) -> Result<Ended, Ended> {
    change(number, |bag| {
        if bag.options & MQCBO_ADMIN_BAG == 0 {
            return Err(Reason::BagWrongType);
        }
        if attribute < 0 {
            return Err(Reason::SelectorOutOfRange);
        }
        bag.items.push(Item { selector: MQIACF_INQUIRY, value: Value::Integer(attribute) });
        Ok(Ended::WELL)
    })
}

/// mqSetInteger and its kin: another value for one item, or with MQIND_ALL one item instead of all of the selector.
///
/// # Errors
/// As `Bag::place`; 2320, 2315, 2302 a system item that stays as it is, 2312 an item of another kind, 2304.
pub fn set(number: i32, selector: i32, index: i32, value: Value) -> Result<Ended, Ended> {
    let gone = change(number, |bag| {
        // There is one of each system item: all of them is that one.
        if index != MQIND_ALL || selector < 0 && !is_any(selector) {
            let at = bag.place(selector, if index == MQIND_ALL { MQIND_NONE } else { index })?;
            let item = &mut bag.items[at];
            if item.selector == MQIASY_BAG_OPTIONS {
                return Err(Reason::SystemItemNotAlterable);
            }
            if item.value.kind() != value.kind() {
                return Err(Reason::SelectorWrongType);
            }
            item.value = value;
            return Ok(Vec::new());
        }
        if is_any(selector) {
            return Err(Reason::IndexError);
        }
        let (gone, kept) =
            std::mem::take(&mut bag.items).into_iter().partition(|item: &Item| item.selector == selector);
        bag.items = kept;
        let fits = bag.check_new(selector, &value);
        if fits.is_err() {
            bag.items.extend::<Vec<Item>>(gone);
            return fits.map(|()| Vec::new());
        }
        bag.items.push(Item { selector, value });
        Ok(gone)
    })?;
    delete_within(&gone);
    Ok(Ended::WELL)
}

/// mqCountItems.
///
/// # Errors
/// 2320, 2318.
pub fn count(number: i32, selector: i32) -> Result<usize, Ended> {
    with(number, |bag| {
        check_known(selector)?;
        Ok(bag.items.iter().filter(|item| is_meant(item, selector)).count())
    })
}

/// The item that a selector and an index name.
///
/// # Errors
/// 2320, and as `Bag::place`.
pub fn item(number: i32, selector: i32, index: i32) -> Result<Item, Ended> {
    with(number, |bag| Ok(bag.items[bag.place(selector, index)?].clone()))
}

/// The coded character set that texts are added and changed in.
///
/// # Errors
/// 2320.
pub fn ccsid(number: i32) -> Result<i32, Ended> {
    with(number, |bag| Ok(bag.system(MQIASY_CODED_CHAR_SET_ID)))
}

/// mqDeleteItem: one, or with MQIND_ALL all of the selector.
///
/// # Errors
/// As `Bag::place`; 2320, 2315, 2329 a system item.
pub fn delete_item(number: i32, selector: i32, index: i32) -> Result<Ended, Ended> {
    let gone = change(number, |bag| {
        if index == MQIND_ALL {
            check_known(selector)?;
            let (gone, kept): (Vec<Item>, Vec<Item>) =
                bag.items.iter().cloned().partition(|item| is_meant(item, selector));
            if gone.iter().any(|item| item.selector < 0) {
                return Err(Reason::SystemItemNotDeletable);
            }
            bag.items = kept;
            return Ok(gone);
        }
        let at = bag.place(selector, index)?;
        if bag.items[at].selector < 0 {
            return Err(Reason::SystemItemNotDeletable);
        }
        Ok(vec![bag.items.remove(at)])
    })?;
    delete_within(&gone);
    Ok(Ended::WELL)
}

/// MQSEL_ANY_* and MQSEL_ALL_*, which are the same numbers.
fn is_any(selector: i32) -> bool {
    matches!(selector, MQSEL_ALL_SELECTORS | MQSEL_ALL_USER_SELECTORS | MQSEL_ALL_SYSTEM_SELECTORS)
}

fn check_known(selector: i32) -> Result<(), Reason> {
    let is_known = selector >= 0 || is_any(selector) || (MQIASY_LAST_USED..=MQIASY_FIRST).contains(&selector);
    if is_known { Ok(()) } else { Err(Reason::SelectorNotSupported) }
}

fn is_meant(item: &Item, selector: i32) -> bool {
    match selector {
        MQSEL_ALL_SELECTORS => true,
        MQSEL_ALL_USER_SELECTORS => item.selector >= 0,
        MQSEL_ALL_SYSTEM_SELECTORS => item.selector < 0,
        selector => item.selector == selector,
    }
}

#[cfg(test)]
mod tests;
