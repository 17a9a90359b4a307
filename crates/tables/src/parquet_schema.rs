//! What the columns of a Parquet file are called and mean.

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type};

/// One stored column.
pub(crate) struct Leaf {
    /// Which of the stored columns.
    pub(crate) index: usize,
    /// Names from outside in, joined by dots, without those that only make a list.
    pub(crate) name: String,
    /// What its values mean, or why they cannot be read.
    pub(crate) readable: Result<Meaning, String>,
    /// The level from which on a value is there.
    pub(crate) max_definition: i16,
    /// If each row has a list: the level from which on the list has an element.
    pub(crate) list_definition: Option<i16>,
}

/// What the stored values mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// As they are stored.
    Plain,
    Unsigned,
    /// A decimal with so many digits behind the point.
    Decimal(i32),
    Date,
    /// Time of day, and so many units to a second.
    Time(i64),
    /// Time since 1970, so many units to a second, and whether it is in UTC.
    Timestamp(i64, bool),
    Float16,
    Uuid,
    /// Bytes that are no text: written as hexadecimal digits.
    Bytes,
}

pub(crate) fn leaves(schema: &SchemaDescriptor) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for (index, column) in schema.columns().iter().enumerate() {
        let (name, list_definition) = name(schema.root_schema(), column);
        let readable =
            if column.max_rep_level() > 1 { Err("it has lists in lists".to_owned()) } else { meaning(column) };
        leaves.push(Leaf { index, name, readable, max_definition: column.max_def_level(), list_definition });
    }
    leaves
}

/// The name without the groups that lists and maps are made of, and the level of a list's elements.
fn name(root: &Type, column: &ColumnDescriptor) -> (String, Option<i16>) {
    let parts = column.path().parts();
    let mut names: Vec<&str> = Vec::new();
    let mut list_definition = None;
    let mut definition = 0;
    let mut group = root;
    // Whether the group outside is a list or a map, whose one child has a name that means nothing; and whether it is the
    // child of a list, whose child may in turn be the bare element.
    let (mut in_list, mut in_element) = (false, false);
    for part in parts {
        let Some(child) = group.get_fields().iter().find(|child| child.name() == part) else { break };
        let info = child.get_basic_info();
        let repetition = if info.has_repetition() { info.repetition() } else { Repetition::REQUIRED };
        definition += i16::from(repetition != Repetition::REQUIRED);
        let is_repeated = repetition == Repetition::REPEATED;
        if is_repeated {
            list_definition.get_or_insert(definition);
        }
        let is_bare_element = in_element && matches!(&**part, "element" | "item" | "array_element");
        if !(in_list && is_repeated || is_bare_element) {
            names.push(part);
        }
        in_element = in_list && is_repeated;
        in_list =
            matches!(info.converted_type(), ConvertedType::LIST | ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE)
                || matches!(info.logical_type_ref(), Some(LogicalType::List | LogicalType::Map));
        if child.is_primitive() {
            break;
        }
        group = child;
    }
    (names.join("."), list_definition)
}

fn meaning(column: &ColumnDescriptor) -> Result<Meaning, String> {
    let physical = column.physical_type();
    let logical = column.logical_type_ref();
    let units = |unit: &TimeUnit| match unit {
        TimeUnit::MILLIS => 1000,
        TimeUnit::MICROS => 1_000_000,
        TimeUnit::NANOS => 1_000_000_000,
    };
    let whole = matches!(physical, Physical::INT32 | Physical::INT64);
    Ok(match (logical, column.converted_type()) {
        (Some(LogicalType::Decimal(decimal)), _) => Meaning::Decimal(decimal.scale),
        (Some(LogicalType::Date), _) if whole => Meaning::Date,
        (Some(LogicalType::Time(time)), _) if whole => Meaning::Time(units(&time.unit)),
        (Some(LogicalType::Timestamp(time)), _) if whole => {
            Meaning::Timestamp(units(&time.unit), time.is_adjusted_to_u_t_c)
        }
        (Some(LogicalType::Integer(int)), _) if !int.is_signed => Meaning::Unsigned,
        (Some(LogicalType::Float16), _) if column.type_length() == 2 => Meaning::Float16,
        (Some(LogicalType::Uuid), _) => Meaning::Uuid,
        (_, ConvertedType::DECIMAL) => Meaning::Decimal(column.type_scale()),
        (_, ConvertedType::DATE) if whole => Meaning::Date,
        (_, ConvertedType::TIME_MILLIS) if whole => Meaning::Time(1000),
        (_, ConvertedType::TIME_MICROS) if whole => Meaning::Time(1_000_000),
        (_, ConvertedType::TIMESTAMP_MILLIS) if whole => Meaning::Timestamp(1000, true),
        (_, ConvertedType::TIMESTAMP_MICROS) if whole => Meaning::Timestamp(1_000_000, true),
        (_, ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64) => {
            Meaning::Unsigned
        }
        (Some(LogicalType::Bson | LogicalType::Geometry(_) | LogicalType::Geography(_)), _)
        | (_, ConvertedType::BSON | ConvertedType::INTERVAL) => Meaning::Bytes,
        (Some(LogicalType::Variant(_)), _) => return Err("its type Variant is not supported".to_owned()),
        _ if physical == Physical::FIXED_LEN_BYTE_ARRAY => Meaning::Bytes,
        _ => Meaning::Plain,
    })
}
