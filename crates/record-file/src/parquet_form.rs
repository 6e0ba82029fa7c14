//! Rows as Parquet: a flat schema of optional columns, texts in UTF-8, exact numbers as DECIMAL, a row group for each block.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

use copybook::ValueKind;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{
    ByteArray, ByteArrayType, Decimal, DoubleType, FixedLenByteArray, FixedLenByteArrayType, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::record::reader::RowIter;
use parquet::schema::types::{Type, TypePtr};

use crate::error::FileError;
use crate::table::{Cell, Column, Row, Table};

/// Digits of a decimal number in eight bytes, and in sixteen.
const SHORT_DIGITS: u32 = 18;
const LONG_DIGITS: u32 = 38;
const LONG_BYTES: i32 = 16;

/// How a column is stored.
#[derive(Debug, Clone, Copy)]
enum Storage {
    Text,
    Short(u32),
    Long(u32),
    Float,
}

impl Storage {
    fn of(kind: ValueKind) -> Self {
        match kind {
            ValueKind::Text => Self::Text,
            ValueKind::Float => Self::Float,
            ValueKind::Decimal { precision, scale } if precision <= SHORT_DIGITS => Self::Short(scale),
            ValueKind::Decimal { precision, scale } if precision <= LONG_DIGITS => Self::Long(scale),
            ValueKind::Decimal { .. } => Self::Text,
        }
    }
}

/// A file that is written.
pub(crate) struct Writing<W: Write + Send>(SerializedFileWriter<W>);

impl<W: Write + Send> Writing<W> {
    pub(crate) fn begin(out: W, table: &Table) -> Result<Self, ParquetError> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        Ok(Self(SerializedFileWriter::new(out, schema(table)?, Arc::new(properties))?))
    }

    /// Adds a row group.
    pub(crate) fn add(&mut self, columns: Vec<Values>) -> Result<(), ParquetError> {
        let mut group = self.0.next_row_group()?;
        for values in columns {
            let Some(mut column) = group.next_column()? else { break };
            match values {
                Values::Text(values, levels) => {
                    column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?
                }
                Values::Short(values, levels, _) => {
                    column.typed::<Int64Type>().write_batch(&values, Some(&levels), None)?
                }
                Values::Long(values, levels, _) => {
                    column.typed::<FixedLenByteArrayType>().write_batch(&values, Some(&levels), None)?
                }
                Values::Float(values, levels) => {
                    column.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?
                }
            };
            column.close()?;
        }
        group.close().map(drop)
    }

    pub(crate) fn end(self) -> Result<(), ParquetError> {
        self.0.close().map(drop)
    }
}

fn schema(table: &Table) -> Result<TypePtr, ParquetError> {
    let columns = table.columns.iter().map(|column| column_type(column).map(Arc::new));
    let fields = columns.collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder("record").with_fields(fields).build()?))
}

fn column_type(Column { name, kind }: &Column) -> Result<Type, ParquetError> {
    let of = |physical| Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    let number = |value: u32| i32::try_from(value).unwrap_or(i32::MAX);
    let decimal = |physical, length: i32, precision: u32, scale: u32| {
        let (precision, scale) = (number(precision.max(1)), number(scale));
        of(physical)
            .with_length(length)
            .with_logical_type(Some(LogicalType::decimal(scale, precision)))
            .with_precision(precision)
            .with_scale(scale)
            .build()
    };
    match (Storage::of(*kind), kind) {
        (Storage::Short(scale), ValueKind::Decimal { precision, .. }) => {
            decimal(Physical::INT64, -1, *precision, scale)
        }
        (Storage::Long(scale), ValueKind::Decimal { precision, .. }) => {
            decimal(Physical::FIXED_LEN_BYTE_ARRAY, LONG_BYTES, *precision, scale)
        }
        (Storage::Float, _) => of(Physical::DOUBLE).build(),
        _ => of(Physical::BYTE_ARRAY).with_logical_type(Some(LogicalType::String)).build(),
    }
}

/// The values of a column in a row group, and for each row whether it has one.
pub(crate) enum Values {
    Text(Vec<ByteArray>, Vec<i16>),
    Short(Vec<i64>, Vec<i16>, u32),
    Long(Vec<FixedLenByteArray>, Vec<i16>, u32),
    Float(Vec<f64>, Vec<i16>),
}

/// Columns without rows.
pub(crate) fn columns(table: &Table) -> Vec<Values> {
    let values = |column: &Column| match Storage::of(column.kind) {
        Storage::Text => Values::Text(Vec::new(), Vec::new()),
        Storage::Short(scale) => Values::Short(Vec::new(), Vec::new(), scale),
        Storage::Long(scale) => Values::Long(Vec::new(), Vec::new(), scale),
        Storage::Float => Values::Float(Vec::new(), Vec::new()),
    };
    table.columns.iter().map(values).collect()
}

impl Values {
    /// Adds the cell of a row. A number that its column cannot hold is no value; the plan's columns hold all of them.
    pub(crate) fn add(&mut self, cell: Cell<'_>) {
        let text = cell.text();
        let has_one = match (&mut *self, text.as_deref()) {
            (_, None) => false,
            (Self::Text(values, _), Some(text)) => {
                values.push(ByteArray::from(text));
                true
            }
            (Self::Short(values, _, scale), Some(text)) => {
                put(values, scaled(text, *scale).and_then(|value| i64::try_from(value).ok()))
            }
            (Self::Long(values, _, scale), Some(text)) => {
                put(values, scaled(text, *scale).map(|value| ByteArray::from(value.to_be_bytes().to_vec()).into()))
            }
            (Self::Float(values, _), Some(text)) => put(values, text.parse().ok()),
        };
        let (Self::Text(_, levels) | Self::Short(_, levels, _) | Self::Long(_, levels, _) | Self::Float(_, levels)) =
            self;
        levels.push(i16::from(has_one));
    }
}

fn put<T>(values: &mut Vec<T>, value: Option<T>) -> bool {
    let has_one = value.is_some();
    values.extend(value);
    has_one
}

/// A decimal number without an exponent, times ten to the power of `scale`.
fn scaled(text: &str, scale: u32) -> Option<i128> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let zeros = (scale as usize).checked_sub(fraction.len())?;
    let mut value: i128 = 0;
    for digit in whole.bytes().chain(fraction.bytes()).chain(std::iter::repeat_n(b'0', zeros)) {
        let digit = char::from(digit).to_digit(10)?;
        value = value.checked_mul(10)?.checked_add(i128::from(digit))?;
    }
    Some(sign * value)
}

/// A file that is read row by row.
pub(crate) struct Reading {
    rows: RowIter<'static>,
    /// The table's column of each of the file's.
    places: Vec<Option<usize>>,
    columns: usize,
}

impl Reading {
    /// # Errors
    /// It is no Parquet file, or a column is none of the table; `ignore_unknown` passes that over.
    pub(crate) fn begin<F: ChunkReader + 'static>(
        input: F,
        table: &Table,
        ignore_unknown: bool,
    ) -> Result<Self, FileError> {
        let reader = SerializedFileReader::new(input)?;
        let fields = reader.metadata().file_metadata().schema().get_fields();
        let places = table.places(fields.iter().map(|field| field.name()), ignore_unknown)?;
        Ok(Self { rows: RowIter::from_file_into(Box::new(reader)), places, columns: table.columns.len() })
    }

    pub(crate) fn next(&mut self) -> Result<Option<Row>, FileError> {
        let Some(found) = self.rows.next() else { return Ok(None) };
        let mut row = vec![None; self.columns];
        for ((_, field), place) in found?.get_column_iter().zip(&self.places) {
            if let Some(column) = *place {
                row[column] = text_of(field);
            }
        }
        Ok(Some(row))
    }
}

fn text_of(field: &Field) -> Option<Cow<'static, str>> {
    Some(Cow::Owned(match field {
        Field::Null => return None,
        Field::Str(text) => text.clone(),
        Field::Decimal(decimal) => decimal_text(decimal),
        Field::Double(number) => number.to_string(),
        Field::Float(number) => number.to_string(),
        Field::Bytes(bytes) => String::from_utf8_lossy(bytes.data()).into_owned(),
        other => other.to_string(),
    }))
}

fn decimal_text(decimal: &Decimal) -> String {
    let bytes = decimal.data();
    let sign = if bytes.first().is_some_and(|first| first & 0x80 != 0) { 0xFF } else { 0 };
    let mut whole = [sign; 16];
    let kept = bytes.len().min(16);
    whole[16 - kept..].copy_from_slice(&bytes[bytes.len() - kept..]);
    let value = i128::from_be_bytes(whole);
    let scale = usize::try_from(decimal.scale()).unwrap_or(0);
    let digits = format!("{:0width$}", value.unsigned_abs(), width = scale + 1);
    let (before, behind) = digits.split_at(digits.len() - scale);
    let minus = if value < 0 { "-" } else { "" };
    if scale == 0 { format!("{minus}{before}") } else { format!("{minus}{before}.{behind}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_scaled_and_shown_again() {
        assert_eq!(scaled("-12.5", 2), Some(-1250));
        assert_eq!(scaled("0", 0), Some(0));
        assert_eq!(scaled("1.234", 2), None);
        assert_eq!(scaled("1e3", 2), None);
        for (text, scale) in [("-0.05", 2), ("123", 0), ("-99999999999999999999.1", 1)] {
            let value = scaled(text, scale).unwrap();
            let decimal = Decimal::from_bytes(value.to_be_bytes().to_vec().into(), 38, i32::try_from(scale).unwrap());
            assert_eq!(decimal_text(&decimal), text);
        }
    }
}
