//! The scenario file as text: its values, where each stands, and what `--set` lays over it.

use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::error::Error;

/// A parsed scenario file.
#[derive(Debug)]
pub struct Document {
    text: String,
    /// The values, overrides applied.
    pub values: Table,
}

impl Document {
    /// Parses `text` and lays `overrides` (key path, value) over it.
    ///
    /// # Errors
    /// If the text is not TOML or an override's path leads nowhere.
    pub fn parse(text: &str, overrides: &[(String, String)]) -> Result<Document, Error> {
        let mut values: Table = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| line_at(text, span.start));
            Error { line, key: String::new(), fault: format!("not TOML: {}", error.message()) }
        })?;
        for (path, value) in overrides {
            set(&mut values, path, parse_value(value))?;
        }
        Ok(Document { text: text.to_owned(), values })
    }

    /// Fills in the line of an error: where its key stands, or else the nearest table above it.
    pub fn locate(&self, mut error: Error) -> Error {
        if error.line.is_none()
            && let Ok(table) = DeTable::parse(&self.text)
        {
            let path: Vec<&str> = error.key.split('.').filter(|part| !part.is_empty()).collect();
            error.line = find(table.get_ref(), &path).map(|offset| line_at(&self.text, offset));
        }
        error
    }
}

/// Reads `value`, which stands at `path`, as a `T`.
///
/// # Errors
/// If its shape is wrong: names the key, the fault and what is allowed.
pub fn read<T: DeserializeOwned>(path: &str, value: Value) -> Result<T, Error> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let inner = error.path().to_string();
        let key = match inner.as_str() {
            "." => path.to_owned(),
            inner if path.is_empty() => inner.replace('[', ".").replace(']', ""),
            inner => format!("{path}.{}", inner.replace('[', ".").replace(']', "")),
        };
        explain(&key, path, error.inner().message())
    })
}

/// Turns serde's words into the user's.
fn explain(key: &str, table: &str, message: &str) -> Error {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if message.starts_with("unknown field") {
        let (unknown, known) = (quoted[0], &quoted[1..]);
        let key = match key.strip_suffix(unknown) {
            Some(_) => key.to_owned(),
            None if table.is_empty() => unknown.to_owned(),
            None => format!("{table}.{unknown}"),
        };
        return Error::new(key, unknown_key(unknown, known));
    }
    if message.starts_with("unknown variant") {
        let fault = format!("must be {} (got \"{}\")", one_of(&quoted[1..]), quoted[0]);
        return Error::new(key, fault);
    }
    if message.starts_with("missing field") {
        let missing =
            if key.is_empty() { quoted[0].to_owned() } else { format!("{key}.{}", quoted[0]) };
        return Error::new(missing, "is missing");
    }
    for start in ["invalid type: ", "invalid value: "] {
        if let Some((got, expected)) =
            message.strip_prefix(start).and_then(|rest| rest.split_once(", expected "))
        {
            return Error::new(key, format!("must be {} (got {got})", plain(expected)));
        }
    }
    Error::new(key, message)
}

/// What to say of a key that there is none of.
pub fn unknown_key(unknown: &str, known: &[&str]) -> String {
    let near = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(unknown, name), *name))
        .min()
        .filter(|(distance, name)| *distance <= name.len().div_ceil(2));
    match near {
        Some((_, name)) => format!("unknown key; did you mean `{name}`?"),
        None => format!("unknown key; allowed: {}", known.join(", ")),
    }
}

/// The names as a choice.
pub fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    match quoted.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", quoted.join(", ")),
    }
}

fn plain(expected: &str) -> &str {
    match expected {
        "f64" => "a number",
        "u8" => "a whole number, 0 to 255",
        "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "a boolean" => "true or false",
        "a string" => "text",
        "a sequence" => "a list",
        "an array of length 2" => "a list of two numbers",
        other if other.starts_with("struct ") || other == "a map" => "a table",
        other => other,
    }
}

/// An override's value: TOML if it is that, else text.
fn parse_value(text: &str) -> Value {
    toml::from_str::<Table>(&format!("value = {text}"))
        .ok()
        .filter(|table| table.len() == 1)
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| Value::String(text.to_owned()))
}

fn set(values: &mut Table, path: &str, value: Value) -> Result<(), Error> {
    let parts: Vec<&str> = path.split('.').collect();
    let Some((last, way)) = parts.split_last().filter(|_| parts.iter().all(|p| !p.is_empty()))
    else {
        return Err(Error::new(path, "is not a key path like mac.short_retry_limit"));
    };
    let mut here: &mut Value = match way.split_first() {
        None => {
            values.insert((*last).to_owned(), value);
            return Ok(());
        }
        Some((first, _)) => {
            values.entry((*first).to_owned()).or_insert_with(|| Value::Table(Table::new()))
        }
    };
    for part in way.iter().skip(1).chain([last]) {
        let is_last = std::ptr::eq(*part, *last);
        let next = match here {
            Value::Table(table) if is_last => {
                table.insert((*part).to_owned(), value);
                return Ok(());
            }
            Value::Table(table) => {
                Some(table.entry((*part).to_owned()).or_insert_with(|| Value::Table(Table::new())))
            }
            Value::Array(items) => {
                let item = part.parse().ok().and_then(|place: usize| items.get_mut(place));
                match item {
                    Some(item) if is_last => {
                        *item = value;
                        return Ok(());
                    }
                    item => item,
                }
            }
            _ => None,
        };
        here = next.ok_or_else(|| {
            Error::new(path, format!("there is no `{part}` in the scenario to set a value in"))
        })?;
    }
    Ok(())
}

/// The offset of the deepest part of `path` that stands in the file.
fn find(table: &DeTable<'_>, path: &[&str]) -> Option<usize> {
    let (first, rest) = path.split_first()?;
    let (key, value) = table.iter().find(|(key, _)| key.get_ref().as_ref() == *first)?;
    Some(find_in(value.get_ref(), rest).unwrap_or(key.span().start))
}

fn find_in(value: &DeValue<'_>, path: &[&str]) -> Option<usize> {
    match value {
        DeValue::Table(table) => find(table, path),
        DeValue::Array(items) => {
            let (first, rest) = path.split_first()?;
            let item = items.get(first.parse::<usize>().ok()?)?;
            Some(find_in(item.get_ref(), rest).unwrap_or(item.span().start))
        }
        _ => None,
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|&&byte| byte == b'\n').count() + 1
}
