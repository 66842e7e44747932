//! The scenario file as text: its values, their lines, and the overrides of `--set`.

use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::{Error, json};

/// A parsed scenario.
#[derive(Debug)]
pub struct Document {
    /// The TOML text; JSON is written by programs, and its lines tell nobody anything.
    text: Option<String>,
    /// The key paths of the overrides.
    overridden: Vec<String>,
    /// The values, overrides applied.
    pub values: Table,
}

/// A value that is laid over a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    path: String,
    value: Value,
}

impl Override {
    /// The value at key path `path` becomes what `text` says: TOML if it is that, else text.
    pub fn from_text(path: &str, text: &str) -> Override {
        Override { path: path.to_owned(), value: parse_value(text) }
    }

    /// The value at key path `path` becomes `value`; what is text is taken as in
    /// [`Override::from_text`].
    ///
    /// # Errors
    /// If it holds what TOML cannot.
    pub fn from_json(path: &str, value: serde_json::Value) -> Result<Override, Error> {
        match value {
            serde_json::Value::String(text) => Ok(Override::from_text(path, &text)),
            value => Ok(Override { path: path.to_owned(), value: json::value(path, value)? }),
        }
    }
}

impl Document {
    /// Parses TOML.
    ///
    /// # Errors
    /// If it is not TOML: names the line.
    pub fn from_toml(text: &str) -> Result<Document, Error> {
        let values: Table = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| line_at(text, span.start));
            Error {
                line,
                key: String::new(),
                fault: format!("not TOML: {}", not_toml(error.message())),
            }
        })?;
        Ok(Document { text: Some(text.to_owned()), overridden: Vec::new(), values })
    }

    /// Parses JSON: an object of what TOML can hold. Keys that are null count as absent.
    ///
    /// # Errors
    /// If it is not such an object.
    pub fn from_json(text: &str) -> Result<Document, Error> {
        let values = json::table(text)?;
        Ok(Document { text: None, overridden: Vec::new(), values })
    }

    /// Lays values over it, one after the other. A table of a list is found by its place or its
    /// `name`.
    ///
    /// # Errors
    /// If a path leads nowhere.
    pub fn lay(&mut self, overrides: impl IntoIterator<Item = Override>) -> Result<(), Error> {
        for Override { path, value } in overrides {
            let path = numbered(&self.values, &path);
            set(&mut self.values, &path, value)?;
            self.overridden.push(path);
        }
        Ok(())
    }

    /// Fills in the line of an error: that of its key, or else of the nearest table above it. A
    /// value set by an override, in whole or in part, has no line.
    pub fn locate(&self, mut error: Error) -> Error {
        let overridden = self
            .overridden
            .iter()
            .any(|path| below(path, &error.key).is_some() || below(&error.key, path).is_some());
        if error.line.is_none()
            && !overridden
            && let Some(text) = &self.text
        {
            error.line = line_of(text, &error.key);
        }
        error
    }
}

/// The line of the key at path `key` in TOML, or of the nearest table above it; from 1.
pub fn line_of(text: &str, key: &str) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    find(table.get_ref(), key).map(|offset| line_at(text, offset))
}

/// Reads the `value` at `path` as a `T`.
///
/// # Errors
/// If its shape is wrong: names the key, the fault and what is allowed.
pub fn read<T: DeserializeOwned>(path: &str, value: Value) -> Result<T, Error> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let inner = error.path().to_string();
        let key = match inner.as_str() {
            "." => path.to_owned(),
            inner if path.is_empty() => inner.replace('[', ".").replace(']', ""),
            inner => {
                let inner = inner.replace('[', ".").replace(']', "");
                format!("{path}.{}", inner.trim_start_matches('.'))
            }
        };
        explain(&key, path, error.inner().message())
    })
}

/// Reads an object of JSON as a `T`.
///
/// # Errors
/// If it is not JSON, or its shape is wrong: names the key, the fault and what is allowed.
pub fn read_json<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    read("", json::table(text)?.into())
}

/// Puts serde's message in the user's terms.
fn explain(key: &str, table: &str, message: &str) -> Error {
    if let Some((unknown, known)) = unknown_name(message, "unknown field `") {
        let key = match key.strip_suffix(unknown) {
            Some(_) => key.to_owned(),
            None if table.is_empty() => unknown.to_owned(),
            None => format!("{table}.{unknown}"),
        };
        return Error::new(key, unknown_key(unknown, &known));
    }
    if let Some((unknown, known)) = unknown_name(message, "unknown variant `") {
        return Error::new(key, must_be_one_of(&known, unknown));
    }
    if let Some(missing) = message.strip_prefix("missing field `") {
        let missing = missing.trim_end_matches('`');
        let key = if key.is_empty() { missing.to_owned() } else { format!("{key}.{missing}") };
        return Error::new(key, "is missing");
    }
    let mismatch = ["invalid type: ", "invalid value: ", "invalid "]
        .iter()
        .find_map(|start| message.strip_prefix(start)?.rsplit_once(", expected "));
    let fault = match mismatch {
        // toml's message if a choice is not text.
        Some((_, "string only")) => "must be text".to_owned(),
        Some((got, expected)) => {
            let got = found(got);
            format!("must be {} (got {got})", plain(expected, &got))
        }
        None => message.to_owned(),
    };
    Error::new(key, fault)
}

/// The unknown name and the known ones, if `message` begins with `start`. The user's name may
/// contain anything, even backquotes.
fn unknown_name<'m>(message: &'m str, start: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let (unknown, known) = message.strip_prefix(start)?.rsplit_once("`, expected ")?;
    Some((unknown, known.split('`').skip(1).step_by(2).collect()))
}

/// The fault of a choice that is not among `allowed`.
pub fn must_be_one_of(allowed: &[&str], got: &str) -> String {
    format!("must be {} (got \"{got}\")", one_of(allowed))
}

/// The fault of an unknown key; suggests the nearest known one.
pub fn unknown_key(unknown: &str, known: &[&str]) -> String {
    match nearest(unknown, known.iter().copied()) {
        Some(name) => format!("unknown key; did you mean `{name}`?"),
        None => format!("unknown key; allowed: {}", known.join(", ")),
    }
}

/// The one of the `known` names that `unknown` is most like; none if it is like none.
pub fn nearest<'k>(unknown: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // Part of a name is near, too: `window` for `window_segments`.
    let is_part = |name: &str| unknown.len() >= 3 && name.contains(unknown);
    known
        .into_iter()
        .map(|name| (!is_part(name), strsim::damerau_levenshtein(unknown, name), name))
        .min()
        .filter(|(apart, distance, name)| !apart || *distance <= name.len().div_ceil(2))
        .map(|(.., name)| name)
}

/// The names as a choice.
pub fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    match quoted.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", quoted.join(", ")),
    }
}

/// What is allowed in place of `got`; the most that fits in memory only where it has more.
fn plain<'e>(expected: &'e str, got: &str) -> &'e str {
    let is_larger = |most: i128| got.parse().is_ok_and(|whole: i128| whole > most);
    match expected {
        "f64" => "a number",
        "u8" if is_larger(u8::MAX.into()) => "a whole number, at most 255",
        "u32" if is_larger(u32::MAX.into()) => "a whole number, at most 4294967295",
        "u8" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "i64" => "a whole number",
        "a boolean" => "true or false",
        "a string" => "text",
        "a sequence" => "a list",
        // Pairs are the only lists of a fixed length.
        "an array of length 2" | "fewer elements in array" => "a list of two numbers",
        other if other.starts_with("struct ") || other == "a map" => "a table",
        other => other,
    }
}

/// The value that serde calls `floating point `2.5``, as the user would write it.
fn found(got: &str) -> String {
    if let Some(text) = got.strip_prefix("string ") {
        return text.to_owned();
    }
    if let Some(length) = got.strip_prefix("length ") {
        return format!("a list of {length}");
    }
    let value = got.split_once('`').map(|(_, value)| value.trim_end_matches('`'));
    match value.unwrap_or(got) {
        "NaN" => "nan",
        "sequence" => "a list",
        "map" => "a table",
        plain => plain,
    }
    .to_owned()
}

/// Puts the TOML parser's message in the user's terms.
fn not_toml(message: &str) -> String {
    match message.strip_suffix(" as i128, expected any valid TOML value") {
        Some(number) => format!("{} is too large a number", found(number)),
        None => message.to_owned(),
    }
}

/// An override's value: parsed as TOML if it is valid TOML, else text.
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
        let only = match here {
            Value::Array(items) if items.len() == 1 => ", only `0`".to_owned(),
            Value::Array(items) => format!(", only `0` to `{}`", items.len().saturating_sub(1)),
            _ => String::new(),
        };
        // The name of a scheme stands for the table that it chooses.
        if let Value::String(name) = here {
            let scheme = ("scheme".to_owned(), Value::from(name.as_str()));
            *here = Value::Table(Table::from_iter([scheme]));
        }
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
            Error::new(
                path,
                format!("there is no `{part}` in the scenario to set a value in{only}"),
            )
        })?;
    }
    Ok(())
}

/// The key path `path` with places in lists for the names of the tables that stand there.
fn numbered(values: &Table, path: &str) -> String {
    let Some((items, [list, name, rest])) = path.split_once('.').and_then(|(list, below)| {
        let (name, rest) = below.split_once('.').unwrap_or((below, ""));
        Some((values.get(list)?.as_array()?, [list, name, rest]))
    }) else {
        return path.to_owned();
    };
    let is_it = |item: &Value| item.get("name").and_then(Value::as_str) == Some(name);
    match items.iter().position(is_it) {
        None => path.to_owned(),
        Some(place) if rest.is_empty() => format!("{list}.{place}"),
        Some(place) => format!("{list}.{place}.{rest}"),
    }
}

/// The rest of `key` below `path`; none if `key` is not below it.
fn below<'k>(path: &str, key: &'k str) -> Option<&'k str> {
    let rest = key.strip_prefix(path)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
}

/// The offset of the deepest part of `path` that is in the file.
fn find(table: &DeTable<'_>, path: &str) -> Option<usize> {
    let (key, value, rest) =
        table.iter().find_map(|(key, value)| Some((key, value, below(key.get_ref(), path)?)))?;
    Some(find_in(value.get_ref(), rest).unwrap_or(key.span().start))
}

fn find_in(value: &DeValue<'_>, path: &str) -> Option<usize> {
    match value {
        DeValue::Table(table) => find(table, path),
        DeValue::Array(items) => {
            let (first, rest) = path.split_once('.').unwrap_or((path, ""));
            let item = items.get(first.parse::<usize>().ok()?)?;
            Some(find_in(item.get_ref(), rest).unwrap_or(item.span().start))
        }
        _ => None,
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|&&byte| byte == b'\n').count() + 1
}
