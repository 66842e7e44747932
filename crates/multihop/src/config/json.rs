//! JSON as a program writes it, in place of TOML.

use serde_json::Value as Json;
use toml::{Table, Value};

use super::Error;

/// An object as a table. Keys that are null count as absent.
///
/// # Errors
/// If it is not such an object.
pub(crate) fn table(text: &str) -> Result<Table, Error> {
    let json: Json =
        serde_json::from_str(text).map_err(|error| Error::new("", format!("not JSON: {error}")))?;
    match value("", json)? {
        Value::Table(table) => Ok(table),
        _ => Err(Error::new("", "not a JSON object")),
    }
}

/// A value at `path` as TOML has it.
pub(super) fn value(path: &str, json: Json) -> Result<Value, Error> {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    Ok(match json {
        Json::Null => return Err(Error::new(path, "must not be null")),
        Json::Bool(flag) => Value::Boolean(flag),
        Json::String(text) => Value::String(text),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::Integer(whole),
            (None, Some(float)) if number.is_f64() => Value::Float(float),
            _ => return Err(Error::new(path, format!("{number} is too large a number"))),
        },
        Json::Array(items) => {
            let items = items.into_iter().enumerate();
            let items = items.map(|(place, item)| value(&below(&place.to_string()), item));
            Value::Array(items.collect::<Result<_, Error>>()?)
        }
        Json::Object(entries) => {
            let entries = entries.into_iter().filter(|(_, entry)| !entry.is_null());
            let entries = entries.map(|(key, entry)| {
                let entry = value(&below(&key), entry)?;
                Ok((key, entry))
            });
            Value::Table(entries.collect::<Result<_, Error>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_becomes_what_toml_holds() {
        let table = table(r#"{"a": [1, 2.5, true], "b": {"c": "x", "d": null}}"#).unwrap();
        let same = "a = [1, 2.5, true]\nb = {c = \"x\"}";
        assert_eq!(table, toml::from_str(same).unwrap());
    }

    #[test]
    fn what_toml_cannot_hold_is_refused_with_its_key() {
        let fault = |text| table(text).unwrap_err().to_string();
        assert_eq!(fault(r#"{"a": {"b": [null]}}"#), "a.b.0: must not be null");
        let large = r#"{"seed": 18446744073709551615}"#;
        assert_eq!(fault(large), "seed: 18446744073709551615 is too large a number");
        assert_eq!(fault("[1]"), "not a JSON object");
        assert!(fault("{").starts_with("not JSON: "));
    }
}
