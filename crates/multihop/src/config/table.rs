//! Reads a scenario's tables key by key.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::Error;
use super::document::{one_of, read, unknown_key};

/// Removes and reads the value of `key`, if there is one.
///
/// # Errors
/// If the value has the wrong shape.
pub fn take<T: DeserializeOwned>(values: &mut Table, key: &str) -> Result<Option<T>, Error> {
    values.remove(key).map(|value| read(key, value)).transpose()
}

/// Removes the table `key`; an empty table if there is none.
///
/// # Errors
/// If the value is not a table.
pub fn take_table(values: &mut Table, key: &str) -> Result<Table, Error> {
    match values.remove(key) {
        None => Ok(Table::new()),
        Some(Value::Table(table)) => Ok(table),
        Some(other) => Err(not_a_table(key, &other)),
    }
}

/// Removes the text at `path.key`, which says which of `known` the table is. The caller checks that
/// it is one of them.
///
/// # Errors
/// If the value is not text, or is missing and has no default.
pub fn take_choice(
    table: &mut Table,
    path: &str,
    key: &str,
    known: &[&str],
    default: Option<&str>,
) -> Result<String, Error> {
    let fault = match (table.remove(key), default) {
        (Some(Value::String(text)), _) => return Ok(text),
        (None, Some(default)) => return Ok(default.to_owned()),
        (Some(other), _) => format!("must be {} (got {})", one_of(known), in_words(&other)),
        (None, None) => format!("is missing; must be {}", one_of(known)),
    };
    Err(Error::new(format!("{path}.{key}"), fault))
}

/// The error of a value at `path` that should be a table.
pub fn not_a_table(path: &str, got: &Value) -> Error {
    Error::new(path, format!("must be a table (got {})", in_words(got)))
}

/// Checks that the table at `path` has no keys but the `known` ones.
///
/// # Errors
/// The first unknown key, with the nearest known one.
pub fn only_keys(table: &Table, path: &str, known: &[&str]) -> Result<(), Error> {
    match table.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(Error::new(format!("{path}.{unknown}"), unknown_key(unknown, known))),
    }
}

/// Reads a table with a scheme's own keys and those of its base protocol. The base's defaults may
/// depend on the scheme's keys.
///
/// # Errors
/// The first key that is unknown or has the wrong shape.
pub fn read_beside<Own, Base>(
    path: &str,
    table: Table,
    base_defaults: impl FnOnce(&Own) -> Base,
) -> Result<(Own, Base), Error>
where
    Own: JsonSchema + DeserializeOwned + 'static,
    Base: JsonSchema + Serialize + DeserializeOwned + 'static,
{
    let (own, base) = (keys_of::<Own>(), keys_of::<Base>());
    let known: Vec<&str> = own.iter().chain(base).map(String::as_str).collect();
    only_keys(&table, path, &known)?;
    let (own, rest): (Table, Table) = table.into_iter().partition(|(key, _)| own.contains(key));
    let own: Own = read(path, own.into())?;
    let mut base = Table::try_from(base_defaults(&own)).expect("a configuration is plain data");
    base.extend(rest);
    Ok((own, read(path, base.into())?))
}

/// The keys of a table, by its schema and in its order.
pub fn keys_of<T: JsonSchema + 'static>() -> &'static [String] {
    // A schema takes as long to make as many a short run, so its keys are kept.
    static KNOWN: Mutex<BTreeMap<TypeId, &'static [String]>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(TypeId::of::<T>()).or_insert_with(|| {
        let schema = schemars::schema_for!(T).to_value();
        let keys = schema["properties"].as_object().into_iter();
        keys.flat_map(|keys| keys.keys().cloned()).collect::<Vec<_>>().leak()
    })
}

/// The name of a value in an error message.
fn in_words(value: &Value) -> String {
    match value {
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => value.to_string(),
        Value::String(text) => format!("\"{text}\""),
        Value::Datetime(_) => "a date or time".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}
