//! Schemas become items: names, counters, groups, and what each value is stored as.
//!
//! The items of a structure correspond one to one to the properties they were made of, in the same order; the writers of members
//! walk along both.
//! Source: reference, 2.1 to 2.3.

use crate::archive::{REQUEST_GROUPS, RESPONSE_CODE};
use crate::names::{Names, Scope};
use crate::options::{DateTime, Language, Level, Options, Varying};
use crate::schema::{Kind, Property, Schema, TextFormat};
use crate::structure::{
    Absence, Alignment, Counter, Ending, Item, Occurs, PatchOperation, Structure, StructureError, Value,
};

/// Most values of an array that states no number of its own.
const COUNTER_MAXIMUM: u32 = i32::MAX.unsigned_abs();

/// Characters of a date, or of a date and time, that has no length of its own.
const DATE_CHARACTERS: u32 = 32;

/// A structure, and the reserved words that its names avoid: the word and what it became.
pub(crate) struct Generated {
    pub(crate) structure: Structure,
    pub(crate) reserved: Vec<(String, String)>,
}

/// What the body of a request means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    Value,
    /// What becomes of each member of a resource: RFC 7396.
    MergePatch,
    /// Operations on members and elements of a resource: RFC 6902.
    JsonPatch,
}

/// Makes the structure of these groups.
///
/// # Errors
/// It goes beyond a limit.
pub(crate) fn generate(groups: &[Property<'_>], options: &Options, body: Body) -> Result<Generated, StructureError> {
    let names = Names::new(options.language, options.name_truncation, options.mapping_level >= Level::V5_0);
    let names = if options.has_containers { names.with_containers() } else { names };
    let mut generator = Generator { options, names, body, patches: false };
    let mut scope = Scope::new("");
    let items = groups.iter().map(|group| generator.outermost(&mut scope, group)).collect();
    let alignment = match options.language {
        Language::Cobol => Alignment::Synchronized,
        Language::Pli => Alignment::Unaligned,
    };
    let structure = Structure::new(alignment, items)?;
    Ok(Generated { structure, reserved: generator.names.changed.into_iter().collect() })
}

struct Generator<'o> {
    options: &'o Options,
    names: Names,
    body: Body,
    /// Members of the group that is being made say what becomes of them.
    patches: bool,
}

/// How an item is counted.
struct Counted {
    absence: Absence,
    minimum: u32,
    maximum: u32,
}

/// Groups of level 5.0 as they are called there.
const GROUPS_OF_5_0: [(&str, &str); 6] = [
    ("ReqPathParameters", "requestPathParameters"),
    ("ReqQueryParameters", "requestQueryParameters"),
    ("ReqHeaders", "requestHeaders"),
    ("ReqCookies", "requestCookies"),
    ("ReqBody", "requestBody"),
    ("RespHeaders", "responseHeaders"),
];

impl Generator<'_> {
    fn has_areas(&self) -> bool {
        self.options.mapping_level >= Level::V5_0
    }

    /// A group of the record. At level 5.0 it has another name, and the body of an answer is in a data area.
    fn outermost(&mut self, scope: &mut Scope, group: &Property<'_>) -> Item {
        if !self.has_areas() {
            return self.item(scope, group);
        }
        let is_answer = group.name.starts_with(RESPONSE_CODE);
        if is_answer && matches!(group.schema.kind, Kind::Object { .. } | Kind::Text { .. }) {
            return self.area(scope, group.name, &group.schema, false, Absence::Omitted, (0, Some(1)));
        }
        let known = GROUPS_OF_5_0.iter().find(|(name, _)| *name == group.name);
        let name = known.map_or(group.name, |(_, name)| *name);
        let property = Property { name, required: !is_answer, ..group.clone() };
        let is_object = matches!(group.schema.kind, Kind::Object { .. });
        self.patches = self.body != Body::Value && is_object && group.name == REQUEST_GROUPS[3];
        let mut item = self.item(scope, &property);
        item.is_json_patch = self.patches && self.body == Body::JsonPatch;
        self.patches = false;
        item.json_name = group.name.to_owned();
        item
    }

    /// A member of a patch, which has a value for every operation.
    fn patched(&mut self, scope: &mut Scope, property: &Property<'_>) -> Item {
        if matches!(property.schema.kind, Kind::Map { .. }) {
            return self.item(scope, property);
        }
        let lists = self.body == Body::JsonPatch && matches!(property.schema.kind, Kind::Array { .. });
        let name = self.names.patch(scope, property.name, lists);
        let list = lists.then_some(self.options.default_character_max_length);
        let schema = Schema { nullable: false, ..property.schema.clone() };
        let mut item = self.item(scope, &Property { required: true, schema, ..property.clone() });
        item.patch = Some(PatchOperation { name, offset: 0, list });
        item.absence = Absence::Omitted;
        item
    }

    /// A value whose elements are in a data area; `bounds` are those of its counter.
    fn area(
        &mut self,
        scope: &mut Scope,
        json_name: &str,
        schema: &Schema<'_>,
        is_array: bool,
        absence: Absence,
        (minimum, maximum): (u32, Option<u32>),
    ) -> Item {
        let (counter, name, base) = self.names.area(scope, json_name, !is_array);
        if is_array && matches!(schema.kind, Kind::Object { .. }) {
            self.names.pass_over(json_name);
        }
        let around = self.names.begin_record();
        let mut inside = Scope::new("");
        // A merge patch replaces arrays as a whole, a JSON patch changes members of their elements.
        let is_changed = self.body == Body::JsonPatch && matches!(schema.kind, Kind::Object { .. });
        let patches = self.patches;
        self.patches = patches && is_changed;
        let mut element = match &schema.kind {
            Kind::Object { .. } => self.group(base, json_name, schema),
            Kind::Array { items, minimum, maximum } => {
                // An element that is an array itself is a group of its counter and its area.
                let mut scope = Scope::new(&base);
                let mut item = self.area(&mut scope, json_name, items, true, Absence::Never, (*minimum, *maximum));
                item.json_name.clear();
                Item::new(&base, json_name, Value::Array { item: Box::new(item) })
            }
            // No group is around a text: the element is not counted.
            _ => self.elementary(&mut inside, json_name, schema),
        };
        self.patches = patches;
        self.names.end_record(around);
        element.json_name.clear();
        let value = Value::Area { is_array, is_map: false, length: 0, element: Box::new(element) };
        let mut item = Item::new(&name, json_name, value);
        let maximum = maximum.unwrap_or(COUNTER_MAXIMUM);
        item.counter = Some(Counter { name: counter, offset: 0, minimum, maximum });
        item.absence = absence;
        item
    }

    /// Members beyond the properties of an object, with their names.
    fn map(&mut self, scope: &mut Scope, name: &str, entry: &Schema<'_>, maximum: u32) -> Item {
        let patches = std::mem::replace(&mut self.patches, false);
        let mut item = self.area(scope, name, entry, true, Absence::Omitted, (0, Some(maximum)));
        self.patches = patches;
        if let Value::Area { is_map, .. } = &mut item.value {
            *is_map = true;
        }
        item.json_name.clear();
        item
    }

    fn item(&mut self, scope: &mut Scope, property: &Property<'_>) -> Item {
        let schema = &property.schema;
        if let Kind::Map { entry, maximum } = &schema.kind {
            return self.map(scope, property.name, entry, *maximum);
        }
        let absence = match (property.required, schema.nullable) {
            (false, _) => Absence::Omitted,
            (true, true) => Absence::Null,
            (true, false) => Absence::Never,
        };
        let Kind::Array { items, minimum, maximum } = &schema.kind else {
            let counted = (absence != Absence::Never).then_some(Counted { absence, minimum: 0, maximum: 1 });
            return self.counted(scope, property.name, schema, counted.as_ref());
        };
        // An array of none and one that is null look the same.
        let absence = if absence == Absence::Null { Absence::Never } else { absence };
        if self.has_areas() {
            let minimum = if absence == Absence::Never { *minimum } else { 0 };
            return self.area(scope, property.name, items, true, absence, (minimum, *maximum));
        }
        self.table(scope, property.name, items, absence, *minimum, *maximum)
    }

    fn table(
        &mut self,
        scope: &mut Scope,
        json_name: &str,
        items: &Schema<'_>,
        absence: Absence,
        minimum: u32,
        maximum: Option<u32>,
    ) -> Item {
        let times = maximum.unwrap_or(self.options.default_array_max_items.max(minimum));
        let is_fixed = maximum == Some(minimum) && absence == Absence::Never;
        let minimum = if absence == Absence::Never { minimum } else { 0 };
        let counted = (!is_fixed).then_some(Counted { absence, minimum, maximum: times });
        let mut item = self.table_of(scope, json_name, items, counted.as_ref());
        item.absence = absence;
        item.occurs = Some(Occurs { times, stride: 0 });
        item
    }

    /// One value of an array; texts behind their length need a group around them, counter or not.
    fn table_of(&mut self, scope: &mut Scope, json_name: &str, items: &Schema<'_>, counted: Option<&Counted>) -> Item {
        if counted.is_none() && self.needs_wrapper(items) {
            let wrapper = self.names.group(scope, json_name);
            return self.wrapped(wrapper, json_name, items);
        }
        self.counted(scope, json_name, items, counted)
    }

    /// The item of a value that may have a counter, names registered in the documented order.
    fn counted(&mut self, scope: &mut Scope, json_name: &str, schema: &Schema<'_>, counted: Option<&Counted>) -> Item {
        let is_group = matches!(schema.kind, Kind::Object { .. } | Kind::Array { .. });
        let group = is_group.then(|| self.names.group(scope, json_name));
        let has_wrapper = counted.is_some() && self.needs_wrapper(schema);
        let counter = counted.map(|counted| {
            let (mut name, base) = self.names.counter(scope, json_name, has_wrapper, self.has_areas());
            if self.has_areas() && is_group {
                name = self.names.existence(scope, json_name);
            }
            (Counter { name, offset: 0, minimum: counted.minimum, maximum: counted.maximum }, base)
        });
        let mut item = match (group, &counter) {
            (Some(name), _) => self.group(name, json_name, schema),
            (None, Some((_, base))) if has_wrapper => self.wrapped(base.clone(), json_name, schema),
            (None, _) => self.elementary(scope, json_name, schema),
        };
        item.counter = counter.map(|(counter, _)| counter);
        item.absence = counted.map_or(Absence::Never, |counted| counted.absence);
        item
    }

    fn group(&mut self, name: String, json_name: &str, schema: &Schema<'_>) -> Item {
        let mut scope = Scope::new(&name);
        let value = match &schema.kind {
            Kind::Array { items, minimum, maximum } => {
                // What is inside has no name in JSON; in the record it is called as the array around it.
                let mut item = self.table(&mut scope, json_name, items, Absence::Never, *minimum, *maximum);
                item.json_name.clear();
                Value::Array { item: Box::new(item) }
            }
            Kind::Object { properties } => {
                let items = properties.iter().map(|property| match self.patches {
                    true => self.patched(&mut scope, property),
                    false => self.item(&mut scope, property),
                });
                Value::Group { items: items.collect() }
            }
            _ => Value::Group { items: Vec::new() },
        };
        Item::new(&name, json_name, value)
    }

    fn wrapped(&mut self, wrapper: String, json_name: &str, schema: &Schema<'_>) -> Item {
        let mut scope = Scope::new(&wrapper);
        let mut item = self.elementary(&mut scope, json_name, schema);
        item.wrapper = Some(wrapper);
        item
    }

    fn elementary(&mut self, scope: &mut Scope, json_name: &str, schema: &Schema<'_>) -> Item {
        let name = self.names.field(scope, json_name);
        let mut value = self.value(schema);
        if let Value::Text { ending: Ending::Length { name: length, .. }, .. } = &mut value
            && self.options.language == Language::Cobol
        {
            *length = self.names.length(scope, &name);
        }
        Item::new(&name, json_name, value)
    }

    /// Two items in COBOL, so that together they need a group.
    fn needs_wrapper(&self, schema: &Schema<'_>) -> bool {
        self.options.language == Language::Cobol && self.has_length(schema)
    }

    /// A text that stands behind its length.
    fn has_length(&self, schema: &Schema<'_>) -> bool {
        let is_behind = |value| matches!(value, Value::Text { ending: Ending::Length { .. }, .. });
        matches!(schema.kind, Kind::Text { .. } | Kind::Json { .. }) && is_behind(self.value(schema))
    }

    /// What an elementary value is stored as.
    fn value(&self, schema: &Schema<'_>) -> Value {
        match schema.kind {
            Kind::Text { minimum, maximum, format } => self.text(minimum, maximum, format),
            Kind::Integer { is_short, minimum, maximum } => integer(is_short, minimum, maximum),
            Kind::Float { is_single } => Value::Float { bytes: if is_single { 4 } else { 8 } },
            Kind::Decimal { scale, minimum, maximum } => self.decimal(scale, minimum, maximum),
            Kind::Json { characters } => match self.text(0, Some(characters), TextFormat::Any) {
                Value::Text { offset, bytes, ending, characters, .. } => {
                    Value::Text { offset, bytes, ending, characters, is_json: true }
                }
                other => other,
            },
            // Groups are made elsewhere.
            Kind::Boolean | Kind::Object { .. } | Kind::Array { .. } | Kind::Map { .. } => Value::Boolean,
        }
    }

    fn text(&self, minimum: u32, maximum: Option<u32>, format: TextFormat) -> Value {
        let characters = match (format, self.options.date_time) {
            (TextFormat::DateTime, DateTime::Packed15) => return Value::Timestamp,
            (TextFormat::DateTime, DateTime::Text) => maximum.unwrap_or(DATE_CHARACTERS),
            (TextFormat::Date, _) if self.has_areas() => maximum.unwrap_or(DATE_CHARACTERS),
            _ => maximum.unwrap_or(self.options.default_character_max_length.max(minimum)),
        };
        let bytes = characters.saturating_mul(self.options.character_multiplier);
        let (bytes, ending) = match self.options.character_varying {
            _ if maximum == Some(minimum) => (bytes, Ending::Blank),
            Varying::No => (bytes, Ending::Blank),
            Varying::Null => (bytes.saturating_add(1), Ending::Null),
            Varying::Yes => {
                let width = if bytes > 32_767 { 4 } else { 2 };
                (bytes, Ending::Length { name: String::new(), offset: 0, width })
            }
        };
        Value::Text { offset: 0, bytes, ending, characters, is_json: false }
    }

    fn decimal(&self, scale: Option<u8>, minimum: Option<i128>, maximum: Option<i128>) -> Value {
        let is_wide = self.options.wide_comp3 || self.options.language == Language::Pli && self.has_areas();
        let most = if is_wide { 31 } else { 18 };
        let scale = scale.unwrap_or(self.options.default_fraction_digits).min(most);
        let whole = maximum.map(|maximum| digits(maximum).max(minimum.map_or(1, digits)));
        let all = whole.map_or(most, |whole| whole.saturating_add(scale).min(most));
        Value::Packed { digits: all.max(scale).max(1), scale, signed: minimum.is_none_or(|minimum| minimum < 0) }
    }
}

/// Bounds that are exactly those of a binary item make one; other bounds make as many digits as they have.
fn integer(is_short: bool, minimum: Option<i128>, maximum: Option<i128>) -> Value {
    let usual = Value::Binary { bytes: if is_short { 4 } else { 8 }, signed: true };
    let (Some(minimum), Some(maximum)) = (minimum, maximum) else { return usual };
    for bytes in [2u8, 4, 8] {
        let bits = u32::from(bytes) * 8;
        if (minimum, maximum) == (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) {
            return Value::Binary { bytes, signed: true };
        }
        if (minimum, maximum) == (0, (1i128 << bits) - 1) {
            return Value::Binary { bytes, signed: false };
        }
    }
    let digits = digits(minimum).max(digits(maximum));
    if digits > 18 { usual } else { Value::Zoned { digits, signed: minimum < 0 } }
}

/// How many decimal digits, 1 for 0.
fn digits(number: i128) -> u8 {
    let mut rest = number.unsigned_abs() / 10;
    let mut digits = 1;
    while rest > 0 {
        digits += 1;
        rest /= 10;
    }
    digits
}
