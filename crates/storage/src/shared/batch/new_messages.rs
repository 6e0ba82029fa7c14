//! Messages on their way into the table as one parameter, an array of the schema's type `new_message`: one function makes rows of it, where
//! an array of each column would need one for each.

use bytes::{BufMut, BytesMut};
use tokio_postgres::types::{Field, IsNull, Kind, ToSql, Type};

use crate::shared::row::{MessageRow, hash, moment, position, queue_number, rank};

type Refused = Box<dyn std::error::Error + Sync + Send>;

#[derive(Debug)]
pub(super) struct NewMessages(Vec<MessageRow>);

impl NewMessages {
    pub(super) fn of<'r>(rows: impl Iterator<Item = &'r MessageRow>) -> Self {
        Self(rows.cloned().collect())
    }
}

impl ToSql for NewMessages {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Refused> {
        let Some((member, fields)) = members_of(kind) else { return Err("it is no array of a composite type".into()) };
        // One dimension without NULLs, which begins with 1.
        out.put_i32(1);
        out.put_i32(0);
        out.put_u32(member.oid());
        out.put_i32(i32::try_from(self.0.len())?);
        out.put_i32(1);
        for row in &self.0 {
            with_length(out, |out| encode(row, fields, out))?;
        }
        Ok(IsNull::No)
    }

    fn accepts(kind: &Type) -> bool {
        members_of(kind).is_some_and(|(member, _)| member.name() == "new_message")
    }

    tokio_postgres::types::to_sql_checked!();
}

fn members_of(kind: &Type) -> Option<(&Type, &[Field])> {
    let Kind::Array(member) = kind.kind() else { return None };
    let Kind::Composite(fields) = member.kind() else { return None };
    Some((member, fields))
}

fn encode(row: &MessageRow, fields: &[Field], out: &mut BytesMut) -> Result<IsNull, Refused> {
    let keys = &row.keys;
    let body: &[u8] = if row.parts() > 0 { &[] } else { &row.body };
    let values: [&dyn ToSql; 19] = [
        &queue_number(row.queue),
        &rank(row.key),
        &position(row.key),
        &row.persistent,
        &row.expires.map(moment),
        &moment(row.arrived),
        &i32::try_from(row.body.len())?,
        &i32::try_from(row.parts())?,
        &hash(&keys.message),
        &hash(&keys.correlation),
        &hash(&keys.group),
        &keys.message.as_slice(),
        &keys.correlation.as_slice(),
        &keys.group.as_slice(),
        &keys.sequence.cast_signed(),
        &keys.offset.cast_signed(),
        &keys.flags.cast_signed(),
        &row.head.as_ref(),
        &body,
    ];
    if values.len() != fields.len() {
        return Err("the database's type has other columns".into());
    }
    out.put_i32(i32::try_from(fields.len())?);
    for (field, value) in fields.iter().zip(values) {
        out.put_u32(field.type_().oid());
        with_length(out, |out| value.to_sql_checked(field.type_(), out))?;
    }
    Ok(IsNull::No)
}

/// What `write` writes, behind its length; -1 for NULL.
fn with_length(
    out: &mut BytesMut,
    write: impl FnOnce(&mut BytesMut) -> Result<IsNull, Refused>,
) -> Result<(), Refused> {
    let at = out.len();
    out.put_i32(-1);
    if matches!(write(out)?, IsNull::No) {
        let length = i32::try_from(out.len() - at - 4)?;
        out[at..at + 4].copy_from_slice(&length.to_be_bytes());
    }
    Ok(())
}
