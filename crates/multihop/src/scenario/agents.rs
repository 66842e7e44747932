//! Reads the `[[agents]]` tables. One that is a `file` of JSON has what the file holds: data, never
//! code.

use serde_json::{Value as Json, json};
use toml::{Table, Value};

use super::file;
use super::remarks::Remarks;
use crate::agents::AgentTable;
use crate::config::Error;
use crate::config::document::read;
use crate::config::json::table as from_json;
use crate::config::table::{not_a_table, only_keys};

/// The keys that may stand beside a `file`, and go before what it holds.
const BESIDE: [&str; 3] = ["file", "only", "every_s"];

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
        match table.get("file") {
            None => read(&path, table.into()),
            Some(Value::String(name)) => {
                let name = name.clone();
                read_file(&path, &name, table, remarks)
            }
            Some(_) => Err(Error::new(format!("{path}.file"), "must be the name of a file")),
        }
    };
    items.into_iter().enumerate().map(one).collect()
}

/// Lets the schema have a `file` in place of what it holds.
pub(super) fn allow_files(schema: &mut Json) {
    let table = &mut schema["$defs"]["AgentTable"];
    table["properties"]["file"] = json!({
        "type": "string",
        "description": "A JSON file with all other keys in place of them; `only` and `every_s` may \
                        stand beside it.",
    });
    if let Some(table) = table.as_object_mut() {
        let required = table.remove("required");
        table.insert(
            "anyOf".to_owned(),
            json!([{ "required": ["file"] }, { "required": required }]),
        );
    }
}

/// The table at `path`, of the file called `name` and what stands beside it.
fn read_file(
    path: &str,
    name: &str,
    mut table: Table,
    remarks: &mut Remarks,
) -> Result<AgentTable, Error> {
    only_keys(&table, path, &BESIDE)?;
    let key = format!("{path}.file");
    let text = file::text(&key, name, remarks)?;
    let mut whole = from_json(&text).map_err(|_| file::error(&key, name, None, "is no policy"))?;
    table.remove("file");
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
