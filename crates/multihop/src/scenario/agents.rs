//! Reads the `[[agents]]` tables. One that is a `file` of JSON has what the file holds: data, never
//! code. One that names a `policy` has that of one that comes along.

use serde_json::{Value as Json, json};
use toml::{Table, Value};

use super::file;
use super::remarks::Remarks;
use crate::agents::{AgentTable, LEARNED};
use crate::config::Error;
use crate::config::document::{must_be_one_of, read};
use crate::config::json::table as from_json;
use crate::config::table::{keys_of, not_a_table, only_keys};

/// The keys that may stand beside a `file` or `policy`, and go before what it holds.
const BESIDE: [&str; 2] = ["only", "every_s"];

/// Reads the `[[agents]]`.
///
/// # Errors
/// The first that is no table, cannot be read, or has an unknown key.
pub(super) fn read_all(
    value: Option<Value>,
    remarks: &mut Remarks,
) -> Result<Vec<AgentTable>, Error> {
    let items = match value {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(Error::new("agents", "must be tables: [[agents]]")),
    };
    let one = |(i, value)| {
        let path = format!("agents.{i}");
        let Value::Table(table) = value else { return Err(not_a_table(&path, &value)) };
        let named = |key: &str| match table.get(key) {
            Some(Value::String(name)) => Ok(Some(name.clone())),
            Some(_) => Err(Error::new(format!("{path}.{key}"), "must be a name")),
            None => Ok(None),
        };
        match (named("file")?, named("policy")?) {
            (Some(_), Some(_)) => {
                let fault = "must have one of `policy`, the name of one that comes along, and \
                             `file`, one of yours (got both)";
                Err(Error::new(path, fault))
            }
            (Some(name), None) => read_file(&path, &name, table, remarks),
            (None, Some(name)) => read_learned(&path, &name, table),
            (None, None) if table.keys().all(|key| is_beside(key)) => {
                let fault = "must have a `policy`, the name of one that comes along, a `file`, \
                             one of yours, or all keys of one (got none)";
                Err(Error::new(path, fault))
            }
            (None, None) => read(&path, table.into()),
        }
    };
    items.into_iter().enumerate().map(one).collect()
}

/// Lets the schema have a `file` or a `policy` in place of what it holds.
pub(super) fn allow_files(schema: &mut Json) {
    let table = &mut schema["$defs"]["AgentTable"];
    table["properties"]["file"] = json!({
        "type": "string",
        "description": "A JSON file with all other keys in place of them; `only` and `every_s` may \
                        stand beside it.",
    });
    let names: Vec<&str> = LEARNED.iter().map(|(name, _)| *name).collect();
    table["properties"]["policy"] = json!({
        "type": "string",
        "enum": names,
        "description": "A policy that comes along, in place of all other keys but `only` and `every_s`.",
    });
    if let Some(table) = table.as_object_mut() {
        let required = table.remove("required");
        table.insert(
            "anyOf".to_owned(),
            json!([{ "required": ["file"] }, { "required": ["policy"] }, { "required": required }]),
        );
    }
}

/// Takes the `key` that names a policy from its table, beside which little else may stand.
fn take(key: &str, table: &mut Table, path: &str) -> Result<(), Error> {
    table.remove(key);
    let held = |name: &&String| keys_of::<AgentTable>().contains(name) && !is_beside(name);
    if let Some(name) = table.keys().find(held) {
        let fault = format!("may not stand beside `{key}`; allowed: {}", BESIDE.join(", "));
        return Err(Error::new(format!("{path}.{name}"), fault));
    }
    only_keys(table, path, &BESIDE)
}

fn is_beside(key: &str) -> bool {
    BESIDE.contains(&key)
}

/// The table at `path`, of the policy called `name` that comes along and what stands beside it.
fn read_learned(path: &str, name: &str, mut table: Table) -> Result<AgentTable, Error> {
    take("policy", &mut table, path)?;
    let Some((_, text)) = LEARNED.iter().find(|(known, _)| *known == name) else {
        let names: Vec<&str> = LEARNED.iter().map(|(name, _)| *name).collect();
        return Err(Error::new(format!("{path}.policy"), must_be_one_of(&names, name)));
    };
    let mut whole = from_json(text)?;
    whole.extend(table);
    read(path, whole.into())
}

/// The table at `path`, of the file called `name` and what stands beside it.
fn read_file(
    path: &str,
    name: &str,
    mut table: Table,
    remarks: &mut Remarks,
) -> Result<AgentTable, Error> {
    take("file", &mut table, path)?;
    let key = format!("{path}.file");
    let text = file::text(&key, name, remarks)?;
    let mut whole = from_json(&text).map_err(|_| file::error(&key, name, None, "is no policy"))?;
    whole.extend(table);
    let said = |error: Error| {
        let within = error.key.strip_prefix(path).unwrap_or(&error.key).trim_start_matches('.');
        let fault =
            if error.fault.starts_with("unknown key") { "unknown key" } else { &error.fault };
        file::error(&key, name, None, format!("{within}: {fault}"))
    };
    let agents: AgentTable = read(path, whole.into()).map_err(said)?;
    agents.check().map_err(said)?;
    Ok(agents)
}
