//! Clauses of groups handed down, and everything refused that does not go together in one item.

use crate::error::{Fault, Problem};
use crate::item::{Copybook, DataItem, SignClause, Usage};
use crate::picture::Category;

/// What a group says for the items below it.
#[derive(Clone, Copy, Default)]
struct Inherited {
    usage: Option<Usage>,
    sign: Option<SignClause>,
    synchronized: bool,
}

pub(super) fn check(record: &mut DataItem) -> Result<(), Fault> {
    item(record, Inherited::default())
}

fn item(item_: &mut DataItem, inherited: Inherited) -> Result<(), Fault> {
    let fault = |item: &DataItem, problem| Fault::of_item(item.place, item.spoken_name(), problem);
    let written = item_.written_usage;
    if let (Some(outer), Some(inner)) = (inherited.usage, written)
        && outer != inner
    {
        let problem = Problem::UsageConflict { outer: outer.spelled(), inner: inner.spelled() };
        return Err(fault(item_, problem));
    }
    let own = Inherited {
        usage: written.or(inherited.usage),
        sign: item_.sign.or(inherited.sign),
        synchronized: item_.synchronized || inherited.synchronized,
    };
    if item_.is_group() {
        if item_.picture.is_some() {
            return Err(fault(item_, Problem::PictureOnGroup));
        }
        item_.usage = own.usage.unwrap_or(Usage::Display);
        for child in &mut item_.children {
            item(child, own)?;
        }
        return Ok(());
    }
    item_.usage = own.usage.unwrap_or_else(|| usage_of_picture(item_));
    item_.synchronized = own.synchronized;
    let is_signed =
        item_.picture.as_ref().is_some_and(|picture| picture.signed && picture.category == Category::Numeric);
    let shows_sign = is_signed && matches!(item_.usage, Usage::Display | Usage::National);
    if item_.sign.is_some() && !shows_sign {
        let why = "it has no S in its PICTURE, or is not in characters";
        return Err(fault(item_, Problem::Misplaced { clause: "SIGN", why }));
    }
    item_.sign = own.sign.filter(|_| shows_sign);
    elementary(item_).map_err(|problem| fault(item_, problem))
}

fn usage_of_picture(item: &DataItem) -> Usage {
    match item.picture.as_ref().map(|picture| picture.category) {
        Some(Category::National | Category::NationalEdited) => Usage::National,
        Some(Category::DoubleByte) => Usage::Display1,
        Some(Category::Utf8) => Usage::Utf8,
        _ => Usage::Display,
    }
}

fn elementary(item: &DataItem) -> Result<(), Problem> {
    let usage = item.usage;
    let Some(picture) = &item.picture else {
        return if usage.stands_alone() { Ok(()) } else { Err(Problem::NoPicture) };
    };
    if usage.stands_alone() {
        return Err(Problem::PictureNotAllowed { usage: usage.spelled() });
    }
    let category = picture.category;
    let goes = match usage {
        Usage::Display => matches!(
            category,
            Category::Alphabetic
                | Category::Alphanumeric
                | Category::AlphanumericEdited
                | Category::Numeric
                | Category::NumericEdited
                | Category::ExternalFloat
        ),
        Usage::Display1 => matches!(category, Category::DoubleByte | Category::National),
        Usage::National => {
            let is_text = matches!(category, Category::National | Category::NationalEdited);
            let is_number = matches!(category, Category::Numeric | Category::NumericEdited | Category::ExternalFloat);
            is_text || is_number
        }
        Usage::Utf8 => category == Category::Utf8,
        Usage::Native | Usage::CompX | Usage::CompN => {
            category == Category::Numeric || (category == Category::Alphanumeric && picture.positions <= 8)
        }
        Usage::Binary | Usage::Packed => category == Category::Numeric,
        Usage::PackedUnsigned => category == Category::Numeric && !picture.signed,
        Usage::Sized { .. }
        | Usage::Float
        | Usage::Double
        | Usage::Pointer
        | Usage::FunctionPointer
        | Usage::ProcedurePointer
        | Usage::Index => false,
    };
    if !goes {
        return Err(Problem::PictureAndUsage { picture: picture.text.clone(), usage: usage.spelled() });
    }
    if usage == Usage::National && picture.signed && category == Category::Numeric {
        match item.sign {
            Some(SignClause { separate: true, .. }) => {}
            _ => {
                let why = "a signed number in NATIONAL needs SIGN SEPARATE";
                return Err(Problem::Misplaced { clause: "USAGE NATIONAL", why });
            }
        }
    }
    extras(item, category)
}

/// JUSTIFIED, BLANK WHEN ZERO, BYTE-LENGTH.
fn extras(item: &DataItem, category: Category) -> Result<(), Problem> {
    let is_plain_text = matches!(
        category,
        Category::Alphabetic | Category::Alphanumeric | Category::National | Category::DoubleByte | Category::Utf8
    );
    if item.justified && !(is_plain_text && matches!(item.usage, Usage::Display | Usage::National | Usage::Display1)) {
        return Err(Problem::Misplaced { clause: "JUSTIFIED", why: "it is for text that is not edited" });
    }
    let may_be_blank = match category {
        Category::Numeric => !item.picture.as_ref().is_some_and(|picture| picture.signed),
        Category::NumericEdited => true,
        _ => false,
    };
    if item.blank_when_zero && !(may_be_blank && matches!(item.usage, Usage::Display | Usage::National)) {
        let why = "it is for numbers in characters, without S";
        return Err(Problem::Misplaced { clause: "BLANK WHEN ZERO", why });
    }
    if item.byte_length.is_some() && category != Category::Utf8 {
        return Err(Problem::Misplaced { clause: "BYTE-LENGTH", why: "it is for PIC U" });
    }
    Ok(())
}

/// Both ends of each RENAMES are items of a record.
pub(super) fn renames(copybook: &Copybook) -> Result<(), Fault> {
    for renames in &copybook.renames {
        for name in [Some(&renames.from), renames.through.as_ref()].into_iter().flatten() {
            if !copybook.records.iter().any(|record| contains(record, name)) {
                return Err(Fault::of_item(
                    renames.place,
                    &renames.name,
                    Problem::RenamesUnknown { name: name.clone() },
                ));
            }
        }
    }
    Ok(())
}

fn contains(item: &DataItem, name: &str) -> bool {
    item.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name))
        || item.children.iter().any(|child| contains(child, name))
}
